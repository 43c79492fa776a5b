//go:build cgo && (linux || darwin)

package mpi

// #include "mpilib.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/dist"
)

// What is gathered or broadcast goes in pieces, in rounds in which all ranks take part: MPI counts by int, and memory of
// C is needed for one round only. roundBytes is the number of bytes that a rank sends or receives in a round,
// pieceBytes the least number that goes to each rank.
var roundBytes, pieceBytes = 64 << 20, 4096

// piece returns the number of bytes that go from each rank to each other in a round.
func (c *comm) piece() int { return max(pieceBytes, roundBytes/c.size) }

func (c *comm) Broadcast(root int, b []byte) {
	c.calling.Lock()
	defer c.calling.Unlock()
	for len(b) > 0 {
		n := min(len(b), roundBytes)
		there := c.scratch.grow(n)
		if c.rank == root {
			copy(there, b)
		}
		check(C.mpilib_broadcast(pointer(there), C.int(n), C.int(root), c.handle), "MPI_Bcast")
		if c.rank != root {
			copy(b, there)
		}
		b = b[n:]
	}
}

func (c *comm) Gather(b []byte) [][]byte {
	c.calling.Lock()
	defer c.calling.Unlock()
	lengths := make([]int64, c.size)
	own := int64(len(b))
	check(C.mpilib_allgather(unsafe.Pointer(&own), 8, pointer(lengths), c.handle), "MPI_Allgather")
	all, at := results(lengths), make([]int, c.size)
	counts, places := make([]C.int, c.size), make([]C.int, c.size)
	for sent := 0; ; {
		n, total := c.round(counts, places, func(r int) int { return len(all[r]) - at[r] })
		if n == 0 {
			return all
		}
		mine := int(counts[c.rank])
		there, in := c.scratch.grow(mine), c.received.grow(total)
		copy(there, b[sent:])
		check(C.mpilib_allgatherv(pointer(there), C.int(mine), pointer(in), &counts[0], &places[0], c.handle), "MPI_Allgatherv")
		sent += mine
		for r := range all {
			at[r] += copy(all[r][at[r]:], in[places[r]:][:counts[r]])
		}
	}
}

// Alltoall tells ranks how long their messages are, 8 bytes to each that gets one. The messages go in pieces of swapBytes. So a rank sends and
// receives nothing for others but what is theirs, apart from a barrier; only in its own memory is there a place for each rank.
func (c *comm) Alltoall(to [][]byte) [][]byte {
	if len(to) != c.size {
		panic(fmt.Sprintf("mpi: messages for %d ranks of %d", len(to), c.size))
	}
	from, tag := c.announce(to)
	copy(from[c.rank], to[c.rank])
	for at := 0; ; at += swapBytes {
		send, recv := c.channels(to, at), c.channels(from, at)
		if len(send)+len(recv) == 0 {
			return from
		}
		n := c.connect(tag, send, recv)
		for k, ch := range send {
			copy(n.Out(k), to[ch.Rank][at:])
		}
		n.Start()
		n.Wait()
		for k, ch := range recv {
			copy(from[ch.Rank][at:], n.In(k))
		}
		n.Close()
	}
}

// swapBytes is the most that goes from a rank to another at a time.
var swapBytes = 4 << 20

// announce exchanges the lengths of messages, and returns room for those of the others, and a tag for all of them.
func (c *comm) announce(to [][]byte) (from [][]byte, tag C.int) {
	c.calling.Lock()
	defer c.calling.Unlock()
	out, in := make([]int64, c.size), make([]int64, c.size)
	for r, b := range to {
		if r != c.rank {
			out[r] = int64(len(b))
		}
	}
	in[c.rank] = int64(len(to[c.rank]))
	if c.size > 1 { // the next tag is another one: a fast rank may send its messages while a slow one still asks who has something for it
		requests := c.scratch.grow((c.size + 1) * int(C.mpilib.is.request))
		check(C.mpilib_numbers((*C.int64_t)(pointer(out)), (*C.int64_t)(pointer(in)), C.int(c.size), c.nextTag(), c.handle, pointer(requests)), "MPI_Ibarrier")
	}
	return results(in), c.nextTag()
}

// channels returns the channels for the pieces of messages from byte at on, to or from other ranks.
func (c *comm) channels(messages [][]byte, at int) (list []dist.Channel) {
	for r, b := range messages {
		if r != c.rank && len(b) > at {
			list = append(list, dist.Channel{Rank: r, Bytes: min(len(b)-at, swapBytes)})
		}
	}
	return list
}

// round sets how many of the bytes left for each rank go in a round, and their positions; most is the largest of
// these numbers.
func (c *comm) round(counts, places []C.int, left func(r int) int) (most, total int) {
	for r := range counts {
		n := min(left(r), c.piece())
		counts[r], places[r] = C.int(n), C.int(total)
		most = max(most, n)
		total += n
	}
	return most, total
}

// results allocates messages of these lengths.
func results(lengths []int64) [][]byte {
	all := make([][]byte, len(lengths))
	for r, n := range lengths {
		if n < 0 || n > maxBytes {
			panic(&dist.Error{Call: "MPI_Recv", Reason: fmt.Sprintf("a message of %d bytes from rank %d: the ranks are out of step", n, r)})
		}
		all[r] = make([]byte, n)
	}
	return all
}

// maxBytes exceeds any memory.
const maxBytes = 1 << 48

// pointer returns the address of a slice.
func pointer[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }
