package csr

import (
	"slices"
	"sort"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// panelBytes is about the matrix data in one panel of rows: small enough to spread
// evenly over threads, large enough to hide the cost of a call.
const panelBytes = 256 << 10

// Panels splits the rows of m where the data reach multiples of 256 KiB, for
// parallel loops whose results do not depend on the number of threads. It returns
// the first row of each panel and, last, the number of rows.
func Panels(m *Matrix) []int { return PanelsOf(m, 0, m.Rows) }

// PanelsOf splits the rows from to to-1 of m as Panels splits a matrix that has no other rows.
func PanelsOf(m *Matrix, from, to int) []int {
	bounds := []int{from}
	for lo := from; lo < to; {
		most := min(to-lo, panelBytes/8) // rows, if they have offsets alone
		lo += 1 + sort.Search(most-1, func(k int) bool {
			return 8*int64(k+1)+12*(m.RowPtr[lo+k+1]-m.RowPtr[lo]) >= panelBytes
		})
		bounds = append(bounds, lo)
	}
	return bounds
}

// eachRow runs do for every row.
func eachRow(m *Matrix, pool *parallel.Pool, do func(i int)) {
	pool.RunRanges(Panels(m), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			do(i)
		}
	})
}

// anyRow runs do for every row and reports whether it was true for any.
func anyRow(m *Matrix, pool *parallel.Pool, do func(i int) bool) bool {
	return anyPanel(m, pool, func(lo, hi int) (yes bool) {
		for i := lo; i < hi; i++ {
			yes = do(i) || yes
		}
		return yes
	})
}

// anyPanel runs do for the rows of every panel and reports whether it was true for any.
func anyPanel(m *Matrix, pool *parallel.Pool, do func(lo, hi int) bool) bool {
	bounds := Panels(m)
	found := make([]bool, len(bounds)-1)
	pool.RunRanges(bounds, func(panel, lo, hi int) { found[panel] = do(lo, hi) })
	return slices.Contains(found, true)
}
