package precond

import (
	"errors"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// fields are the rows of a saddle point in two fields, such as velocities and pressures,
//
//	( A   G )
//	( B  -C ),
//
// with signs such that A has a positive diagonal and B D^-1 G too, D being the diagonal of A.
type fields struct {
	order csr.Permutation // the rows of A, and then the others
	first int             // rows of A
	signs [2]float64      // of the rows of either field

	a, g  *csr.Matrix
	lower *csr.Matrix // (B -C)
	d     vector      // the diagonal of A
	e     vector      // and of B D^-1 G
}

var errOneField = errors.New("the diagonal does not tell two fields apart: its entries have one sign, or are zero")

// fields divides the matrix: the first field has the rows whose diagonal entries have the sign that is more frequent.
func (s *setup) fields() (*fields, error) {
	d := s.m.Diagonal(s.pool)
	positive, negative := 0, 0
	for _, v := range d {
		if v > 0 {
			positive++
		} else if v < 0 {
			negative++
		}
	}
	f := &fields{first: max(positive, negative), signs: [2]float64{1, 1}}
	if f.first == 0 || f.first == len(d) {
		return nil, errOneField
	}
	if negative > positive {
		f.signs = [2]float64{-1, -1}
	}
	if err := s.checkMemory(2*s.m.Bytes() + 24*int64(len(d))); err != nil {
		return nil, err
	}
	f.order = make(csr.Permutation, len(d))
	next, other := 0, f.first
	for i, v := range d {
		at := &other
		if v*f.signs[0] > 0 {
			at = &next
		}
		f.order[*at] = int32(i)
		*at++
	}
	k := s.m.Permuted(f.order, f.order.Inverse(), s.pool)
	if f.signs[0] < 0 {
		k.Negate(s.pool)
	}
	f.cut(k)
	f.d = f.a.Diagonal(s.pool)
	sum := 0.0
	f.e = f.localProduct(f.g.Transpose(s.pool))
	for _, v := range f.e {
		sum += v
	}
	if sum < 0 {
		f.lower.Negate(s.pool)
		f.signs[1] = -f.signs[1]
		for i := range f.e {
			f.e[i] = -f.e[i]
		}
	}
	return f, nil
}

// cut sets the blocks of a matrix whose rows are in the order of the fields.
func (f *fields) cut(k *csr.Matrix) {
	top, left := k.RowPtr[f.first], int64(0)
	ends := make([]int64, f.first) // of the rows of A
	for i := range ends {
		cols, _ := k.Row(i)
		n := f.left(cols)
		ends[i] = k.RowPtr[i] + int64(n)
		left += int64(n)
	}
	f.a = newMatrix(f.first, f.first, left)
	f.g = newMatrix(f.first, k.Rows-f.first, top-left)
	for i, end := range ends {
		lo, hi := k.RowPtr[i], k.RowPtr[i+1]
		f.a.Col, f.a.Val = append(f.a.Col, k.Col[lo:end]...), append(f.a.Val, k.Val[lo:end]...)
		f.a.RowPtr[i+1] = int64(len(f.a.Col))
		for _, j := range k.Col[end:hi] {
			f.g.Col = append(f.g.Col, j-int32(f.first))
		}
		f.g.Val = append(f.g.Val, k.Val[end:hi]...)
		f.g.RowPtr[i+1] = int64(len(f.g.Col))
	}
	f.lower = newMatrix(k.Rows-f.first, k.Cols, int64(k.NNZ())-top)
	f.lower.Col, f.lower.Val = append(f.lower.Col, k.Col[top:]...), append(f.lower.Val, k.Val[top:]...)
	for i := range f.lower.RowPtr {
		f.lower.RowPtr[i] = k.RowPtr[f.first+i] - top
	}
}

// newMatrix returns a matrix without entries, with room for some.
func newMatrix(rows, cols int, room int64) *csr.Matrix {
	return &csr.Matrix{Rows: rows, Cols: cols, RowPtr: make([]int64, rows+1), Col: make([]int32, 0, room), Val: make([]float64, 0, room)}
}

// left returns the number of columns of a row that belong to the first field.
func (f *fields) left(cols []int32) int {
	n, _ := slices.BinarySearch(cols, int32(f.first))
	return n
}

// localProduct returns the diagonal of B D^-1 G for the transpose of G.
func (f *fields) localProduct(transpose *csr.Matrix) vector {
	e := make(vector, transpose.Rows)
	for i := range e {
		cols, vals := f.lower.Row(i)
		others, values := transpose.Row(i)
		for k, j := range cols[:f.left(cols)] {
			for len(others) > 0 && others[0] < j {
				others, values = others[1:], values[1:]
			}
			if len(others) > 0 && others[0] == j {
				e[i] += float64(vals[k] * values[0] / f.d[j])
			}
		}
	}
	return e
}

// bytes is the memory of the blocks.
func (f *fields) bytes() int64 {
	return f.a.Bytes() + f.g.Bytes() + f.lower.Bytes() + 12*int64(len(f.order))
}

// dropBlocks lets go of the blocks.
func (f *fields) dropBlocks() { f.a, f.g, f.lower, f.d, f.e = nil, nil, nil, nil, nil }
