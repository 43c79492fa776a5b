package matrixio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// source is a file, or a part of one, that is read from its beginning, with the text for its errors.
type source struct {
	ctx  context.Context
	in   *matrixmarket.File
	opt  matrixmarket.Options
	part string // of the file, such as a member of an archive; "": the file itself

	wide bool // ranks share it: it may have more rows than a process can index

	r     io.Reader
	at    int64 // bytes read so far
	size  int64 // in bytes; -1: unknown
	order binary.ByteOrder
}

func newSource(ctx context.Context, in *matrixmarket.File, opt matrixmarket.Options) *source {
	s := &source{ctx: ctx, in: in, opt: opt, r: in.Stream, size: -1, order: binary.LittleEndian}
	if in.At != nil {
		s.size = in.Size
	}
	return s
}

// within returns the source of a part of the file.
func (s *source) within(part string, r io.Reader, size int64) *source {
	t := *s
	t.part, t.r, t.at, t.size = part, r, 0, size
	return &t
}

// from returns the source of a plain file from a byte on.
func (s *source) from(ctx context.Context, at int64) *source {
	in, t := *s.in, *s
	in.Stream = bufio.NewReader(io.NewSectionReader(in.At, at, max(0, in.Size-at)))
	t.ctx, t.in, t.r, t.at = ctx, &in, in.Stream, at
	return &t
}

// fault returns an error at the current position.
func (s *source) fault(format string, args ...any) error { return s.faultAt(s.at, format, args...) }

func (s *source) faultAt(at int64, format string, args ...any) error {
	where := fmt.Sprintf("byte %d", at)
	if s.part != "" {
		where = s.part + ", " + where
	}
	return &matrixmarket.Error{File: s.in.Name, Msg: fmt.Sprintf("at %s: %s", where, fmt.Sprintf(format, args...))}
}

// printable lists names of the file, which may have any bytes and any number, in about 200 characters of one line at
// most.
func printable(names ...string) string {
	quoted := strconv.Quote(fmt.Sprintf("%.200s", strings.Join(names, ", ")))
	return quoted[1 : len(quoted)-1]
}

// full reads all of buf.
func (s *source) full(buf []byte, what string) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	n, err := io.ReadFull(s.r, buf)
	s.at += int64(n)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return s.fault("the file ends within %s", what)
	}
	return s.failed(err)
}

// failed converts an error of the reader: an error of a decompressor is about the content.
func (s *source) failed(err error) error {
	if s.part != "" {
		return s.fault("the data is damaged: %v", err)
	}
	return err // the error names the file
}

// drain reads to the end, where decompressors verify their checksums.
func (s *source) drain() error {
	n, err := io.Copy(io.Discard, s.r)
	s.at += n
	if err != nil {
		return s.failed(err)
	}
	return nil
}

// skip skips n bytes.
func (s *source) skip(n int64, what string) error {
	got, err := io.CopyN(io.Discard, s.r, n)
	s.at += got
	if errors.Is(err, io.EOF) {
		return s.fault("the file ends within %s", what)
	}
	if err != nil {
		return s.failed(err)
	}
	return nil
}

// holds returns an error if the file is too short for n numbers of so many bytes.
func (s *source) holds(n, bytes int64, what string) error {
	if n < 0 {
		return s.fault("%s: %d are declared", what, n)
	}
	if s.size >= 0 && n > (s.size-s.at)/bytes {
		return s.fault("the file is too short for %s: %d numbers of %d bytes are declared, but %d bytes follow", what, n, bytes, max(0, s.size-s.at))
	}
	return nil
}

// maxSize is beyond the numbers of rows, columns and entries of any file.
const maxSize = 1 << 46

// dims checks the dimensions of what follows, and reports them to the caller.
func (s *source) dims(h matrixmarket.Header, rows, cols int64) error {
	switch {
	case rows < 0 || cols < 0 || max(rows, cols) > maxSize || h.Format == matrixmarket.Array && float64(rows)*float64(cols) > maxSize:
		return s.fault("dimensions %d x %d are out of range", rows, cols)
	case !s.wide && max(rows, cols) > csr.MaxDim:
		return s.fault("%d x %d: a process can index %d rows and columns", rows, cols, csr.MaxDim)
	}
	if s.opt.Check != nil {
		return s.opt.Check(h, int(rows), int(cols))
	}
	return nil
}

// Bytes of an entry while it is read and in the result.
const (
	stagedBytes = 16
	resultBytes = 12
)

// fits returns an error if a sparse matrix needs too much memory.
func (s *source) fits(rows, cols, entries int64, complex bool) error {
	each := float64(stagedBytes + resultBytes)
	if complex {
		each += 16
	}
	return s.opt.Fits(s.in.Name, s.bytes(), 8*float64(rows+1)+each*float64(entries), "a %d x %d matrix with %d entries", rows, cols, entries)
}

// fitsDense returns an error if a dense matrix needs too much memory.
func (s *source) fitsDense(rows, cols int64, complex bool) error {
	each := 8.0
	if complex {
		each = 16
	}
	return s.opt.Fits(s.in.Name, s.bytes(), each*float64(rows)*float64(cols), "a dense %d x %d matrix", rows, cols)
}

// bytes returns the size of the file, as far as it is known.
func (s *source) bytes() int64 {
	if s.in.At != nil {
		return s.in.Size
	}
	return max(s.at, s.size)
}

// content converts entries to content.
func (s *source) content(e *matrixmarket.Entries) (*matrixmarket.Content, error) {
	return e.Content(s.ctx, s.in.Name, s.bytes(), s.opt)
}

// dense converts a dense matrix, column by column, to content.
func (s *source) dense(rows, cols int64, values, imag []float64) *matrixmarket.Content {
	h := matrixmarket.Header{Format: matrixmarket.Array}
	if imag != nil {
		h.Field = matrixmarket.Complex
	}
	c := matrixmarket.NewContent(s.in.Name, s.bytes(), h, int(rows), int(cols), s.opt)
	c.SetDense(values, imag)
	return c
}

func (s *source) threads() int {
	if s.opt.Threads > 0 {
		return s.opt.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// random returns the file for reading in any order. It reads a pipe or a compressed file to its end, as far as it
// fits into memory.
func (s *source) random() (at io.ReaderAt, size int64, err error) {
	if s.in.At != nil {
		return s.in.At, s.in.Size, nil
	}
	var b bytes.Buffer
	for {
		n, err := io.CopyN(&b, s.r, pieceBytes)
		s.at += n
		if err == nil {
			err = s.ctx.Err()
		}
		if errors.Is(err, io.EOF) {
			return bytes.NewReader(b.Bytes()), int64(b.Len()), nil
		}
		if err != nil {
			return nil, 0, s.failed(err)
		}
		if err := s.opt.Fits(s.in.Name, s.at, 2*float64(s.at), "a file in memory"); err != nil {
			return nil, 0, err
		}
	}
}
