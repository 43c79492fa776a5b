//go:build cgo && (linux || darwin)

package mpi

/*
#include <stdlib.h>
#include "mpilib.h"
*/
import "C"

import (
	"os"
	"sync"
	"time"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/dist"
)

// comm is a communicator. Its calls may come from any goroutine, one at a time; they are not bound to a thread of the
// system.
type comm struct {
	*session
	handle     C.mpilib_handle
	rank, size int

	scratch, received buffer // of the current call
	tag               int    // of the last connection
}

var _ dist.Comm = (*comm)(nil)

// session is shared by communicators.
type session struct {
	calling   sync.Mutex // MPI_THREAD_SERIALIZED
	finalized bool
	open      map[*messages]bool // that have not been closed

	dropping sync.Mutex
	dropped  []*messages // to be closed
}

func newSession() *session { return &session{open: map[*messages]bool{}} }

// newComm returns the communicator of a handle.
func newComm(s *session, handle C.mpilib_handle) *comm {
	var rank, size C.int
	check(C.mpilib_rank(handle, &rank), "MPI_Comm_rank")
	check(C.mpilib_size(handle, &size), "MPI_Comm_size")
	return &comm{session: s, handle: handle, rank: int(rank), size: int(size)}
}

// text returns MPI's text for an error code.
func text(code C.int) string {
	const most = 1024
	b := (*C.char)(C.calloc(most, 1))
	defer C.free(unsafe.Pointer(b))
	C.mpilib_error_text(code, b, most)
	return oneLine(C.GoString(b))
}

// check panics if a call has failed.
func check(code C.int, call string) {
	if code != 0 {
		panic(&dist.Error{Call: call, Reason: text(code)})
	}
}

func (c *comm) Rank() int { return c.rank }
func (c *comm) Size() int { return c.size }

func (c *comm) Barrier() {
	c.calling.Lock()
	defer c.calling.Unlock()
	check(C.mpilib_barrier(c.handle), "MPI_Barrier")
}

func (c *comm) Sum(x []int64) {
	c.reduce(x, func(b *C.int64_t, n C.int) C.int { return C.mpilib_sum(b, n, c.handle) })
}

func (c *comm) Max(x []int64) {
	c.reduce(x, func(b *C.int64_t, n C.int) C.int { return C.mpilib_max(b, n, c.handle) })
}

// reduce lets MPI reduce x in pieces.
func (c *comm) reduce(x []int64, allreduce func(*C.int64_t, C.int) C.int) {
	c.calling.Lock()
	defer c.calling.Unlock()
	const most = 1 << 17 // 1 MB
	for len(x) > 0 {
		n := min(len(x), most)
		b := c.scratch.grow(8 * n)
		there := unsafe.Slice((*int64)(pointer(b)), n)
		copy(there, x)
		check(allreduce((*C.int64_t)(pointer(b)), C.int(n)), "MPI_Allreduce")
		copy(x, there)
		x = x[n:]
	}
}

// First splits the communicator; the other ranks get nil.
func (c *comm) First(n int) dist.Comm {
	c.calling.Lock()
	defer c.calling.Unlock()
	var color C.int
	if c.rank >= n {
		color = 1
	}
	var part C.mpilib_handle
	check(C.mpilib_split(c.handle, color, &part), "MPI_Comm_split")
	if c.rank >= n {
		return nil
	}
	return newComm(c.session, part)
}

// Abort ends all ranks with an exit code, and this rank in any case.
func (c *comm) Abort(code int) {
	go func() {
		time.Sleep(abortTime)
		os.Exit(code)
	}()
	C.mpilib_abort(c.handle, C.int(code))
	os.Exit(code)
}

// abortTime is the time that MPI_Abort may take.
const abortTime = 5 * time.Second

func (c *comm) finalize() {
	c.calling.Lock()
	defer c.calling.Unlock()
	if !c.finalized {
		c.finalized = true
		C.mpilib_finalize()
	}
}

// buffer is memory of C.
type buffer struct{ b []byte }

// grow returns n bytes of the buffer, with any contents.
func (m *buffer) grow(n int) []byte {
	if n > len(m.b) {
		C.free(pointer(m.b))
		most := max(n, 4096)
		m.b = unsafe.Slice((*byte)(allocate(most)), most)
	}
	return m.b[:n]
}

// allocate returns n bytes of C's memory.
func allocate(n int) unsafe.Pointer {
	p := C.realloc(nil, C.size_t(n)) // cgo's malloc ends the program if there is no memory
	if p == nil {
		panic(&dist.Error{Call: "malloc", Reason: "out of memory"})
	}
	return p
}
