package matrixio

import (
	"bytes"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// matElement is the tag of an element, with the data of a small element, which are inside the tag.
type matElement struct {
	kind  uint32
	bytes int64
	small []byte // nil: the data follow
}

// matElement reads a tag.
func (s *source) matElement(what string) (e matElement, err error) {
	var tag [8]byte
	if err := s.full(tag[:], what); err != nil {
		return e, err
	}
	first := s.order.Uint32(tag[:])
	if n := first >> 16; n != 0 {
		if n > 4 {
			return e, s.faultAt(s.at-8, "%s: a small element has %d bytes", what, n)
		}
		return matElement{first & 0xffff, int64(n), bytes.Clone(tag[4 : 4+n])}, nil
	}
	return matElement{kind: first, bytes: int64(s.order.Uint32(tag[4:]))}, nil
}

// matData reads the tag of numbers. It returns their source, kind and count, and a function that skips the padding
// after them.
func (s *source) matData(what string) (t *source, k kind, n int64, finish func() error, err error) {
	e, err := s.matElement(what)
	if err != nil {
		return nil, k, 0, nil, err
	}
	k, ok := matKinds[e.kind]
	if !ok || e.bytes%int64(k.bytes) != 0 {
		return nil, k, 0, nil, s.fault("%s: %d bytes of type %d are no numbers", what, e.bytes, e.kind)
	}
	n = e.bytes / int64(k.bytes)
	if e.small != nil {
		return s.within(what, bytes.NewReader(e.small), e.bytes), k, n, func() error { return nil }, nil
	}
	return s, k, n, func() error { return s.skip(-e.bytes&7, what) }, nil
}

// matIntegers reads at most so many whole numbers.
func (s *source) matIntegers(most int64, what string) ([]int64, error) {
	t, k, n, finish, err := s.matData(what)
	if err != nil {
		return nil, err
	}
	if n > most || !k.whole() {
		return nil, s.fault("%s: %d numbers, want at most %d whole ones", what, n, most)
	}
	v, err := t.integers(n, k, what)
	if err != nil {
		return nil, err
	}
	return v, finish()
}

// matFloats reads at least n real numbers and returns the first n.
func (s *source) matFloats(n int64, what string) ([]float64, bool, error) {
	t, k, have, finish, err := s.matData(what)
	if err != nil {
		return nil, false, err
	}
	if have < n {
		return nil, false, s.fault("%s: %d numbers, want %d", what, have, n)
	}
	v, _, err := t.floats(have, k, what)
	if err != nil {
		return nil, false, err
	}
	return v[:n], k.whole(), finish()
}

// matParts reads n values, and their imaginary parts if there are any.
func (s *source) matParts(n int64, v *matVariable) (values, imag []float64, err error) {
	if values, _, err = s.matFloats(n, "the values of "+v.name); err != nil || !v.complex {
		return values, nil, err
	}
	imag, _, err = s.matFloats(n, "the imaginary parts of "+v.name)
	return values, imag, err
}

// matContent reads the elements of a matrix.
func (s *source) matContent(v *matVariable) (*matrixmarket.Content, error) {
	rows, cols := v.dims[0], v.dims[1]
	h := matrixmarket.Header{Format: matrixmarket.Array}
	if v.class == matSparse {
		h.Format = matrixmarket.Coordinate
	}
	if v.complex {
		h.Field = matrixmarket.Complex
	}
	if err := s.dims(h, rows, cols); err != nil {
		return nil, err
	}
	if v.class == matSparse {
		return s.matSparse(h, v, rows, cols)
	}
	if err := s.fitsDense(rows, cols, v.complex); err != nil {
		return nil, err
	}
	values, imag, err := s.matParts(rows*cols, v)
	if err != nil {
		return nil, err
	}
	return s.dense(rows, cols, values, imag), nil
}

// matSparse reads row indices, the starts of columns, and values.
func (s *source) matSparse(h matrixmarket.Header, v *matVariable, rows, cols int64) (*matrixmarket.Content, error) {
	t, k, n, finish, err := s.matData("the rows of " + v.name)
	if err != nil {
		return nil, err
	}
	if !k.whole() {
		return nil, s.fault("the rows of %s are no whole numbers", v.name)
	}
	if err := s.fits(rows, cols, n, v.complex); err != nil {
		return nil, err
	}
	e := &matrixmarket.Entries{Header: h, Rows: int(rows), Cols: int(cols)}
	if e.Row, err = t.places(n, k, "the rows of "+v.name); err == nil {
		err = finish()
	}
	if err != nil {
		return nil, err
	}
	ptr, err := s.matIntegers(cols+1, "the columns of "+v.name)
	if err != nil {
		return nil, err
	}
	if int64(len(ptr)) != cols+1 {
		return nil, s.fault("%d columns of %s begin somewhere, want %d", len(ptr)-1, v.name, cols)
	}
	entries := ptr[cols]
	if entries < 0 || entries > n {
		return nil, s.fault("%s has %d entries, but %d rows", v.name, entries, n)
	}
	if err := s.lines(ptr, entries, "the columns of "+v.name); err != nil {
		return nil, err
	}
	e.Row, e.Col = e.Row[:entries], spread(ptr)
	if e.Val, e.Imag, err = s.matParts(entries, v); err != nil {
		return nil, err
	}
	return s.content(e)
}
