package csr

import "github.com/mpsolve/mpsolve/internal/parallel"

// PanelBytes is the matrix data that one panel of rows holds, about: small
// enough to spread evenly over threads, large enough to hide the call.
const PanelBytes = 256 << 10

// Panels splits the rows of m where the data reach multiples of PanelBytes, for
// parallel loops that do not depend on the number of threads; the result holds
// the first row of each panel and, last, the number of rows.
func Panels(m *Matrix) []int {
	bounds := []int{0}
	var bytes int64
	for i := range m.Rows {
		bytes += 8 + 12*(m.RowPtr[i+1]-m.RowPtr[i])
		if bytes >= PanelBytes || i+1 == m.Rows {
			bounds = append(bounds, i+1)
			bytes = 0
		}
	}
	return bounds
}

// eachPanel runs do for the rows lo to hi-1 of each panel, on the threads of
// pool (nil: serially).
func eachPanel(m *Matrix, pool *parallel.Pool, do func(panel, lo, hi int)) {
	bounds := Panels(m)
	pool.Run(len(bounds)-1, parallel.Func(func(k int) { do(k, bounds[k], bounds[k+1]) }))
}

// eachRow runs do for every row.
func eachRow(m *Matrix, pool *parallel.Pool, do func(i int)) {
	eachPanel(m, pool, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			do(i)
		}
	})
}
