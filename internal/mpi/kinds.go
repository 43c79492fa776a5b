package mpi

import (
	"os"
	"runtime"
	"slices"
)

// A kind is a class of MPI libraries that share an ABI.
type kind string

const (
	openMPI kind = "openmpi"
	mpich   kind = "mpich"
	abi     kind = "abi"
)

// title is the name of the kind in messages.
func (k kind) title() string {
	switch k {
	case openMPI:
		return "Open MPI"
	case mpich:
		return "the MPICH family"
	}
	return "the MPI-5 ABI"
}

// files returns the names by which the loader knows the libraries of a kind.
func (k kind) files() []string {
	names := map[kind][]string{
		openMPI: {"libmpi.so.40"},
		mpich:   {"libmpi.so.12", "libmpich.so.12"},
		abi:     {"libmpi_abi.so.1", "libmpi_abi.so.0"},
	}
	if runtime.GOOS == "darwin" {
		names = map[kind][]string{
			openMPI: {"libmpi.40.dylib"}, mpich: {"libmpi.12.dylib", "libmpich.12.dylib"}, abi: {"libmpi_abi.1.dylib", "libmpi_abi.0.dylib"},
		}
	}
	return names[k]
}

// Opened is the library that Start has opened.
type Opened struct {
	Path    string // as it was passed to the loader
	Version string // the library's own description, in one line; empty if none has been opened
	kind    kind
}

// Variable is the environment variable that selects the library to open: a kind (openmpi, mpich, abi), a path, or
// none for a single process.
const Variable = "MPSOLVE_MPI"

// wanted returns the files to try, in their order, for a launcher, and whether Variable names them.
func wanted(l *launcher) (files []string, given bool) {
	v := os.Getenv(Variable)
	switch k := kind(v); {
	case slices.Contains([]kind{openMPI, mpich, abi}, k):
		return k.files(), true
	case v != "":
		return []string{v}, true
	}
	for _, k := range l.kinds {
		files = append(files, k.files()...)
	}
	return files, false
}
