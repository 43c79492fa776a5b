//go:build !purego

package kernels

func addRowsSIMD(dst []float64, row int, rowPtr []uint32, col []int32, values []float64, start int, x []float64) (last int, ok bool) {
	if active < AVX512 || len(values) == 0 {
		return 0, false
	}
	col = col[start : start+len(values)]
	multiplyAVX512(&values[0], &col[0], len(values), &x[0])
	return addRowsAVX512(&dst[0], row, &rowPtr[0], len(rowPtr)-1, &values[0], start, len(values)), true
}

// multiplyAVX512 multiplies values[k] with x[col[k]] for k < n.
//
//go:noescape
func multiplyAVX512(values *float64, col *int32, n int, x *float64)

// addRowsAVX512 is AddRows for n > 0 products instead of values.
//
//go:noescape
func addRowsAVX512(dst *float64, row int, rowPtr *uint32, rows int, products *float64, start, n int) int
