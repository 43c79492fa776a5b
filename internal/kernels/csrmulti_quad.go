//go:build !purego && (amd64 || arm64)

package kernels

import "unsafe"

// csrMultiCall is struct csr_multi_call of c/csrmulti.c.
type csrMultiCall struct {
	dst      *float64
	n        int
	rowPtr   *int64
	col      *int32
	val      unsafe.Pointer
	x        *float64
	elements int
}

// csrMultiSIMD makes a csrMultiKernel of the assembly for 2, 4 and 8 vectors.
func csrMultiSIMD[T Value](two, four, eight func(c *csrMultiCall)) csrMultiKernel[T] {
	return func(dst []float64, k, lo, hi int, rowPtr []int64, col []int32, val []T, x []float64) {
		if rowPtr[lo] == rowPtr[hi] { // no element, perhaps no x
			clear(dst[k*lo : k*hi])
			return
		}
		c := csrMultiCall{
			dst: &dst[k*lo], n: hi - lo, rowPtr: &rowPtr[lo], col: &col[0], val: unsafe.Pointer(&val[0]), x: &x[0],
			elements: len(col),
		}
		[...]func(c *csrMultiCall){two, four, eight}[vectorsIndex(k)](hide(&c))
	}
}
