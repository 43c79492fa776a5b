package csr

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// MaxDim is the largest number of rows or columns that a Matrix can have.
const MaxDim = math.MaxInt32

// Matrix is a sparse matrix in compressed sparse row storage (see the package
// comment). The zero value is the 0-by-0 matrix.
type Matrix struct {
	Rows, Cols int
	RowPtr     []int64   // Rows+1 offsets into Col and Val, RowPtr[0] = 0
	Col        []int32   // column of each nonzero, strictly increasing in a row
	Val        []float64 // value of each nonzero
}

// Dims returns the number of rows and columns.
func (m *Matrix) Dims() (rows, cols int) { return m.Rows, m.Cols }

// NNZ returns the number of stored entries.
func (m *Matrix) NNZ() int { return len(m.Val) }

// Row returns the columns and values of row i; both slices alias the matrix.
func (m *Matrix) Row(i int) (cols []int32, vals []float64) {
	lo, hi := m.RowPtr[i], m.RowPtr[i+1]
	return m.Col[lo:hi:hi], m.Val[lo:hi:hi]
}

// find returns a_ij and whether it is stored: by bisection, then one by one, since
// most rows are short.
func (m *Matrix) find(i, j int) (v float64, found bool) {
	lo, hi, col := m.RowPtr[i], m.RowPtr[i+1], int32(j)
	for hi-lo > 8 {
		if mid := lo + (hi-lo)/2; m.Col[mid] <= col {
			lo = mid
		} else {
			hi = mid
		}
	}
	for ; lo < hi; lo++ {
		if c := m.Col[lo]; c >= col {
			if c == col {
				return m.Val[lo], true
			}
			break
		}
	}
	return 0, false
}

// Bytes returns the memory of the three arrays.
func (m *Matrix) Bytes() int64 { return Bytes(int64(m.Rows), int64(len(m.Val))) }

// Bytes returns the memory that a matrix of that many rows and nonzeros takes.
func Bytes(rows, nnz int64) int64 { return 8*(rows+1) + 12*nnz }

// Validate reports the first violation of the storage rules: lengths, offsets that
// decrease, columns that are out of range or not strictly increasing. It makes one
// pass over RowPtr and Col and does not look at values. Errors count rows from 1.
func (m *Matrix) Validate() error {
	if err := m.validateOffsets(); err != nil {
		return err
	}
	for i := range m.Rows {
		last := int32(-1)
		cols, _ := m.Row(i)
		for _, j := range cols {
			if j < 0 || int(j) >= m.Cols {
				return fmt.Errorf("csr: row %d: column index %d out of range [0, %d)", i+1, j, m.Cols)
			}
			if j <= last {
				return fmt.Errorf("csr: row %d: column index %d after %d, want increasing ones", i+1, j, last)
			}
			last = j
		}
	}
	return nil
}

// validateOffsets checks everything but the columns.
func (m *Matrix) validateOffsets() error {
	if err := validateDims(m.Rows, m.Cols); err != nil {
		return err
	}
	nnz := int64(len(m.Val))
	switch {
	case len(m.Col) != len(m.Val):
		return fmt.Errorf("csr: %d columns but %d values", len(m.Col), len(m.Val))
	case m.Rows == 0 && len(m.RowPtr) == 0 && nnz == 0:
		return nil
	case len(m.RowPtr) != m.Rows+1:
		return fmt.Errorf("csr: %d row offsets for %d rows, want one more than rows", len(m.RowPtr), m.Rows)
	case m.RowPtr[0] != 0 || m.RowPtr[m.Rows] != nnz:
		return fmt.Errorf("csr: row offsets run from %d to %d, want 0 to %d", m.RowPtr[0], m.RowPtr[m.Rows], nnz)
	}
	for i := range m.Rows {
		if lo, hi := m.RowPtr[i], m.RowPtr[i+1]; lo > hi || hi > nnz {
			return fmt.Errorf("csr: row %d: offsets run from %d to %d, of %d entries", i+1, lo, hi, nnz)
		}
	}
	return nil
}

func validateDims(rows, cols int) error {
	if rows < 0 || cols < 0 || rows > MaxDim || cols > MaxDim {
		return fmt.Errorf("csr: dimensions %d x %d out of range", rows, cols)
	}
	return nil
}

// Clone returns a deep copy.
func (m *Matrix) Clone() *Matrix {
	return &Matrix{
		Rows: m.Rows, Cols: m.Cols,
		RowPtr: append([]int64(nil), m.RowPtr...),
		Col:    append([]int32(nil), m.Col...),
		Val:    append([]float64(nil), m.Val...),
	}
}

// Transpose returns the transposed matrix, on the threads of pool (nil: serially).
func (m *Matrix) Transpose(pool *parallel.Pool) *Matrix {
	return m.TransposePart(0, m.Cols, func(i int) (from, to int64) { return m.RowPtr[i], m.RowPtr[i+1] }, pool)
}

// TransposePart returns the transpose of cols columns of m, from column first on, with the elements from to to-1 of row i, as part
// returns them, which are in these columns.
func (m *Matrix) TransposePart(first, cols int, part func(i int) (from, to int64), pool *parallel.Pool) *Matrix {
	t := &Matrix{Rows: cols, Cols: m.Rows, RowPtr: make([]int64, cols+1)}
	parts := transposeParts(m, pool.Threads())
	next := make([][]int64, len(parts)-1) // numbers of elements of each column in each part, then their places
	pool.RunRanges(parts, func(k, lo, hi int) {
		n := make([]int64, cols)
		for i := lo; i < hi; i++ {
			from, to := part(i)
			for _, j := range m.Col[from:to] {
				n[int(j)-first]++
			}
		}
		next[k] = n
	})
	at := int64(0)
	for j := range cols {
		for _, n := range next {
			n[j], at = at, at+n[j]
		}
		t.RowPtr[j+1] = at
	}
	t.Col, t.Val = make([]int32, at), make([]float64, at)
	pool.RunRanges(parts, func(k, lo, hi int) {
		next := next[k]
		for i := lo; i < hi; i++ {
			from, to := part(i)
			cols, vals := m.Col[from:to], m.Val[from:to]
			vals = vals[:len(cols)]
			for e, j := range cols {
				at := next[int(j)-first]
				next[int(j)-first]++
				t.Col[at], t.Val[at] = int32(i), vals[e]
			}
		}
	})
	return t
}

// transposeParts are ranges of rows, few since each part counts all columns, on which the result
// does not depend; none takes long.
func transposeParts(m *Matrix, threads int) []int {
	const long = 1 << 23 // nonzeros
	panels := Panels(m)
	parts := min(max(threads, m.NNZ()/long), len(panels)-1)
	bounds := make([]int, parts+1)
	for k := range bounds {
		bounds[k] = panels[k*(len(panels)-1)/max(parts, 1)]
	}
	return bounds
}
