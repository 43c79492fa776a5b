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
	"hash"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A file of a checkpoint is
//
//	mpsolve checkpoint 1       a line; the number is that of the format
//	{...}                      a line of JSON: identity, and the sizes of what follows
//	State bytes                checkpointState, encoded by encoding/gob
//	Vectors * Rows * 8 bytes   vectors of little-endian float64
//	32 bytes                   the SHA-256 checksum of everything before
const (
	checkpointFormat = 1
	longestHeader    = 1 << 20
)

// checkpointHeader is the line of JSON.
type checkpointHeader struct {
	identity
	State   int64 `json:"state_bytes"`
	Vectors int64 `json:"vectors"`
}

// checkpointState is a Taken without identity and vectors. The vectors follow it in the order of Taken.state.
type checkpointState struct {
	Solved  []solve.Result
	Systems []digest
	Current *Progress
	Steps   int // vectors of Current.Steps; -1: there is no such state
	Method  int // the same for Current.Method
	HasX    bool
}

// WriteTo writes the checkpoint to w.
func (c *Taken) WriteTo(w io.Writer) (written int64, err error) {
	state, vectors := c.state()
	var encoded bytes.Buffer
	if err := gob.NewEncoder(&encoded).Encode(state); err != nil {
		return 0, err
	}
	header, err := json.Marshal(checkpointHeader{c.identity, int64(encoded.Len()), int64(len(vectors))})
	if err != nil {
		return 0, err
	}
	sum := sha256.New()
	out := &counter{w: io.MultiWriter(w, sum)}
	fmt.Fprintf(out, "%s%d\n%s\n", Magic, checkpointFormat, header)
	out.Write(encoded.Bytes())
	buffer := make([]byte, 0, 8*chunk)
	put := func(v []float64) {
		for part := range slices.Chunk(v, chunk) {
			buffer, _ = binary.Append(buffer[:0], binary.LittleEndian, part)
			out.Write(buffer)
		}
	}
	for k, v := range vectors {
		if c.gather == nil {
			put(v)
		} else if err := c.gather(k, put); err != nil {
			return out.n, err
		}
	}
	out.w = w
	out.Write(sum.Sum(nil))
	return out.n, out.Fault
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
	s = checkpointState{Solved: slices.Clone(c.solved), Systems: c.systems, Steps: -1, Method: -1}
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

// Read reads a checkpoint to the end of r. The error is a *solve.CheckpointError if the checkpoint is damaged or of another format.
// Read takes little more memory than there are bytes to read.
func Read(r io.Reader) (solve.Checkpoint, error) {
	in := &checkpointReader{r: bufio.NewReaderSize(r, 1<<16), sum: sha256.New()}
	header, err := in.header()
	if err != nil {
		return nil, err
	}
	encoded, err := in.bytes(header.State)
	if err != nil {
		return nil, err
	}
	var vectors [][]float64
	for range header.Vectors {
		v, err := in.vector(header.Rows)
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, v)
	}
	if err := in.checksum(); err != nil {
		return nil, err
	}
	var state checkpointState
	if err := gob.NewDecoder(bytes.NewReader(encoded)).Decode(&state); err != nil {
		return nil, choice.RefusedCheckpoint("is damaged: %v", err)
	}
	c, ok := state.checkpoint(vectors)
	if !ok {
		return nil, choice.RefusedCheckpoint("is damaged: %d vectors are not what its state needs", len(vectors))
	}
	c.identity = header.identity
	return c, nil
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

// checkpointReader reads the parts of a checkpoint, and adds them to the checksum.
type checkpointReader struct {
	r   *bufio.Reader
	sum hash.Hash
}

// mostRows is beyond the rows of any system.
const mostRows = 1 << 46

// header reads both lines.
func (c *checkpointReader) header() (h checkpointHeader, err error) {
	magic, err := c.line(len(Magic) + 20)
	format, ok := strings.CutPrefix(magic, Magic)
	switch {
	case err != nil && !errors.Is(err, errTruncated):
		return h, err
	case !ok:
		return h, choice.RefusedCheckpoint("is no checkpoint of mpsolve")
	case err != nil:
		return h, err
	case format != fmt.Sprint(checkpointFormat):
		return h, choice.RefusedCheckpoint("is of format %q; this version reads format %d", format, checkpointFormat)
	}
	line, err := c.line(longestHeader)
	if err != nil {
		return h, err
	}
	if err := json.Unmarshal([]byte(line), &h); err != nil {
		return h, choice.RefusedCheckpoint("is damaged: %v", err)
	}
	if h.Rows <= 0 || h.Rows > mostRows || h.Vectors < 0 || h.State < 0 {
		return h, choice.RefusedCheckpoint("is damaged: %d vectors of %d elements, %d bytes", h.Vectors, h.Rows, h.State)
	}
	return h, nil
}

var errTruncated = choice.RefusedCheckpoint("is truncated")

// line reads to the end of a line of at most longest bytes.
func (c *checkpointReader) line(longest int) (string, error) {
	var line []byte
	for len(line) <= longest {
		e, err := c.r.ReadByte()
		if err != nil {
			return string(line), truncated(err)
		}
		if line = append(line, e); e == '\n' {
			c.sum.Write(line)
			return string(line[:len(line)-1]), nil
		}
	}
	return string(line), errTruncated
}

// truncated returns the error of a read: errTruncated if the input ended too early.
func truncated(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errTruncated
	}
	return err
}

// bytes reads n bytes.
func (c *checkpointReader) bytes(n int64) ([]byte, error) {
	var b bytes.Buffer
	if _, err := io.CopyN(io.MultiWriter(&b, c.sum), c.r, n); err != nil {
		return nil, truncated(err)
	}
	return b.Bytes(), nil
}

// vector reads n numbers.
func (c *checkpointReader) vector(n int) ([]float64, error) {
	buffer := make([]byte, 8*min(n, chunk))
	var v []float64
	for len(v) < n {
		part := buffer[:8*min(n-len(v), chunk)]
		if _, err := io.ReadFull(c.r, part); err != nil {
			return nil, truncated(err)
		}
		c.sum.Write(part)
		for k := 0; k < len(part); k += 8 {
			v = append(v, math.Float64frombits(binary.LittleEndian.Uint64(part[k:])))
		}
	}
	return v, nil
}

// checksum compares the checksum, which must be the end of the input.
func (c *checkpointReader) checksum() error {
	want := c.sum.Sum(nil)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c.r, got); err != nil {
		return truncated(err)
	}
	if !bytes.Equal(got, want) {
		return choice.RefusedCheckpoint("is damaged: its checksum is wrong")
	}
	if _, err := c.r.ReadByte(); err == nil {
		return choice.RefusedCheckpoint("is damaged: it goes on after its end")
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// Magic is the beginning of every checkpoint file.
const Magic = "mpsolve checkpoint "
