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
