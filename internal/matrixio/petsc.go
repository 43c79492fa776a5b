package matrixio

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// PETSc writes matrices by MatView and vectors by VecView, big endian, with whole numbers of 32 bits, or of 64 bits
// in builds with 64-bit indices:
//
//	class 1211216, rows, columns, entries, entries of each row, columns, values
//	class 1211216, rows, columns, -1, values row by row (a dense matrix)
//	class 1211214, elements, values
//
// Nothing in the file says whether values are complex; the size of the file tells.
const (
	petscMatrix = 1211216
	petscVector = 1211214
)

// petscClass returns the class that the file begins with and the bytes of its whole numbers; 0 bytes: none.
func petscClass(head []byte) (class int64, size int) {
	for _, k := range []int{4, 8} {
		if len(head) < k {
			break
		}
		c := kind{'i', k}.integer(head, binary.BigEndian)
		if c == petscMatrix || c == petscVector {
			return c, k
		}
	}
	return 0, 0
}

func beginsPETSc(head []byte) bool {
	_, size := petscClass(head)
	return size > 0
}

func readPETSc(s *source) (*matrixmarket.Content, error) {
	h, err := s.petscHead()
	switch {
	case err != nil:
		return nil, err
	case !h.sparse:
		return s.petscArray(h.rows, h.cols)
	}
	if err := s.fits(h.rows, h.cols, h.entries, false); err != nil {
		return nil, err
	}
	ptr, err := s.petscRows(h.rows, h.entries, h.whole)
	if err != nil {
		return nil, err
	}
	e := &matrixmarket.Entries{Rows: int(h.rows), Cols: int(h.cols)}
	if e.Col, err = indices[int32](s, h.entries, h.whole, h.cols, "the columns"); err != nil {
		return nil, err
	}
	values, err := s.petscValues(h.entries)
	if err != nil {
		return nil, err
	}
	if e.Val, e.Imag, err = s.floats(h.entries, values, "the values"); err != nil {
		return nil, err
	}
	if e.Imag != nil {
		e.Field = matrixmarket.Complex
		if err := s.fits(h.rows, h.cols, h.entries, true); err != nil {
			return nil, err
		}
	}
	e.Row = spread(ptr)
	c, err := s.content(e)
	if err != nil {
		return nil, err
	}
	return c, s.rest(c)
}

// petscHead is what the first numbers of a file declare.
type petscHead struct {
	whole               kind
	sparse              bool
	rows, cols, entries int64 // a vector has one column; entries of a sparse matrix
}

// petscHead reads the first numbers, and checks those of a sparse matrix.
func (s *source) petscHead() (h petscHead, err error) {
	s.order = binary.BigEndian
	head, _ := s.in.Stream.Peek(8) // errors come again
	class, size := petscClass(head)
	h.whole = kind{'i', size}
	var numbers []int64
	switch {
	case size == 0:
		return h, s.fault("a PETSc file must begin with the number %d of a matrix or %d of a vector", petscMatrix, petscVector)
	case class == petscVector:
		if numbers, err = s.integers(2, h.whole, "the header of the vector"); err == nil {
			h.rows, h.cols = numbers[1], 1
		}
		return h, err
	}
	if numbers, err = s.integers(4, h.whole, "the header of the matrix"); err != nil {
		return h, err
	}
	h.rows, h.cols, h.entries = numbers[1], numbers[2], numbers[3]
	if h.sparse = h.entries != -1; !h.sparse {
		return h, nil
	}
	if err := s.dims(matrixmarket.Header{}, h.rows, h.cols); err != nil {
		return h, err
	}
	if h.entries < 0 {
		return h, s.fault("%d entries are declared", h.entries)
	}
	return h, nil
}

// petscRows reads the lengths of rows.
func (s *source) petscRows(rows, entries int64, whole kind) ([]int64, error) {
	lengths, err := s.integers(rows, whole, "the lengths of rows")
	if err != nil {
		return nil, err
	}
	ptr := make([]int64, rows+1)
	for i, n := range lengths {
		if n < 0 || n > entries-ptr[i] {
			return nil, s.faultAt(s.at-int64(whole.bytes)*(rows-int64(i)), "row %d has %d entries, of %d that are left", i+1, n, entries-ptr[i])
		}
		ptr[i+1] = ptr[i] + n
	}
	if ptr[rows] != entries {
		return nil, s.fault("the rows have %d entries together, %d are declared", ptr[rows], entries)
	}
	return ptr, nil
}

// petscValues determines whether the n values that follow are real or complex: where real ones would end, the file
// ends or another object begins.
func (s *source) petscValues(n int64) (kind, error) {
	real, complex := kind{'f', 8}, kind{'c', 16}
	if s.in.At == nil {
		return real, nil // the remaining bytes tell
	}
	switch {
	case n == 0, s.endsAt(s.at + 8*n):
		return real, nil
	case s.endsAt(s.at + 16*n):
		return complex, nil
	case s.size-s.at < 8*n:
		return real, s.holds(n, 8, "the values")
	}
	return real, s.faultAt(s.at+8*n, "neither real nor complex values end where the file does or something else begins")
}

// endsAt reports whether the file ends there, or another object begins.
func (s *source) endsAt(at int64) bool {
	var head [8]byte
	n, _ := s.in.At.ReadAt(head[:], at)
	return at == s.size || beginsPETSc(head[:n])
}

// rest warns of further objects in the file.
func (s *source) rest(c *matrixmarket.Content) error {
	head, err := s.in.Stream.Peek(8)
	if len(head) == 0 && errors.Is(err, io.EOF) {
		return nil
	}
	if len(head) == 0 {
		return s.failed(err)
	}
	class, _ := petscClass(head)
	switch class {
	case petscVector:
		c.Warnings = append(c.Warnings, "a vector that follows in the file is not read")
	case petscMatrix:
		c.Warnings = append(c.Warnings, "a matrix that follows in the file is not read")
	default:
		if s.in.At == nil {
			return s.fault("more follows than real values: whether they are complex is told only in plain files, not in pipes and compressed ones")
		}
		return s.fault("what follows is neither a matrix nor a vector")
	}
	return nil
}

// petscArray reads values row by row.
func (s *source) petscArray(rows, cols int64) (*matrixmarket.Content, error) {
	if err := s.dims(matrixmarket.Header{Format: matrixmarket.Array}, rows, cols); err != nil {
		return nil, err
	}
	if err := s.fitsDense(rows, cols, false); err != nil {
		return nil, err
	}
	values, err := s.petscValues(rows * cols)
	if err != nil {
		return nil, err
	}
	if err := s.fitsDense(rows, cols, values.letter == 'c'); err != nil {
		return nil, err
	}
	v, imag, err := s.floats(rows*cols, values, "the values")
	if err != nil {
		return nil, err
	}
	c := s.dense(rows, cols, byColumns(v, rows, cols), byColumns(imag, rows, cols))
	return c, s.rest(c)
}

// byColumns returns column by column what lies row by row.
func byColumns(v []float64, rows, cols int64) []float64 {
	if v == nil || rows <= 1 || cols <= 1 {
		return v
	}
	t := make([]float64, len(v))
	for i := range rows {
		for j := range cols {
			t[j*rows+i] = v[i*cols+j]
		}
	}
	return t
}

// writePETSc writes a matrix, or a vector if it has one column and is dense, with whole numbers of 32 bits.
func writePETSc(w io.Writer, c *matrixmarket.Content, _ WriteOptions) error {
	out := &numberWriter{w: bufio.NewWriterSize(w, pieceBytes), order: binary.BigEndian}
	m := c.Matrix
	switch {
	case m != nil:
		if err := below32(m); err != nil {
			return err
		}
		putAll(out, []int32{petscMatrix, int32(m.Rows), int32(m.Cols), int32(m.NNZ())})
		for i := range m.Rows {
			putAll(out, []int32{int32(m.RowPtr[i+1] - m.RowPtr[i])})
		}
		putAll(out, m.Col)
		out.complex(m.Val, c.Imag)
	case c.Cols == 1:
		putAll(out, []int32{petscVector, int32(c.Rows)})
		out.complex(c.Dense, c.Imag)
	default:
		putAll(out, []int32{petscMatrix, int32(c.Rows), int32(c.Cols), -1})
		rows := int64(c.Rows)
		out.complex(byColumns(c.Dense, int64(c.Cols), rows), byColumns(c.Imag, int64(c.Cols), rows))
	}
	return out.close()
}

// numberWriter writes numbers in a byte order, and keeps its first error.
type numberWriter struct {
	w     *bufio.Writer
	order binary.AppendByteOrder
	buf   []byte
	err   error
}

// putAll writes numbers.
func putAll[T int64 | int32 | float64](o *numberWriter, v []T) {
	const some = 4096
	for k := 0; k < len(v) && o.err == nil; k += some {
		o.buf = appendNumbers(o.buf[:0], o.order, v[k:min(k+some, len(v))])
		_, o.err = o.w.Write(o.buf)
	}
}

// complex writes values, each followed by its imaginary part if there is one.
func (o *numberWriter) complex(v, imag []float64) {
	if imag == nil {
		putAll(o, v)
		return
	}
	for k := range v {
		putAll(o, []float64{v[k], imag[k]})
	}
}

func (o *numberWriter) close() error {
	if o.err != nil {
		return o.err
	}
	return o.w.Flush()
}
