package matrixmarket

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Options control how a file is read. The zero value is ready to use.
type Options struct {
	// Threads is the number of goroutines that parse and assemble;
	// 0 stands for GOMAXPROCS. The result does not depend on it.
	Threads int

	// MaxMemory limits the bytes of the result and the staged entries together.
	// It is checked before anything is allocated; a file that needs more is
	// refused with ErrTooLarge. 0 means no such limit: then only files whose
	// result is out of proportion to their text are refused (more than 1 GiB
	// and more than 1000 times the text).
	MaxMemory int64

	// Held is the memory in bytes that counts against MaxMemory as well, such as the program itself.
	Held int64

	// Installed is the memory that can be had in bytes, beyond which a file is
	// refused in any case; 0: not known.
	Installed int64

	// Check, if not nil, is called with the banner and the size line, before anything is
	// allocated for what follows. An error ends the read and is returned.
	Check func(h Header, rows, cols int) error

	// KeepZeros keeps entries that are zero in a coordinate matrix. By default
	// they are dropped, along with sums of duplicates that come to zero.
	KeepZeros bool

	// Progress is called with the number of bytes of the file that have been
	// read, compressed ones if it is compressed, and their total (-1: unknown).
	// It is called by one goroutine at a time with increasing values, and not
	// after the read returned.
	Progress func(done, total int64)

	// Parts is how many float64 hold a value, at most [MaxParts]; 0 and 1: its nearest float64 alone. More keep digits of the
	// text that a float64 does not, in Content.Lower. Complex files and the ranks of a job have one part.
	Parts int

	// Other, if not nil, is asked what reads a file that begins like this, unpacked; nil: it is Matrix Market. See package
	// matrixio.
	Other func(name string, head []byte) *Reader

	// RealForm, if not nil, makes a real matrix of a complex one, with two rows for each, on rank 0. ReadDistributed returns this matrix then,
	// while Content tells of the complex one, and ReadColumnsDistributed takes complex columns.
	RealForm func(m *csr.Matrix, imag []float64) (*csr.Matrix, error)

	// Map, if not nil, says whether a plain file of so many rows is mapped into memory whose arrays are as memory has them (.mpx), which saves a copy.
	// Such memory is never given back,
	// the file must stay as it is while the matrix is in use (see Content.Intact), and a process that reads what has been cut off it ends.
	// ReadDistributed maps no matrix of several domains, whose columns change.
	Map func(rows int64) bool

	pieceSize int // bytes of text to a piece; 0: defaultPiece. For tests
}

// Content is the content of a file.
type Content struct {
	Header
	Rows, Cols int
	Stored     int64  // entries in the file
	Form       string // the format of the file; "": Matrix Market

	// Matrix is a coordinate matrix: symmetry expanded, columns of a row
	// increasing, duplicates summed; its real part if it is complex. It is
	// nil for arrays and vectors.
	Matrix *csr.Matrix

	// Dense is an array or a vector, Rows x Cols, column by column, symmetry
	// expanded; the real part if complex. It is nil for coordinate matrices.
	Dense []float64

	// Imag holds imaginary parts, beside Matrix.Val or beside Dense. It is
	// nil unless the field is complex.
	Imag []float64

	// Lower is what a value has beyond its nearest float64, where Options.Parts asks for it: a value is its sum over this
	// Content and Lower, to 53 bits for each part asked for (2^-1075 at least), so that 0.1 has two parts to 106 bits.
	// A part is sparse if it belongs to a sparse matrix, and left out if it is zero. What sums of
	// duplicates lose to rounding is in it too, whatever the number of parts: they are exact.
	Lower []*Content

	// RHS, if not nil, are right-hand sides that the file holds beside the matrix, dense, Rows x their number (Harwell-Boeing).
	RHS *Content

	Counts

	// Warnings describe, a line each, deviations from the format and changes
	// of values.
	Warnings []string

	// Intact, if not nil, tells whether the file, which is mapped, is still what was read: an error if it has been written to.
	Intact func() error

	columns []int64 // the columns of the file that those of Matrix are, of Entries.Wide; nil: themselves
	limit   budget
}

// Counts are numbers of entries of a file.
type Counts struct {
	Duplicates    int64 // entries that were added to another one with the same indices
	Zeros         int64 // explicit zeros of a coordinate file
	NonFinite     int64 // values that are not a finite float64: nan, inf and overflow
	NonFiniteLine int64 // the line of the first of these values
}

func (c *Content) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}

// CSR returns the content as a real sparse matrix: Matrix itself if there is
// one, else the nonzeros of Dense. It is an error if the field is complex.
func (c *Content) CSR() (*csr.Matrix, error) {
	if c.Field == Complex {
		return nil, fmt.Errorf("a complex %v cannot be used as a real one", c.Object)
	}
	if c.Matrix != nil {
		return c.Matrix, nil
	}
	return csr.FromSparse(denseContent{c})
}

// realForm makes a real matrix of a complex one, whose entries take at most four times as much.
func (c *Content) realForm(form func(m *csr.Matrix, imag []float64) (*csr.Matrix, error)) (*csr.Matrix, error) {
	m, imag := c.Matrix, c.Imag
	if m == nil {
		m, imag = c.sparse()
	}
	need := float64(csr.Bytes(2*int64(m.Rows), 4*int64(m.NNZ())))
	if err := c.limit.check(need, "the real form of a complex %d x %d matrix", m.Rows, m.Cols); err != nil {
		return nil, err
	}
	return form(m, imag)
}

// sparse returns the nonzeros of a complex array.
func (c *Content) sparse() (m *csr.Matrix, imag []float64) {
	m = &csr.Matrix{Rows: c.Rows, Cols: c.Cols, RowPtr: make([]int64, c.Rows+1)}
	for i := range c.Rows {
		for j := range c.Cols {
			if k := j*c.Rows + i; c.Dense[k] != 0 || c.Imag[k] != 0 {
				m.Col, m.Val, imag = append(m.Col, int32(j)), append(m.Val, c.Dense[k]), append(imag, c.Imag[k])
			}
		}
		m.RowPtr[i+1] = int64(len(m.Val))
	}
	return m, imag
}

// ComplexColumns returns the real parts of Columns, and the imaginary parts; nil unless the field is complex.
func (c *Content) ComplexColumns() (re, im [][]float64, err error) {
	part := *c
	if c.Imag == nil {
		re, err = c.Columns()
		return re, nil, err
	}
	part.Field, part.Imag = Real, nil
	if re, err = part.Columns(); err != nil {
		return nil, nil, err
	}
	if part.Dense = c.Imag; c.Matrix != nil {
		m := *c.Matrix
		m.Val = c.Imag
		part.Matrix = &m
	}
	im, err = part.Columns()
	return re, im, err
}

// ColumnParts returns, for each column, this column of the content and of each part in Lower, as Columns returns them. The
// file holds their sum.
func (c *Content) ColumnParts() ([][][]float64, error) {
	columns := make([][][]float64, c.Cols)
	for _, part := range append([]*Content{c}, c.Lower...) {
		values, err := part.Columns()
		if err != nil {
			return nil, err
		}
		for j := range columns {
			columns[j] = append(columns[j], values[j])
		}
	}
	return columns, nil
}

// denseContent visits the nonzeros of Dense, column by column.
type denseContent struct{ *Content }

func (c denseContent) Dims() (rows, cols int) { return c.Rows, c.Cols }

func (c denseContent) DoNonZero(fn func(i, j int, v float64)) {
	for k, v := range c.Dense {
		if v != 0 {
			fn(k%c.Rows, k/c.Rows, v)
		}
	}
}

// Columns returns the content as Cols dense columns of length Rows, for example
// right-hand sides. It is an error if the field is complex or
// (ErrTooLarge) if a sparse matrix would need too much memory.
func (c *Content) Columns() ([][]float64, error) {
	if c.Field == Complex {
		return nil, fmt.Errorf("a complex %v cannot be used as a real one", c.Object)
	}
	need := float64(c.Cols)*24 + 8*float64(c.Rows)*float64(c.Cols)
	if err := c.limit.check(need, "%d dense columns of length %d", c.Cols, c.Rows); err != nil {
		return nil, err
	}
	dense := c.Dense
	if c.Matrix != nil {
		dense = make([]float64, c.Rows*c.Cols)
		for i := range c.Rows {
			cols, vals := c.Matrix.Row(i)
			for k, j := range cols {
				dense[int(j)*c.Rows+i] = vals[k]
			}
		}
	}
	columns := make([][]float64, c.Cols)
	for j := range columns {
		columns[j] = dense[j*c.Rows : (j+1)*c.Rows : (j+1)*c.Rows]
	}
	return columns, nil
}

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
	Share  func(ctx context.Context, f *File, opt Options) (*Shared, error) // of a plain file; returns nil where ranks cannot share it. nil: never
}

// Shared is a plain file of another format, real, of which each rank of a job reads some rows.
type Shared struct {
	Header
	Rows, Cols int
	Entries    int64    // of a sparse matrix
	Warnings   []string // about the file as a whole

	// Lengths passes the numbers of entries of rows from to to-1 of a sparse matrix to take, in their order, some at a time. They may be
	// any numbers.
	Lengths func(ctx context.Context, from, to int64, take func(lengths []int64)) error

	// Read returns rows from to to-1, and checks them like Reader.Read. first is the number of entries of the rows before them. The options
	// of Reader.Share limit the memory. A matrix of more than csr.MaxDim columns is made of Entries.Wide.
	Read func(ctx context.Context, from, to, first int64) (*Content, error)
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
		return nil, &Error{File: in.name, Msg: "its format is " + r.Format + ", which has no digits beyond float64"}
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
	c.tellNonFinite(c.NonFinite, c.NonFiniteLine)
}

// tellNonFinite notes and warns of values that are not finite, of which the first is that element or entry (0: not known).
func (c *Content) tellNonFinite(count, first int64) {
	if c.NonFinite, c.NonFiniteLine = count, first; count == 0 {
		return
	}
	number := plural(int(count), "value")
	switch {
	case first == 0:
		c.warn("%s not finite: nan or infinity", number)
	case c.Format == Array:
		c.warn("%s not finite: nan or infinity, the first is element %d", number, first)
	default:
		c.warn("%s not finite: nan, infinity or overflow, the first on entry %d", number, first)
	}
}

// SetMatrix puts a matrix into the content, with imaginary parts unless they are nil. nonFinite is the number of values that
// are not finite.
func (c *Content) SetMatrix(m *csr.Matrix, imag []float64, nonFinite int64) {
	c.Matrix, c.Imag, c.Stored = m, imag, int64(m.NNZ())
	c.tellNonFinite(nonFinite, 0)
}

func notFinite(v float64) bool { return v-v != 0 }
