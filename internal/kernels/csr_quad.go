//go:build !purego && (amd64 || arm64)

package kernels

import (
	"unsafe"

	"github.com/klauspost/cpuid/v2"
)

// csrCall is struct csr_call of c/csr.c.
type csrCall struct {
	dst      *float64
	n        int
	rowPtr   *int64
	col      *int32
	val      unsafe.Pointer
	x        *float64
	elements int
	ahead    int
	parts    int
	masks    *[8]uint64
}

// csrMasks selects the first lanes of four.
var csrMasks = [8]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}

// csrWalk is how the rows of a matrix that comes from memory are walked, which makes no
// difference to the products.
type csrWalk struct {
	ahead int // elements that are prefetched ahead
	parts int // of the rows that are walked in turns, 1 or 2
	near  int // bytes up to which a matrix is in a cache, and nothing is prefetched
}

// csrHere is the walk of this processor. A core of Intel's servers (Sapphire Rapids) reads two
// streams of memory at a higher rate than one; one of AMD's (Zen 5) is slower with two, but has a
// longer way to memory. Others have not been measured.
var csrHere = func() csrWalk {
	if cpuid.CPU.VendorID == cpuid.Intel {
		return csrWalk{ahead: 256, parts: 2, near: 2 << 20}
	}
	return csrWalk{ahead: 640, parts: 1, near: 16 << 20}
}()

// csrQuad is CSRMulVec with four lanes.
func csrQuad[T Value](w csrWalk) csrKernel[T] {
	return func(dst []float64, lo, hi int, rowPtr []int64, col []int32, val []T, x []float64) {
		if rowPtr[lo] == rowPtr[hi] { // no element, perhaps no x
			clear(dst[lo:hi])
			return
		}
		c := csrCall{
			dst: &dst[lo], n: hi - lo, rowPtr: &rowPtr[lo], col: &col[0], val: unsafe.Pointer(&val[0]), x: &x[0],
			elements: len(col), masks: &csrMasks,
		}
		size := int(unsafe.Sizeof(val[0]))
		if len(col)*(4+size) > w.near {
			c.ahead, c.parts = w.ahead, w.parts
		}
		if size == 8 {
			csr64Quad(&c)
		} else {
			csr32Quad(&c)
		}
	}
}

// cooSIMD is COOAddVec with four lanes.
func cooSIMD(w csrWalk) cooKernel {
	return func(dst []float64, row, col []int32, val, x []float64) {
		cooQuad(dst, row, col, val, x, w.ahead)
	}
}
