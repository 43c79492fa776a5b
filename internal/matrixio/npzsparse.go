package matrixio

import (
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// sparse returns a function that reads the entries of a matrix in a format of SciPy; nil: none.
func (z *npz) sparse(format string) func(rows, cols int64) (*matrixmarket.Entries, error) {
	return map[string]func(rows, cols int64) (*matrixmarket.Entries, error){
		"csr": z.csr, "csc": z.csc, "coo": z.coo, "bsr": z.bsr, "dia": z.dia,
	}[format]
}

func (z *npz) csr(rows, cols int64) (*matrixmarket.Entries, error) {
	e := &matrixmarket.Entries{}
	var err error
	e.Row, e.Col, err = z.compressed(rows, cols)
	if err == nil {
		e.Val, e.Imag, err = z.values(int64(len(e.Col)))
	}
	return e, err
}

func (z *npz) csc(rows, cols int64) (*matrixmarket.Entries, error) {
	e, err := z.csr(cols, rows)
	if err != nil {
		return nil, err
	}
	e.Row, e.Col = e.Col, e.Row
	return e, nil
}

// compressed reads indptr and indices of so many rows or columns.
func (z *npz) compressed(lines, width int64) (line, at []int32, err error) {
	ptr, err := z.ints("indptr")
	if err != nil {
		return nil, nil, err
	}
	if int64(len(ptr)) != lines+1 {
		return nil, nil, z.faultAt(0, "indptr has %d elements, want %d", len(ptr), lines+1)
	}
	if at, err = z.below("indices", width); err != nil {
		return nil, nil, err
	}
	if err := z.lines(ptr, int64(len(at)), "indptr"); err != nil {
		return nil, nil, err
	}
	if err := z.fits(lines, width, int64(len(at)), false); err != nil {
		return nil, nil, err
	}
	return spread(ptr), at, nil
}

func (z *npz) coo(rows, cols int64) (*matrixmarket.Entries, error) {
	e := &matrixmarket.Entries{}
	var err error
	if e.Row, err = z.below("row", rows); err != nil {
		return nil, err
	}
	if e.Col, err = z.below("col", cols); err != nil {
		return nil, err
	}
	if len(e.Row) != len(e.Col) {
		return nil, z.faultAt(0, "row has %d elements, col has %d", len(e.Row), len(e.Col))
	}
	e.Val, e.Imag, err = z.values(int64(len(e.Row)))
	return e, err
}

// dataShape returns the shape of data.
func (z *npz) dataShape(dims int) ([]int64, error) {
	s, a, closing, err := z.open("data")
	if err != nil {
		return nil, err
	}
	defer closing()
	if len(a.shape) != dims {
		return nil, s.fault("data has %d dimensions, want %d", len(a.shape), dims)
	}
	for _, n := range a.shape {
		if n < 0 || n > csr.MaxDim {
			return nil, s.fault("data has %d elements in a dimension", n)
		}
	}
	return a.shape, nil
}

// bsr reads rows of blocks.
func (z *npz) bsr(rows, cols int64) (*matrixmarket.Entries, error) {
	shape, err := z.dataShape(3)
	if err != nil {
		return nil, err
	}
	blocks, r, c := shape[0], shape[1], shape[2]
	if r < 1 || c < 1 || rows%r != 0 || cols%c != 0 {
		return nil, z.faultAt(0, "blocks of %d x %d do not fill a %d x %d matrix", r, c, rows, cols)
	}
	line, at, err := z.compressed(rows/r, cols/c)
	if err != nil {
		return nil, err
	}
	if int64(len(at)) != blocks {
		return nil, z.faultAt(0, "data has %d blocks, indices %d", blocks, len(at))
	}
	if float64(blocks)*float64(r)*float64(c) > 1<<46 {
		return nil, z.faultAt(0, "%d blocks of %d x %d are too many", blocks, r, c)
	}
	if err := z.fits(rows, cols, blocks*r*c, false); err != nil {
		return nil, err
	}
	e := &matrixmarket.Entries{}
	if e.Val, e.Imag, err = z.values(blocks * r * c); err != nil {
		return nil, err
	}
	e.Row, e.Col = make([]int32, 0, len(e.Val)), make([]int32, 0, len(e.Val))
	for k := range at {
		for p := range r {
			for q := range c {
				e.Row, e.Col = append(e.Row, line[k]*int32(r)+int32(p)), append(e.Col, at[k]*int32(c)+int32(q))
			}
		}
	}
	return e, nil
}

// dia reads diagonals: data[k, j] is the element of column j on diagonal offsets[k], in row j - offsets[k].
func (z *npz) dia(rows, cols int64) (*matrixmarket.Entries, error) {
	offsets, err := z.ints("offsets")
	if err != nil {
		return nil, err
	}
	shape, err := z.dataShape(2)
	if err != nil {
		return nil, err
	}
	if shape[0] != int64(len(offsets)) {
		return nil, z.faultAt(0, "data has %d diagonals, offsets %d", shape[0], len(offsets))
	}
	if err := z.fits(rows, cols, shape[0]*shape[1], false); err != nil {
		return nil, err
	}
	v, imag, err := z.values(shape[0] * shape[1])
	if err != nil {
		return nil, err
	}
	e := &matrixmarket.Entries{Val: []float64{}}
	for k, offset := range offsets {
		for j := range min(shape[1], cols) {
			// Written so that no offset overflows.
			if offset > j || offset < j-rows+1 {
				continue
			}
			at := int64(k)*shape[1] + j
			e.Row, e.Col, e.Val = append(e.Row, int32(j-offset)), append(e.Col, int32(j)), append(e.Val, v[at])
			if imag != nil {
				e.Imag = append(e.Imag, imag[at])
			}
		}
	}
	if imag != nil && e.Imag == nil {
		e.Imag = []float64{}
	}
	return e, nil
}
