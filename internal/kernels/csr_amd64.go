//go:build !purego

package kernels

var csrSIMD = pick(map[Tier]func(dst []float64, lo, hi int, rowPtr []int64, col []int32, val, x []float64){AVX512: csrMulVecAVX512})

func csrMulVecAVX512(dst []float64, lo, hi int, rowPtr []int64, col []int32, val, x []float64) {
	if rowPtr[lo] == rowPtr[hi] { // no element, perhaps no x
		clear(dst[lo:hi])
		return
	}
	csrAVX512(&dst[lo], hi-lo, &rowPtr[lo], &col[0], &val[0], &x[0])
}

// csrAVX512 is CSRMulVec for n rows.
//
//go:noescape
func csrAVX512(dst *float64, n int, rowPtr *int64, col *int32, val, x *float64)
