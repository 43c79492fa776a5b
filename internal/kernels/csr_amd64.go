//go:build !purego

package kernels

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

// longRows is loads where rows have 16 elements or more on average, else gathers. Both have
// the same bits.
func longRows[T Value](loads, gathers csrKernel[T]) csrKernel[T] {
	return func(dst []float64, lo, hi int, rowPtr []int64, col []int32, val []T, x []float64) {
		kernel := gathers
		if rowPtr[hi]-rowPtr[lo] >= 16*int64(hi-lo) {
			kernel = loads
		}
		kernel(dst, lo, hi, rowPtr, col, val, x)
	}
}

//go:noescape
func csr64AVX512(dst *float64, n int, rowPtr *int64, col *int32, val, x *float64)

// csr64LoadsAVX512 and csr32LoadsAVX512 have the bits of csr64AVX512 and csr32AVX512.

//go:noescape
func csr64LoadsAVX512(dst *float64, n int, rowPtr *int64, col *int32, val, x *float64)

//go:noescape
func csr32LoadsAVX512(dst *float64, n int, rowPtr *int64, col *int32, val *float32, x *float64)

//go:noescape
func csr64AVX2(dst *float64, n int, rowPtr *int64, col *int32, val, x *float64)

//go:noescape
func csr32AVX512(dst *float64, n int, rowPtr *int64, col *int32, val *float32, x *float64)

//go:noescape
func csr32AVX2(dst *float64, n int, rowPtr *int64, col *int32, val *float32, x *float64)
