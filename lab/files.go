package lab

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

var errInjected = errors.New("injected")

// readFaults reads a matrix from streams, plain and compressed, whose N-th read fails or ends the stream, for every
// N. The reader must return the error, never a matrix.
func readFaults(r *rand.Rand, out *Outcome) {
	s := pick(r, victims)(r)
	s.A = withoutZeros(s.A)
	out.system = s
	var text bytes.Buffer
	if err := matrixmarket.Write(&text, s.A, matrixmarket.WriteOptions{}); err != nil {
		out.fault(Odd, "%v", err)
		return
	}
	if r.IntN(2) == 0 {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, err := z.Write(text.Bytes())
		if err = errors.Join(err, z.Close()); err != nil {
			out.fault(Odd, "%v", err)
			return
		}
		text = packed
	}
	size := max(1, text.Len()/between(r, 2, 40))
	for n := 0; ; n++ {
		err := errInjected
		if r.IntN(2) == 0 {
			err = io.ErrUnexpectedEOF
		}
		in := &failing{r: bytes.NewReader(text.Bytes()), size: size, left: n, err: err}
		out.Text = fmt.Sprintf("%v: read %d of %d bytes fails with %v", s, n+1, size, err)
		content, got := out.read(in)
		switch {
		case !in.failed && got == nil && same(content.Matrix, s.A):
			out.count("complete")
			return
		case !in.failed:
			out.fault(Odd, "%v without a fault; %s", got, out.Text)
			return
		case got == nil && in.done && same(content.Matrix, s.A):
			out.count("complete")
		case got == nil:
			out.fault(Partial, "a matrix of a broken stream; %s", out.Text)
		case errors.Is(got, err) || errors.Is(got, io.ErrUnexpectedEOF):
			out.count("error")
		default:
			out.fault(Odd, "%v instead of %v; %s", got, err, out.Text)
		}
	}
}

// read reads a stream and checks the time.
func (o *Outcome) read(in io.Reader) (*matrixmarket.Content, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	defer cancel()
	start := time.Now()
	o.Solves++
	c, err := matrixmarket.Read(ctx, in, "stream", matrixmarket.Options{Threads: 2})
	if elapsed := time.Since(start); elapsed > timeLimit+grace {
		o.fault(Late, "%v; %s", elapsed, o.Text)
	}
	return c, err
}

// failing is a stream that yields so many bytes at a time and fails after some reads.
type failing struct {
	r          io.Reader
	size, left int
	err        error
	failed     bool
	done       bool // all bytes were read before
}

func (f *failing) Read(p []byte) (int, error) {
	if f.left == 0 {
		f.failed = true
		return 0, f.err
	}
	f.left--
	n, err := f.r.Read(p[:min(len(p), f.size)])
	f.done = f.done || err == io.EOF
	return n, err
}

// writeFaults writes a matrix and a vector to a file whose N-th write fails, for every N. The error must come back
// within the time limit, the file must stay unchanged, and its folder may hold no other file.
func writeFaults(r *rand.Rand, out *Outcome) {
	s := pick(r, append(victims[:len(victims):len(victims)], inconsistent(largeNeumann)))(r)
	s.A = withoutZeros(s.A)
	out.system = s
	dir, err := os.MkdirTemp("", "stress")
	if err != nil {
		out.fault(Odd, "%v", err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "x.mtx")
	threads, dense, before := between(r, 1, 4), r.IntN(2) == 0, []byte("as it was\n")
	if err := os.WriteFile(path, before, 0o644); err != nil {
		out.fault(Odd, "%v", err)
		return
	}
	b := slices.Repeat(s.B, between(r, 1, 150_000)/len(s.B)+1)
	for n := 0; ; n++ {
		out.Text = fmt.Sprintf("%v: write %d fails, %d threads, array: %v", s, n+1, threads, dense)
		failed := false
		out.Solves++
		done := make(chan error, 1)
		go func() {
			done <- host.Write(path, func(w io.Writer) error {
				limited := &limited{w: w, left: n, failed: &failed}
				if dense {
					return matrixmarket.WriteDense(limited, len(b), 1, b, nil, matrixmarket.WriteOptions{Threads: threads})
				}
				return matrixmarket.Write(limited, s.A, matrixmarket.WriteOptions{Threads: threads})
			})
		}()
		select {
		case err = <-done:
		case <-time.After(timeLimit):
			out.fault(Late, "writing hangs; %s", out.Text)
			return
		}
		if !failed {
			out.written(path, dense, b, s.A, err)
			return
		}
		out.count("error")
		now, readErr := os.ReadFile(path)
		entries, dirErr := os.ReadDir(dir)
		switch {
		case !errors.Is(err, errInjected):
			out.fault(Odd, "%v instead of the error of the write; %s", err, out.Text)
		case readErr != nil || dirErr != nil || !bytes.Equal(now, before) || len(entries) != 1:
			out.fault(Partial, "%d files, the old one with %d bytes; %s", len(entries), len(now), out.Text)
		}
	}
}

// written checks the file that a write without a fault has left.
func (o *Outcome) written(path string, dense bool, b []float64, m *csr.Matrix, err error) {
	o.count("complete")
	if err != nil {
		o.fault(Odd, "%v without a fault; %s", err, o.Text)
		return
	}
	c, err := matrixmarket.ReadFile(context.Background(), path, matrixmarket.Options{Threads: 1})
	if err != nil || dense && !slices.Equal(c.Dense, b) || !dense && !same(c.Matrix, m) {
		o.fault(Partial, "the content read differs from the content written (%v); %s", err, o.Text)
	}
}

// limited is a writer that fails after some writes and writes half of the next one.
type limited struct {
	w      io.Writer
	left   int
	failed *bool
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left == 0 {
		*l.failed = true
		n, _ := l.w.Write(p[:len(p)/2])
		return n, errInjected
	}
	l.left--
	return l.w.Write(p)
}

func same(a, b *csr.Matrix) bool {
	return a != nil && a.Rows == b.Rows && slices.Equal(a.RowPtr, b.RowPtr) && slices.Equal(a.Col, b.Col) && slices.Equal(a.Val, b.Val)
}

// withoutZeros returns m without its stored zeros, which a reader leaves out.
func withoutZeros(m *csr.Matrix) *csr.Matrix {
	b := newBuilder(m.Rows)
	b.embed(m, 0, 1)
	return b.matrix()
}
