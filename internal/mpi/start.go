//go:build cgo && (linux || darwin)

package mpi

/*
#cgo CFLAGS: -std=c11 -O2 -Wall -Wextra
#cgo linux LDFLAGS: -ldl
#include <stdlib.h>
#include "mpilib.h"
*/
import "C"

import (
	"os"
	"strconv"
	"time"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/dist"
)

// Start returns the ranks of the job that this process belongs to: dist.Self without a launcher, in which case it
// opens no library, or with a launcher that started a single process. The error says what is missing under a
// launcher.
//
// When all ranks are done, each calls stop, which waits for the others. A rank that gives up alone calls Abort
// instead.
func Start() (c dist.Comm, stop func(), err error) {
	l := launched()
	if l == nil || l.size == 1 && os.Getenv(Variable) == "" {
		return dist.Self{}, func() {}, nil
	}
	w, fault := l.start()
	if fault != nil {
		if l.rank > 0 {
			time.Sleep(echo)
		}
		return nil, nil, fault
	}
	return w, w.finalize, nil
}

// echo is the time for which other ranks leave it to rank 0 to report an error: a launcher ends all ranks when one
// has ended.
const echo = 3 * time.Second

// start opens and initialises the library and compares its size of the job with the launcher's.
func (l *launcher) start() (*comm, *Error) {
	files, given := wanted(l)
	if why, found := load(files); why != "" {
		if !found {
			return nil, l.missing(why, given)
		}
		return nil, l.unusable(why)
	}
	path := C.GoString(&C.mpilib.path[0])
	level, fault := l.initialise(path)
	if fault != nil {
		return nil, fault
	}
	check(C.mpilib_return_errors(C.mpilib.is.world), "MPI_Comm_set_errhandler")
	w := newComm(newSession(), C.mpilib.is.world)
	switch {
	case level < C.mpilib.is.serialized:
		w.finalize()
		return nil, l.unusable(path + " has no MPI_THREAD_SERIALIZED")
	case l.size > 0 && w.size != l.size, l.size == 0 && w.rank != l.rank:
		w.finalize()
		return nil, l.alone(w.size, path, Library().kind)
	}
	return w, nil
}

// startLimit is the time that MPI may take to start all ranks.
const startLimit = time.Minute

// initialise initialises the library, and returns its level of threads. A rank that has ended before it keeps some libraries waiting for ever.
func (l *launcher) initialise(path string) (level C.int, fault *Error) {
	limit := startLimit
	if seconds, err := strconv.ParseFloat(os.Getenv(LimitVariable), 64); err == nil && seconds > 0 {
		limit = time.Duration(seconds * float64(time.Second))
	}
	type started struct{ code, level C.int }
	done := make(chan started, 1)
	go func() {
		var s started
		s.code = C.mpilib_init(&s.level)
		done <- s
	}()
	select {
	case s := <-done:
		if s.code != 0 {
			return 0, l.unusable(path + ": MPI_Init_thread: " + text(s.code))
		}
		return s.level, nil
	case <-time.After(limit):
		return 0, l.late(path, limit)
	}
}

// load opens the first of the files that exists, or says why none could be opened; found reports whether one existed.
func load(files []string) (why string, found bool) {
	var there C.int
	why = opening(files, func(names **C.char, why *C.char) C.int { return C.mpilib_open(names, &there, why, reasonBytes) })
	return why, there != 0
}

// opening returns why the function open could not open any of the files, "" if it could.
func opening(files []string, open func(names **C.char, why *C.char) C.int) (why string) {
	memory := C.calloc(C.size_t(len(files)+1), C.size_t(unsafe.Sizeof(uintptr(0)))) // ends in NULL
	defer C.free(memory)
	names := unsafe.Slice((**C.char)(memory), len(files))
	for k, f := range files {
		names[k] = C.CString(f)
		defer C.free(unsafe.Pointer(names[k]))
	}
	reason := (*C.char)(C.calloc(reasonBytes, 1))
	defer C.free(unsafe.Pointer(reason))
	if open((**C.char)(memory), reason) != 0 {
		return C.GoString(reason)
	}
	return ""
}

const reasonBytes = 4096
