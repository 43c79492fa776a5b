package csr

import "github.com/mpsolve/mpsolve/pkg/parallel"

// Transpose returns the transposed matrix, on the threads of pool (nil: serially).
func (m *Matrix) Transpose(pool *parallel.Pool) *Matrix {
	t := &Matrix{Rows: m.Cols, Cols: m.Rows, RowPtr: make([]int64, m.Cols+1), Col: make([]int32, m.NNZ()), Val: make([]float64, m.NNZ())}
	parts := transposeParts(m, pool.Threads())
	next := make([][]int64, len(parts)-1) // numbers of entries of each column in each part, then their places
	pool.RunRanges(parts, func(part, lo, hi int) {
		n := make([]int64, m.Cols)
		for _, j := range m.Col[m.RowPtr[lo]:m.RowPtr[hi]] {
			n[j]++
		}
		next[part] = n
	})
	at := int64(0)
	for j := range m.Cols {
		for _, n := range next {
			n[j], at = at, at+n[j]
		}
		t.RowPtr[j+1] = at
	}
	pool.RunRanges(parts, func(part, lo, hi int) {
		next := next[part]
		for i := lo; i < hi; i++ {
			cols, vals := m.Row(i)
			vals = vals[:len(cols)]
			for k, j := range cols {
				at := next[j]
				next[j]++
				t.Col[at], t.Val[at] = int32(i), vals[k]
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
