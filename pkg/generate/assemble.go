package generate

import (
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// A source knows the rows of a matrix one by one. Its methods are called from
// several goroutines at a time.
type source interface {
	count(row int) int                        // number of entries
	fill(row int, col []int32, val []float64) // exactly that many, columns increasing
}

// rowsPerPart is the number of rows that a thread takes at a time.
const rowsPerPart = 1024

// assemble makes the square matrix of a source: a pass that counts, then a
// pass that fills, both by ranges of rows.
func assemble(pool *parallel.Pool, n int, s source) *csr.Matrix {
	rowPtr := make([]int64, n+1)
	eachRow(pool, n, func(i int) { rowPtr[i+1] = int64(s.count(i)) })
	for i := range n {
		rowPtr[i+1] += rowPtr[i]
	}
	m := &csr.Matrix{
		Rows: n, Cols: n, RowPtr: rowPtr,
		Col: make([]int32, rowPtr[n]), Val: make([]float64, rowPtr[n]),
	}
	eachRow(pool, n, func(i int) {
		col, val := m.Row(i)
		s.fill(i, col, val)
	})
	return m
}

// eachRow calls f for all i in [0, n), in parallel.
func eachRow(pool *parallel.Pool, n int, f func(i int)) {
	pool.Run((n+rowsPerPart-1)/rowsPerPart, parallel.Func(func(part int) {
		for i := part * rowsPerPart; i < min(n, (part+1)*rowsPerPart); i++ {
			f(i)
		}
	}))
}
