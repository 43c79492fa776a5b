package csr

import "github.com/mpsolve/mpsolve/internal/parallel"

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
