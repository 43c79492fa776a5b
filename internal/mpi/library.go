//go:build cgo && (linux || darwin)

package mpi

// #include "mpilib.h"
import "C"

import "strings"

// Library returns the library that Start has opened.
func Library() Opened {
	version, _, _ := strings.Cut(C.GoString(&C.mpilib.version[0]), "\n")
	return Opened{
		Path: C.GoString(&C.mpilib.path[0]), Version: strings.Join(strings.Fields(version), " "),
		kind: map[C.int]kind{C.MPILIB_OPENMPI: openMPI, C.MPILIB_MPICH: mpich, C.MPILIB_ABI: abi}[C.mpilib.is.kind],
	}
}
