package csr

import (
	"cmp"
	"fmt"
	"slices"
)

// Builder collects entries in any order and makes a Matrix of them.
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
	if rows < 0 || cols < 0 || rows > MaxDim || cols > MaxDim {
		return nil, fmt.Errorf("csr: dimensions %d x %d out of range", rows, cols)
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
// which they came.
func (b *Builder) Build() *Matrix {
	slices.SortStableFunc(b.entries, func(x, y entry) int {
		return cmp.Or(cmp.Compare(x.row, y.row), cmp.Compare(x.col, y.col))
	})
	m := &Matrix{Rows: b.rows, Cols: b.cols, RowPtr: make([]int64, b.rows+1)}
	last := entry{row: -1}
	for _, e := range b.entries {
		if e.row == last.row && e.col == last.col {
			m.Val[len(m.Val)-1] += e.val
			continue
		}
		m.Col, m.Val = append(m.Col, e.col), append(m.Val, e.val)
		m.RowPtr[e.row+1]++
		last = e
	}
	for i := range b.rows {
		m.RowPtr[i+1] += m.RowPtr[i]
	}
	return m
}
