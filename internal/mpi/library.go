//go:build cgo && (linux || darwin)

package mpi

// #include "mpilib.h"
import "C"

import "strings"

// Opened is the library that Start has opened.
type Opened struct {
	Path    string // as the loader was asked for it
	Version string // what it says of itself, in one line
	kind    kind
}

// Library returns what Start has opened.
func Library() Opened {
	version, _, _ := strings.Cut(C.GoString(&C.mpilib.version[0]), "\n")
	return Opened{
		Path: C.GoString(&C.mpilib.path[0]), Version: version,
		kind: map[C.int]kind{C.MPILIB_OPENMPI: openMPI, C.MPILIB_MPICH: mpich, C.MPILIB_ABI: abi}[C.mpilib.is.kind],
	}
}
