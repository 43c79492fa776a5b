package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A file of a checkpoint is
//
//	mpsolve checkpoint 2       a line; the number is that of the format
//	{...}                      a line of JSON: identity, and the sizes of what follows
//	State bytes                checkpointState, encoded by encoding/gob
//	32 bytes                   the SHA-256 checksum of everything before
//	Vectors * Rows * 8 bytes   little-endian float64: the elements of all vectors in the first domain, then those in the second, ...
//	32 bytes a block           the checksums of blocks
//
// A block has Block numbers, or those left of a domain. Its checksum is that of the checksum above, its own number and its bytes, so that a block
// of another checkpoint is not taken for its own. So each rank writes and reads what belongs to its domains, at offsets that it knows.
const (
	Magic            = "mpsolve checkpoint " // the beginning of every file
	checkpointFormat = 2
	longestHeader    = 1 << 20
)

// blockNumbers is Block of files that are written; less in tests.
var blockNumbers int64 = 1 << 17

// checkpointHeader is the line of JSON.
type checkpointHeader struct {
	identity
	State   int64 `json:"state_bytes"`
	Vectors int64 `json:"vectors"`
	Block   int64 `json:"block"`
}

// checkpointState is a Taken without identity and vectors. The vectors follow it in the order of Taken.state.
type checkpointState struct {
	Solved  []solve.Result
	Systems []digest
	Current *Progress
	Steps   int // vectors of Current.Steps; -1: there is no such state
	Method  int // the same for Current.Method
	HasX    bool
	Start   []int64 // first rows of the domains, and the number of rows
}

// places tell where vectors and checksums are in a file.
type places struct {
	Head           int64  // bytes before the vectors
	Sum            digest // of these, without itself
	start          []int64
	vectors, block int64
}

// blocks returns the number of blocks before a domain.
func (p places) blocks(domain int) (n int64) {
	for k := range domain {
		n += (p.vectors*(p.start[k+1]-p.start[k]) + p.block - 1) / p.block
	}
	return n
}

// at returns the offset of the numbers of a domain; that of the checksums if domain is the number of domains.
func (p places) at(domain int) int64 { return p.Head + 8*p.vectors*p.start[domain] }

// sums returns the offset of the checksums of the blocks of a domain; the size of the file if domain is the number of domains.
func (p places) sums(domain int) int64 { return p.at(p.domains()) + sha256.Size*p.blocks(domain) }

func (p places) domains() int { return len(p.start) - 1 }

// sum returns the checksum of a block.
func (p places) sum(block int64, b []byte) digest {
	h := sha256.New()
	h.Write(p.Sum[:])
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(block)))
	h.Write(b)
	return digest(h.Sum(nil))
}

// part is what a rank writes of a checkpoint.
type part struct {
	places
	head    []byte // on rank 0
	first   int    // the first domain of this rank
	domains [][][]float64
	sums    []byte // of the blocks so far
}

// part returns what this rank writes. Collective.
func (c *Taken) part() (*part, error) {
	c, err := c.whole()
	if err != nil {
		return nil, err
	}
	state, vectors := c.state()
	p := &part{}
	p.places, err = ranks.ShareRoot(c.comm(), func() (at places, err error) {
		p.head, err = headOf(checkpointHeader{c.identity, 0, int64(len(vectors)), blockNumbers}, state)
		if err == nil {
			at = places{Head: int64(len(p.head)), Sum: digest(p.head[len(p.head)-sha256.Size:])}
		}
		return at, err
	})
	p.start, p.vectors, p.block = state.Start, int64(len(vectors)), blockNumbers
	if c.job == nil {
		for k := range p.places.domains() {
			p.domains = append(p.domains, between(vectors, c.start[k], c.start[k+1]))
		}
		return p, err
	}
	p.first, _ = c.job.Domains.Owned(c.job.Comm.Rank(), c.job.Comm.Size())
	own := 0
	for _, segment := range c.job.Parts {
		list := make([][]float64, len(vectors))
		for k, v := range vectors {
			if k < len(state.Solved) {
				list[k] = v[own : own+segment.Own]
			} else {
				list[k] = v[segment.First():segment.End()]
			}
		}
		p.domains = append(p.domains, list)
		own += segment.Own
	}
	return p, err
}

// between returns the elements from to end-1 of vectors.
func between(vectors [][]float64, from, end int64) (list [][]float64) {
	for _, v := range vectors {
		list = append(list, v[from:end])
	}
	return list
}

// headOf returns the bytes of a file before the vectors.
func headOf(h checkpointHeader, state checkpointState) ([]byte, error) {
	var encoded, b bytes.Buffer
	if err := gob.NewEncoder(&encoded).Encode(state); err != nil {
		return nil, err
	}
	h.State = int64(encoded.Len())
	line, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "%s%d\n%s\n", Magic, checkpointFormat, line)
	b.Write(encoded.Bytes())
	sum := sha256.Sum256(b.Bytes())
	return append(b.Bytes(), sum[:]...), nil
}

// blocks passes the blocks of this rank, and keeps their checksums.
func (p *part) blocks(yield func([]byte) bool) {
	next := p.places.blocks(p.first)
	buffer := make([]byte, 0, 8*p.block)
	end := func() bool {
		sum := p.sum(next, buffer)
		p.sums = append(p.sums, sum[:]...)
		next++
		more := yield(buffer)
		buffer = buffer[:0]
		return more
	}
	for _, vectors := range p.domains {
		for _, v := range vectors {
			for len(v) > 0 {
				n := min(len(v), (cap(buffer)-len(buffer))/8)
				buffer, _ = binary.Append(buffer, binary.LittleEndian, v[:n])
				if v = v[n:]; len(buffer) == cap(buffer) && !end() {
					return
				}
			}
		}
		if len(buffer) > 0 && !end() {
			return
		}
	}
}

// WriteTo writes the checkpoint to w. If ranks share it, rank 0 writes, the others send their blocks to rank 0 and return 0; collective.
func (c *Taken) WriteTo(w io.Writer) (int64, error) {
	p, err := c.part()
	if err != nil {
		return 0, err
	}
	out := &counter{w: w}
	put := func(b []byte) error {
		_, err := out.Write(b)
		return err
	}
	for _, pieces := range []iter.Seq[[]byte]{slices.Values([][]byte{p.head}), p.blocks, func(yield func([]byte) bool) { yield(p.sums) }} {
		if err := ranks.AgreeError(c.comm(), dist.Funnel(c.comm(), pieces, put)); err != nil {
			return out.n, err
		}
	}
	return out.n, nil
}

// WriteParts writes the checkpoint to a file that is w on all ranks, each rank its own blocks. It returns the size of the file. Collective.
func (c *Taken) WriteParts(w io.WriterAt) (int64, error) {
	p, err := c.part()
	if err != nil {
		return 0, err
	}
	put := func(b []byte, at int64) {
		if err == nil {
			_, err = w.WriteAt(b, at)
		}
	}
	if c.comm().Rank() == 0 {
		put(p.head, 0)
	}
	at := p.at(p.first)
	for b := range p.blocks {
		put(b, at)
		at += int64(len(b))
	}
	put(p.sums, p.places.sums(p.first))
	return p.places.sums(p.places.domains()), ranks.AgreeError(c.comm(), err)
}

// comm returns the ranks that share the checkpoint.
func (c *Taken) comm() dist.Comm {
	if c.job != nil {
		return c.job.Comm
	}
	return dist.Self{}
}

// counter counts what is written, until an error.
type counter struct {
	w     io.Writer
	n     int64
	Fault error
}

func (c *counter) Write(p []byte) (n int, err error) {
	if c.Fault == nil {
		n, c.Fault = c.w.Write(p)
		c.n += int64(n)
	}
	return n, c.Fault
}

// state separates the vectors from the state that gob encodes.
func (c *Taken) state() (s checkpointState, vectors [][]float64) {
	s = checkpointState{Solved: slices.Clone(c.solved), Systems: c.systems, Steps: -1, Method: -1, Start: c.start}
	take := func(v *vector) { vectors, *v = append(vectors, *v), nil }
	for k := range s.Solved {
		take(&s.Solved[k].X)
	}
	if c.Current == nil {
		return s, vectors
	}
	p := *c.Current
	s.Current = &p
	without := func(state **krylov.State[vector]) int {
		if *state == nil {
			return -1
		}
		all := (*state).Vectors
		vectors = append(vectors, all...)
		rest := **state
		rest.Vectors = nil
		*state = &rest
		return len(all)
	}
	s.Steps, s.Method = without(&p.Steps), without(&p.Method)
	if s.HasX = p.X != nil; s.HasX {
		take(&p.X)
	}
	return s, vectors
}
