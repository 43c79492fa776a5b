package matrixmarket

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// File is an opened file, unpacked if it is compressed.
type File struct {
	Name   string
	Stream *bufio.Reader // from the beginning
	At     io.ReaderAt   // nil for pipes and compressed files
	Size   int64         // of At
}

// Reader reads files of another format. It makes the content by [Entries.Content] or [NewContent].
type Reader struct {
	Format string // its name
	Read   func(ctx context.Context, f *File, opt Options) (*Content, error)
}

// other returns the reader of the file if it is of another format.
func (in *input) other(opt Options) *Reader {
	if opt.Other == nil {
		return nil
	}
	head, _ := in.stream.Peek(in.stream.Size()) // the next read returns the error again
	return opt.Other(in.name, head)
}

// readOther reads a file of another format by its reader.
func (in *input) readOther(ctx context.Context, r *Reader, opt Options) (*Content, error) {
	if opt.Parts > 1 {
		return nil, fmt.Errorf("%s: its format is %s, which has no digits beyond float64", in.name, r.Format)
	}
	f := &File{Name: in.name, Stream: in.stream, At: in.file, Size: in.size}
	c, err := r.Read(ctx, f, opt)
	if err != nil {
		return nil, err
	}
	c.Form = r.Format
	in.progress.finish()
	return c, nil
}

// NewContent returns content without entries, of a file of that name with bytes bytes at least.
func NewContent(name string, bytes int64, h Header, rows, cols int, opt Options) *Content {
	return &Content{Header: h, Rows: rows, Cols: cols, limit: opt.budget(name, bytes)}
}

func (o Options) budget(name string, bytes int64) budget {
	return budget{file: name, max: o.MaxMemory, held: o.Held, installed: o.Installed, text: bytes}
}

// Fits returns an error that wraps ErrTooLarge if the content of a file of another format, which needs so many bytes of
// memory, exceeds the limits. The file has bytes bytes at least. what and args describe the content.
func (o Options) Fits(name string, bytes int64, need float64, what string, args ...any) error {
	return o.budget(name, bytes).check(need, what, args...)
}

// SetDense puts a dense matrix into the content, column by column; imag is nil unless it is complex.
func (c *Content) SetDense(values, imag []float64) {
	c.Format, c.Dense, c.Imag, c.Stored = Array, values, imag, int64(len(values))
	for k, v := range values {
		if notFinite(v) || imag != nil && notFinite(imag[k]) {
			if c.NonFinite++; c.NonFinite == 1 {
				c.NonFiniteLine = int64(k + 1)
			}
		}
	}
	if c.NonFinite > 0 {
		c.warn("%s not finite: nan or infinity, the first is element %d", plural(int(c.NonFinite), "value"), c.NonFiniteLine)
	}
}

// SetMatrix puts a matrix into the content, with imaginary parts unless they are nil. nonFinite is the number of values that
// are not finite.
func (c *Content) SetMatrix(m *csr.Matrix, imag []float64, nonFinite int64) {
	c.Matrix, c.Imag, c.Stored, c.NonFinite = m, imag, int64(m.NNZ()), nonFinite
	if nonFinite > 0 {
		c.warn("%s not finite: nan or infinity", plural(int(nonFinite), "value"))
	}
}

// otherFormat is an error: the file is not Matrix Market.
type otherFormat string

func (o otherFormat) Error() string { return "its format is " + string(o) }

func notFinite(v float64) bool { return v-v != 0 }
