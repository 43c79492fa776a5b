package mpi

import (
	"os"
	"runtime"
	"slices"
	"strconv"
)

// A launcher is the program that has started this process as a part of a job.
type launcher struct {
	name  string // for messages
	rank  int
	size  int    // 0 if unknown
	kinds []kind // of libraries that understand it, the likely one first
}

// launchers are recognised by environment variables, and the first whose variables are set counts: within a SLURM
// job, mpirun starts helpers by srun, and the ranks by these. The shell of a batch script has a SLURM_PROCID too, but
// is not a step.
var launchers = []struct {
	rank, size string
	launcher
}{
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", launcher{name: "mpirun of Open MPI", kinds: []kind{openMPI, abi}}},
	{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", launcher{name: "mpirun of MVAPICH", kinds: []kind{mpich, abi}}},
	{"PMI_RANK", "PMI_SIZE", launcher{name: "mpiexec of MPICH or its kin", kinds: []kind{mpich, abi, openMPI}}},
	{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", launcher{name: "srun", kinds: []kind{mpich, openMPI, abi}}},
	{"PMIX_RANK", "", launcher{name: "a launcher with PMIx", kinds: []kind{openMPI, mpich, abi}}},
}

// launched returns the launcher of this process, or nil if the process is alone.
func launched() *launcher {
	if os.Getenv(Variable) == "none" {
		return nil
	}
	for _, row := range launchers {
		rank, ranked := number(row.rank)
		size, sized := number(row.size)
		if !ranked || row.size != "" && !sized {
			continue
		}
		l := row.launcher
		l.rank, l.size = rank, size
		if _, pmix := number("PMIX_RANK"); pmix && l.name == "srun" { // which MPICH does without
			l.kinds = []kind{openMPI, mpich, abi}
		}
		return &l
	}
	return nil
}

// Launched reports whether a launcher has started this process as a part of a job.
func Launched() bool { return launched() != nil }

// Doubt says what is odd about a job in which the library sees so many processes: a launcher that does not tell how many it has started may have started more than
// one; "": nothing is odd.
func Doubt(size int) string {
	if l := launched(); l != nil && l.size == 0 && size == 1 {
		return "PMIX_RANK is set, but the MPI library sees a single process, which solves alone: if there are others, no server of PMIx connects them"
	}
	return ""
}

// number returns the value of a variable that is a number of 0 or more.
func number(variable string) (int, bool) {
	n, err := strconv.Atoi(os.Getenv(variable))
	return n, err == nil && n >= 0
}

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

// LimitVariable is the environment variable for the time, in seconds, that MPI may take to start all ranks; 60 by default.
const LimitVariable = "MPSOLVE_MPI_TIMEOUT"

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
