//go:build cgo && (linux || darwin)

package mpi

// #include <stdlib.h>
// #include "mpilib.h"
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/dist"
)

// connection is closed when nothing refers to it any more, since the halos of matrices have no end of their own. Until then its messages are in
// session.open.
type connection struct{ *messages }

// messages holds persistent requests, those that receive first, and their buffers.
type messages struct {
	comm     *comm
	requests unsafe.Pointer
	count    C.int
	memory   unsafe.Pointer
	out, in  [][]byte
}

var _ dist.Connection = (*connection)(nil)

// messageBytes is the largest size of a message; longer ones are split.
var messageBytes = 1 << 30

// line is the alignment of buffers in bytes.
const line = 64

func (c *comm) Connect(send, recv []dist.Channel) dist.Connection {
	return c.connect(c.nextTag(), send, recv)
}

// nextTag returns the tag of the next connection: all ranks count alike.
func (c *comm) nextTag() C.int {
	c.tag = (c.tag + 1) % tags
	return C.int(c.tag)
}

// connect is Connect with a tag. Ranks without channels need not call it.
func (c *comm) connect(tag C.int, send, recv []dist.Channel) *connection {
	c.calling.Lock()
	defer c.calling.Unlock()
	c.closeDropped()
	n := &connection{&messages{comm: c}}
	total, messages := line, 0
	for _, channels := range [][]dist.Channel{recv, send} {
		for _, ch := range channels {
			total += (ch.Bytes + line - 1) / line * line
			messages += max(1, (ch.Bytes+messageBytes-1)/messageBytes)
		}
	}
	n.memory = allocate(total)
	n.requests = allocate(max(messages, 1) * int(C.mpilib.is.request))
	at := line - int(uintptr(n.memory)%line)
	cut := func(bytes int) []byte {
		b := unsafe.Slice((*byte)(unsafe.Add(n.memory, at)), bytes)
		at += (bytes + line - 1) / line * line
		clear(b)
		return b
	}
	for _, ch := range recv {
		b := cut(ch.Bytes)
		n.in = append(n.in, b)
		n.each(b, func(b []byte) C.int {
			return C.mpilib_receive_init(pointer(b), C.int(len(b)), C.int(ch.Rank), tag, c.handle, n.requests, n.count)
		}, "MPI_Recv_init")
	}
	for _, ch := range send {
		b := cut(ch.Bytes)
		n.out = append(n.out, b)
		n.each(b, func(b []byte) C.int {
			return C.mpilib_send_init(pointer(b), C.int(len(b)), C.int(ch.Rank), tag, c.handle, n.requests, n.count)
		}, "MPI_Send_init")
	}
	c.open[n.messages] = true
	runtime.AddCleanup(n, c.drop, n.messages)
	return n
}

// tags is the number of tags that connections use in turn; MPI guarantees 32,768.
const tags = 1 << 14

// each makes requests for the pieces of b.
func (n *messages) each(b []byte, request func([]byte) C.int, call string) {
	for {
		piece := b[:min(len(b), messageBytes)]
		check(request(piece), call)
		n.count++
		if b = b[len(piece):]; len(b) == 0 {
			return
		}
	}
}

func (n *messages) Out(k int) []byte { return n.out[k] }
func (n *messages) In(k int) []byte  { return n.in[k] }

func (n *messages) Start() {
	if n.count == 0 {
		return
	}
	n.comm.calling.Lock()
	defer n.comm.calling.Unlock()
	check(C.mpilib_startall(n.count, n.requests), "MPI_Startall")
}

func (n *messages) Wait() {
	if n.count == 0 {
		return
	}
	n.comm.calling.Lock()
	defer n.comm.calling.Unlock()
	check(C.mpilib_waitall(n.count, n.requests), "MPI_Waitall")
}

func (n *messages) Close() {
	n.comm.calling.Lock()
	defer n.comm.calling.Unlock()
	n.close()
}

// close is Close in a call.
func (n *messages) close() {
	s := n.comm.session
	if !s.open[n] {
		return
	}
	delete(s.open, n)
	for k := range n.count {
		if !s.finalized {
			check(C.mpilib_request_free(n.requests, k), "MPI_Request_free")
		}
	}
	C.free(n.requests)
	C.free(n.memory)
}

// drop notes messages of a connection that nothing refers to any more. The garbage collector calls drop at any time, also while another part of the
// program calls MPI, so that the next connection closes them.
func (s *session) drop(n *messages) {
	s.dropping.Lock()
	defer s.dropping.Unlock()
	s.dropped = append(s.dropped, n)
}

// closeDropped closes the messages that drop has noted.
func (s *session) closeDropped() {
	s.dropping.Lock()
	defer s.dropping.Unlock()
	for _, n := range s.dropped {
		n.close()
	}
	s.dropped = nil
}
