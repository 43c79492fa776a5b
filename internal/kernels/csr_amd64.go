//go:build !purego

package kernels

func init() {
	csr64.from(AVX2, csrSIMD(csr64AVX2))
	csr64.from(AVX512, csrSIMD(csr64AVX512))
	csr32.from(AVX2, csrSIMD(csr32AVX2))
	csr32.from(AVX512, csrSIMD(csr32AVX512))
}

// csrSIMD makes a csrKernel of the assembly for n > 0 rows with elements.
func csrSIMD[T Value](kernel func(dst *float64, n int, rowPtr *int64, col *int32, val *T, x *float64)) csrKernel[T] {
	return func(dst []float64, lo, hi int, rowPtr []int64, col []int32, val []T, x []float64) {
		if rowPtr[lo] == rowPtr[hi] { // no element, perhaps no x
			clear(dst[lo:hi])
			return
		}
		kernel(&dst[lo], hi-lo, &rowPtr[lo], &col[0], &val[0], &x[0])
	}
}

//go:noescape
func csr64AVX512(dst *float64, n int, rowPtr *int64, col *int32, val, x *float64)

//go:noescape
func csr64AVX2(dst *float64, n int, rowPtr *int64, col *int32, val, x *float64)

//go:noescape
func csr32AVX512(dst *float64, n int, rowPtr *int64, col *int32, val *float32, x *float64)

//go:noescape
func csr32AVX2(dst *float64, n int, rowPtr *int64, col *int32, val *float32, x *float64)
