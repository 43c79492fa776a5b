package checkpoint

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Read reads a checkpoint to the end of r. The error is a *solve.CheckpointError if the checkpoint is damaged or of another format.
// Read takes little more memory than there are bytes to read.
func Read(r io.Reader) (solve.Checkpoint, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	f, err := readHead(in)
	if err != nil {
		return nil, err
	}
	vectors := make([][]float64, f.vectors)
	var sums []byte
	for k := range f.domains() {
		if sums, err = f.numbers(in, k, vectors, sums); err != nil {
			return nil, err
		}
	}
	want := make([]byte, len(sums))
	if _, err := io.ReadFull(in, want); err != nil {
		return nil, truncated(err)
	}
	if !bytes.Equal(sums, want) {
		return nil, errSum
	}
	if _, err := in.ReadByte(); err == nil {
		return nil, errLonger
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return f.taken(vectors)
}

// Open begins to read the checkpoint in a file of so many bytes, which must stay open: vectors are read when a solve goes on from the checkpoint,
// by each rank those of its domains. Errors are those of Read.
func Open(file io.ReaderAt, size int64) (*Taken, error) {
	f, err := readHead(bufio.NewReaderSize(io.NewSectionReader(file, 0, size), 1<<12))
	switch {
	case err != nil:
		return nil, err
	case size < f.sums(f.domains()):
		return nil, errTruncated
	case size > f.sums(f.domains()):
		return nil, errLonger
	}
	f.file = file
	s := f.state
	return &Taken{identity: f.identity, solved: slices.Clone(s.Solved), systems: s.Systems, Current: s.Current, start: f.start, stored: f}, nil
}

// stored is a checkpoint of which the vectors are in a file, or whole in memory if file is nil.
type stored struct {
	places
	identity identity
	state    checkpointState
	file     io.ReaderAt
	whole    [][]float64
}

// source returns a checkpoint as stored.
func (c *Taken) source() *stored {
	switch {
	case c == nil:
		return nil
	case c.stored != nil:
		return c.stored
	}
	f := &stored{identity: c.identity}
	f.state, f.whole = c.state()
	f.start, f.vectors = c.start, int64(len(f.whole))
	return f
}

// whole returns a checkpoint with all that it has in memory.
func (c *Taken) whole() (*Taken, error) {
	if c.stored == nil {
		return c, nil
	}
	vectors, err := c.stored.read(0, c.stored.domains())
	if err != nil {
		return nil, err
	}
	return c.stored.taken(vectors)
}

// taken returns the checkpoint with these vectors: whole ones, or the elements of a rank.
func (f *stored) taken(vectors [][]float64) (*Taken, error) {
	c, ok := f.state.checkpoint(vectors)
	if !ok {
		return nil, choice.Damaged("%d vectors are not what its state needs", len(vectors))
	}
	c.identity, c.start = f.identity, f.state.Start
	return c, nil
}

// read reads the elements of vectors in domains from to end-1.
func (f *stored) read(from, end int) ([][]float64, error) {
	if f.file == nil {
		return between(f.whole, f.start[from], f.start[end]), nil
	}
	vectors := make([][]float64, f.vectors)
	for k := range vectors {
		vectors[k] = make([]float64, 0, f.start[end]-f.start[from])
	}
	var sums []byte
	in, err := bufio.NewReaderSize(io.NewSectionReader(f.file, f.at(from), f.at(end)-f.at(from)), 1<<16), error(nil)
	for k := from; k < end; k++ {
		if sums, err = f.numbers(in, k, vectors, sums); err != nil {
			return nil, err
		}
	}
	want := make([]byte, len(sums))
	if _, err := io.ReadFull(io.NewSectionReader(f.file, f.sums(from), int64(len(want))), want); err != nil {
		return nil, truncated(err)
	}
	if !bytes.Equal(sums, want) {
		return nil, errSum
	}
	return vectors, nil
}

// numbers reads the elements of vectors in a domain, and appends them to vectors and the checksums of their blocks to sums.
func (f *stored) numbers(r io.Reader, domain int, vectors [][]float64, sums []byte) ([]byte, error) {
	rows := f.start[domain+1] - f.start[domain]
	block, left := f.blocks(domain), f.vectors*rows
	buffer := make([]byte, 8*min(left, f.block))
	for at := int64(0); left > 0; block++ {
		b := buffer[:8*min(left, f.block)]
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, truncated(err)
		}
		sum := f.sum(block, b)
		sums = append(sums, sum[:]...)
		left -= int64(len(b) / 8)
		for ; len(b) > 0; at++ {
			v := &vectors[at/rows]
			*v = append(*v, math.Float64frombits(binary.LittleEndian.Uint64(b)))
			b = b[8:]
		}
	}
	return sums, nil
}

// checkpoint is the inverse of Taken.state.
func (s checkpointState) checkpoint(vectors [][]float64) (c *Taken, ok bool) {
	ok = true
	take := func(n int) (taken [][]float64) {
		if ok = ok && 0 <= n && n <= len(vectors); ok {
			taken, vectors = vectors[:n], vectors[n:]
		}
		return taken
	}
	for k, v := range take(len(s.Solved)) {
		s.Solved[k].X = v
	}
	if p := s.Current; p != nil {
		with := func(state *krylov.State[vector], n int) {
			if ok = ok && (state != nil) == (n >= 0); ok && state != nil {
				state.Vectors = take(n)
			}
		}
		with(p.Steps, s.Steps)
		with(p.Method, s.Method)
		if s.HasX {
			for _, v := range take(1) {
				p.X = v
			}
		}
		ok = ok && (p.Finished != nil) == s.HasX && (p.Steps != nil) != s.HasX
	}
	begun := len(s.Solved)
	if s.Current != nil {
		begun++
	}
	ok = ok && len(vectors) == 0 && (len(s.Systems) == begun || len(s.Systems) == begun+1 && s.Current == nil)
	return &Taken{solved: s.Solved, systems: s.Systems, Current: s.Current}, ok
}

var (
	errTruncated = choice.RefusedCheckpoint("is truncated")
	errSum       = choice.Damaged("a checksum is wrong")
	errLonger    = choice.Damaged("it goes on after its end")
)

// truncated returns the error of a read: errTruncated if the input ended too early.
func truncated(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errTruncated
	}
	return err
}

// What is beyond any system, and any memory for a block.
const (
	mostRows  = 1 << 46
	mostBytes = 1 << 56
	mostBlock = 1 << 20
)

// readHead reads what precedes the vectors.
func readHead(in *bufio.Reader) (*stored, error) {
	var head bytes.Buffer
	magic, err := readLine(in, &head, len(Magic)+20)
	format, ok := strings.CutPrefix(magic, Magic)
	switch {
	case err != nil && !errors.Is(err, errTruncated):
		return nil, err
	case !ok:
		return nil, choice.RefusedCheckpoint("is no checkpoint of mpsolve")
	case err != nil:
		return nil, err
	case format != fmt.Sprint(checkpointFormat):
		return nil, choice.RefusedCheckpoint("is of format %q; this version reads format %d", format, checkpointFormat)
	}
	line, err := readLine(in, &head, longestHeader)
	if err != nil {
		return nil, err
	}
	var h checkpointHeader
	if err := json.Unmarshal([]byte(line), &h); err != nil {
		return nil, choice.Damaged("%v", err)
	}
	if h.Rows <= 0 || h.Rows > mostRows || h.Vectors < 0 || h.Vectors > mostBytes/8/int64(h.Rows) || h.State < 0 || h.Block <= 0 || h.Block > mostBlock {
		return nil, choice.Damaged("%d vectors of %d elements, in blocks of %d, %d bytes", h.Vectors, h.Rows, h.Block, h.State)
	}
	before := head.Len()
	if _, err := io.CopyN(&head, in, h.State); err != nil {
		return nil, truncated(err)
	}
	f := &stored{identity: h.identity, places: places{Head: int64(head.Len()) + sha256.Size, Sum: sha256.Sum256(head.Bytes()), vectors: h.Vectors, block: h.Block}}
	var want digest
	if _, err := io.ReadFull(in, want[:]); err != nil {
		return nil, truncated(err)
	}
	if want != f.Sum {
		return nil, errSum
	}
	if err := gob.NewDecoder(bytes.NewReader(head.Bytes()[before:])).Decode(&f.state); err != nil {
		return nil, choice.Damaged("%v", err)
	}
	f.start = f.state.Start
	if d := f.start; len(d) < 2 || d[0] != 0 || d[len(d)-1] != int64(h.Rows) || !slices.IsSorted(d) {
		return nil, choice.Damaged("its domains do not have its %d rows", h.Rows)
	}
	return f, nil
}

// readLine reads to the end of a line of at most longest bytes, and adds the line to head.
func readLine(in *bufio.Reader, head *bytes.Buffer, longest int) (string, error) {
	before := head.Len()
	for head.Len()-before <= longest {
		e, err := in.ReadByte()
		if err != nil {
			return head.String()[before:], truncated(err)
		}
		if e == '\n' {
			defer head.WriteByte(e)
			return head.String()[before:], nil
		}
		head.WriteByte(e)
	}
	return head.String()[before:], errTruncated
}
