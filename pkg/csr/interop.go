package csr

import (
	"fmt"
	"slices"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// At returns a_ij, 0 where nothing is stored. It panics if the indices are out
// of range, as gonum's matrices do. With Dims and T it makes a Matrix a
// gonum mat.Matrix; with NNZ and DoNonZero also a Sparser of
// github.com/james-bowman/sparse.
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

// NonZeroMatrix is a matrix that can visit its nonzeros: gonum's band, triangular
// and diagonal matrices, and the matrices of github.com/james-bowman/sparse.
type NonZeroMatrix interface {
	Dims() (rows, cols int)
	DoNonZero(fn func(i, j int, v float64))
}

// FromSparse copies a matrix that can visit its nonzeros: the CSR and CSC types of
// github.com/james-bowman/sparse by their arrays (see [New]), any other one entry by
// entry. Entries may come in any order; entries of the same position are added.
func FromSparse(src NonZeroMatrix) (*Matrix, error) {
	switch s := src.(type) {
	case *sparse.CSR:
		raw := s.RawMatrix()
		return New(raw.I, raw.J, raw.Indptr, raw.Ind, raw.Data)
	case *sparse.CSC: // the arrays are those of the transposed matrix in CSR
		raw := s.RawMatrix()
		t, err := New(raw.I, raw.J, raw.Indptr, raw.Ind, raw.Data)
		if err != nil {
			return nil, fmt.Errorf("transposed: %w", err)
		}
		return t.Transpose(nil), nil
	}
	return fromNonZeros(src)
}

// fromNonZeros copies a matrix entry by entry.
func fromNonZeros(src NonZeroMatrix) (*Matrix, error) {
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

// FromMat copies any gonum matrix: its nonzeros as [FromSparse] does if it can visit
// them, otherwise its elements without zeros.
func FromMat(src mat.Matrix) (*Matrix, error) {
	if nz, ok := src.(NonZeroMatrix); ok {
		return FromSparse(nz)
	}
	return fromNonZeros(elements{src})
}

// elements visits the nonzeros among all elements of a matrix.
type elements struct{ mat.Matrix }

func (e elements) DoNonZero(fn func(i, j int, v float64)) {
	rows, cols := e.Dims()
	for i := range rows {
		for j := range cols {
			if v := e.At(i, j); v != 0 {
				fn(i, j, v)
			}
		}
	}
}

// ToSparse returns a copy as the CSR type of github.com/james-bowman/sparse.
func (m *Matrix) ToSparse() *sparse.CSR {
	indptr, indices := make([]int, m.Rows+1), make([]int, len(m.Col))
	for i, p := range m.RowPtr {
		indptr[i] = int(p)
	}
	for k, j := range m.Col {
		indices[k] = int(j)
	}
	return sparse.NewCSR(m.Rows, m.Cols, indptr, indices, slices.Clone(m.Val))
}
