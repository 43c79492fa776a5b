package csr

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// At returns a_ij, 0 where nothing is stored. It panics if the indices are out
// of range, as gonum's matrices do. With Dims and T it makes a Matrix a
// gonum mat.Matrix; with NNZ and DoNonZero also what github.com/james-bowman/sparse
// calls a Sparser.
func (m *Matrix) At(i, j int) float64 {
	if uint(j) >= uint(m.Cols) {
		panic(mat.ErrColAccess)
	}
	if uint(i) >= uint(m.Rows) {
		panic(mat.ErrRowAccess)
	}
	v, _ := m.find(i, j)
	return v
}

// T returns the transpose as a view.
func (m *Matrix) T() mat.Matrix { return mat.Transpose{Matrix: m} }

// DoNonZero calls fn for every stored entry, row by row.
func (m *Matrix) DoNonZero(fn func(i, j int, v float64)) {
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			fn(i, int(j), vals[k])
		}
	}
}

// NonZeroMatrix is a matrix that can visit its nonzeros: gonum's band,
// triangular and diagonal matrices, and the CSR, CSC, COO, DOK and DIA types of
// github.com/james-bowman/sparse.
type NonZeroMatrix interface {
	Dims() (rows, cols int)
	DoNonZero(fn func(i, j int, v float64))
}

// FromNonZeros copies any matrix that can visit its nonzeros. Entries may come
// in any order; entries of the same position are added.
func FromNonZeros(src NonZeroMatrix) (*Matrix, error) {
	rows, cols := src.Dims()
	b, err := NewBuilder(rows, cols)
	if err != nil {
		return nil, err
	}
	src.DoNonZero(func(i, j int, v float64) {
		if err == nil {
			err = b.Add(i, j, v)
		}
	})
	if err != nil {
		return nil, err
	}
	return b.Build(), nil
}

// FromMat copies any gonum matrix, dropping zeros.
func FromMat(src mat.Matrix) (*Matrix, error) {
	if nz, ok := src.(NonZeroMatrix); ok {
		return FromNonZeros(nz)
	}
	rows, cols := src.Dims()
	b, err := NewBuilder(rows, cols)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		for j := range cols {
			if v := src.At(i, j); v != 0 {
				if err := b.Add(i, j, v); err != nil {
					return nil, fmt.Errorf("csr: %w", err)
				}
			}
		}
	}
	return b.Build(), nil
}
