//go:build cgo && (linux || darwin)

package mpi

// #include "mpilib.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/dist"
)

// Messages of any length are sent in pieces, in rounds in which all ranks take part: MPI counts by int, and memory of
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

func (c *comm) Alltoall(to [][]byte) [][]byte {
	if len(to) != c.size {
		panic(fmt.Sprintf("mpi: messages for %d ranks of %d", len(to), c.size))
	}
	c.calling.Lock()
	defer c.calling.Unlock()
	out, in := make([]int64, c.size), make([]int64, c.size)
	for r, b := range to {
		out[r] = int64(len(b))
	}
	check(C.mpilib_alltoall(pointer(out), 8, pointer(in), c.handle), "MPI_Alltoall")
	from := results(in)
	rounds := []int64{0}
	for r := range c.size {
		rounds[0] = max(rounds[0], (out[r]+int64(c.piece())-1)/int64(c.piece()))
	}
	check(C.mpilib_max((*C.int64_t)(pointer(rounds)), 1, c.handle), "MPI_Allreduce")

	sent, at := make([]int, c.size), make([]int, c.size)
	outCounts, outPlaces := make([]C.int, c.size), make([]C.int, c.size)
	inCounts, inPlaces := make([]C.int, c.size), make([]C.int, c.size)
	for range rounds[0] {
		_, outBytes := c.round(outCounts, outPlaces, func(r int) int { return len(to[r]) - sent[r] })
		_, inBytes := c.round(inCounts, inPlaces, func(r int) int { return len(from[r]) - at[r] })
		there, here := c.scratch.grow(outBytes), c.received.grow(inBytes)
		for r := range to {
			sent[r] += copy(there[outPlaces[r]:][:outCounts[r]], to[r][sent[r]:])
		}
		check(C.mpilib_alltoallv(pointer(there), &outCounts[0], &outPlaces[0], pointer(here), &inCounts[0], &inPlaces[0], c.handle), "MPI_Alltoallv")
		for r := range from {
			at[r] += copy(from[r][at[r]:], here[inPlaces[r]:][:inCounts[r]])
		}
	}
	return from
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
			panic(&dist.Error{Call: "MPI_Alltoall", Reason: fmt.Sprintf("a message of %d bytes from rank %d: the ranks are out of step", n, r)})
		}
		all[r] = make([]byte, n)
	}
	return all
}

// maxBytes exceeds any memory.
const maxBytes = 1 << 48

// pointer returns the address of a slice.
func pointer[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }
