package csr

import (
	"fmt"
	"slices"
)

// Builder collects entries in any order into a Matrix.
type Builder struct {
	rows, cols int
	entries    []entry
}

type entry struct {
	row, col int32
	val      float64
}

// NewBuilder returns a builder of a rows x cols matrix.
func NewBuilder(rows, cols int) (*Builder, error) {
	if err := validateDims(rows, cols); err != nil {
		return nil, err
	}
	return &Builder{rows: rows, cols: cols}, nil
}

// Add adds v to entry (i, j), counted from 0.
func (b *Builder) Add(i, j int, v float64) error {
	if uint(i) >= uint(b.rows) || uint(j) >= uint(b.cols) {
		return fmt.Errorf("csr: entry (%d, %d) outside a %d x %d matrix", i, j, b.rows, b.cols)
	}
	b.entries = append(b.entries, entry{int32(i), int32(j), v})
	return nil
}

// Build returns the matrix; entries of one position are added in the order in
// which they came. More entries may be added for another matrix.
func (b *Builder) Build() *Matrix {
	m := &Matrix{
		Rows: b.rows, Cols: b.cols, RowPtr: make([]int64, b.rows+1),
		Col: make([]int32, len(b.entries)), Val: make([]float64, len(b.entries)),
	}
	for _, e := range b.entries {
		m.RowPtr[e.row+1]++
	}
	for i := range b.rows {
		m.RowPtr[i+1] += m.RowPtr[i]
	}
	next := slices.Clone(m.RowPtr)
	for _, e := range b.entries {
		at := next[e.row]
		m.Col[at], m.Val[at] = e.col, e.val
		next[e.row]++
	}
	m.sortRows()
	return m
}

// New returns the rows x cols matrix whose row i has the columns
// indices[indptr[i]:indptr[i+1]], counted from 0, and the values of the same places
// in data: the three arrays of compressed sparse row storage in SciPy, PETSc and
// other libraries. The columns of a row may come in any order; entries of the same
// position are added in the order in which they come. The arrays are copied.
//
// It is an error if the offsets do not begin at 0, decrease or do not end at
// len(indices) = len(data), or if a column is out of range. Errors count rows from 1.
func New[I int | int32 | int64](rows, cols int, indptr, indices []I, data []float64) (*Matrix, error) {
	m := &Matrix{Rows: rows, Cols: cols, RowPtr: make([]int64, len(indptr)), Col: make([]int32, len(indices)), Val: slices.Clone(data)}
	for i, p := range indptr {
		m.RowPtr[i] = int64(p)
	}
	if err := m.validateOffsets(); err != nil {
		return nil, err
	}
	for k, j := range indices {
		if j < 0 || j >= I(cols) {
			return nil, fmt.Errorf("csr: row %d: column index %d out of range [0, %d)", m.rowOf(k)+1, j, cols)
		}
		m.Col[k] = int32(j)
	}
	m.sortRows()
	return m, nil
}

// rowOf returns the row of entry k.
func (m *Matrix) rowOf(k int) int {
	i, _ := slices.BinarySearch(m.RowPtr, int64(k)+1) // the first offset beyond k
	return i - 1
}

// sortRows brings the columns of each row into increasing order and adds entries of
// the same position in the order in which they are stored.
func (m *Matrix) sortRows() {
	var order rowOrder
	var vals []float64 // of a row, as they were
	start, end := int64(0), int64(0)
	for i := range m.Rows {
		from := start
		start = m.RowPtr[i+1]
		cols, row := m.Col[from:start], m.Val[from:start]
		if increasing(cols) {
			if end != from {
				copy(m.Col[end:], cols)
				copy(m.Val[end:], row)
			}
			end += int64(len(cols))
			m.RowPtr[i+1] = end
			continue
		}
		vals = append(vals[:0], row...)
		last := int32(-1)
		for _, o := range order.of(cols) {
			j, v := int32(o>>32), vals[uint32(o)]
			if j == last {
				m.Val[end-1] += v
				continue
			}
			m.Col[end], m.Val[end] = j, v
			last = j
			end++
		}
		m.RowPtr[i+1] = end
	}
	m.Col, m.Val = m.Col[:end], m.Val[:end]
}

// increasing reports whether the columns of a row are strictly increasing.
func increasing(cols []int32) bool {
	last := int32(-1)
	for _, j := range cols {
		if j <= last {
			return false
		}
		last = j
	}
	return true
}

// rowOrder is the columns of a row in increasing order, each in the upper half of a
// word whose lower half is its place in the row; equal columns stay in order.
type rowOrder []uint64

// of returns the order of the columns of a row, in the memory of the last one.
func (o *rowOrder) of(cols []int32) rowOrder {
	*o = (*o)[:0]
	for at, j := range cols {
		*o = append(*o, uint64(j)<<32|uint64(at))
	}
	slices.Sort(*o)
	return *o
}
