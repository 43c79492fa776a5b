//go:build !purego && (amd64 || arm64)

package kernels

// residualRows is the number of rows that the assembly takes at a time.
const residualRows = 8

// residualCall is struct residual_call of c/residual.c.
type residualCall struct {
	r, b   *float64
	rows   int
	rowPtr *int64
	col    *int32
	val, x *float64
}

// csrResidualDDQuad is CSRResidualDD with four lanes; the last rows are left to the portable loop.
func csrResidualDDQuad(r, b []float64, lo, hi int, rowPtr []int64, col []int32, val, x []float64) {
	rows := (hi - lo) / residualRows * residualRows
	if rows > 0 && len(x) > 0 && len(col) > 0 {
		residualQuad(hide(&residualCall{&r[lo], &b[lo], rows, &rowPtr[lo], &col[0], &val[0], &x[0]}))
		lo += rows
	}
	csrResidualDD(r, b, lo, hi, rowPtr, col, val, x)
}
