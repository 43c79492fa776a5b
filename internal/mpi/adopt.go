//go:build cgo && (linux || darwin)

package mpi

// #include "mpilib.h"
import "C"

import (
	"slices"
	"sync"

	"github.com/mpsolve/mpsolve/internal/dist"
)

// Adopt returns the ranks of a communicator of the program that this package is a part of, given by its handle in Fortran (MPI_Comm_c2f). It
// duplicates the communicator; end, which is collective, frees the duplicate. The program loads, initialises and ends MPI itself. The level
// of threads must be MPI_THREAD_SERIALIZED at least: calls come from threads of Go, one at a time for each Comm. Collective.
func Adopt(handle int) (c dist.Comm, end func(), err error) {
	if err := find(); err != nil {
		return nil, nil, err
	}
	var running, level C.int
	check(C.mpilib_running(&running), "MPI_Initialized")
	if running == 0 {
		return nil, nil, fault("the program has not initialised MPI, or has ended it")
	}
	var own C.mpilib_handle
	check(C.mpilib_duplicate(C.mpilib_of_fortran(C.int(handle)), &own), "MPI_Comm_dup")
	check(C.mpilib_return_errors(own), "MPI_Comm_set_errhandler")
	w := newComm(newSession(), own)
	check(C.mpilib_level(&level), "MPI_Query_thread")
	if dist.Any(w, level < C.mpilib.is.serialized) {
		w.free()
		return nil, nil, fault("the program has initialised MPI without threads: it must call MPI_Init_thread with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE")
	}
	return w, w.free, nil
}

// found is whether the library that the program has loaded has been found.
var found struct {
	sync.Mutex
	yes bool
}

// find finds the library that the program has loaded, once.
func find() error {
	found.Lock()
	defer found.Unlock()
	if found.yes {
		return nil
	}
	files := slices.Concat(openMPI.files(), mpich.files(), abi.files())
	if why := opening(files, func(names **C.char, why *C.char) C.int { return C.mpilib_find(names, why, reasonBytes) }); why != "" {
		return fault("%s", why)
	}
	found.yes = true
	return nil
}

// free frees the communicator and what it has opened, unless the program has ended MPI. Collective.
func (c *comm) free() {
	c.calling.Lock()
	defer c.calling.Unlock()
	var running C.int
	check(C.mpilib_running(&running), "MPI_Finalized")
	c.finalized = running == 0
	for n := range c.open {
		n.close()
	}
	if !c.finalized {
		c.finalized = true
		check(C.mpilib_comm_free(c.handle), "MPI_Comm_free")
	}
}
