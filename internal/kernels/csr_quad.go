//go:build !purego && (amd64 || arm64)

package kernels

import (
	"unsafe"

	"github.com/klauspost/cpuid/v2"

	"github.com/mpsolve/mpsolve/pkg/dd"
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
	dstLo    *float64 // of double-double products
	xLo      *float64
	valLo    *float64
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

// on says how a matrix of so many bytes is walked.
func (w csrWalk) on(c *csrCall, bytes int) {
	if bytes > w.near {
		c.ahead, c.parts = w.ahead, w.parts
	}
}

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
		w.on(&c, len(col)*(4+size))
		if size == 8 {
			csr64Quad(&c)
		} else {
			csr32Quad(&c)
		}
	}
}

// csrDDSIMD is CSRMulVecDD with four lanes.
func csrDDSIMD(w csrWalk) csrDDKernel {
	return func(dst dd.Vec, lo, hi int, rowPtr []int64, col []int32, v DDValues, x dd.Vec) {
		if rowPtr[lo] == rowPtr[hi] { // no element, perhaps no x
			clear(dst.Hi[lo:hi])
			clear(dst.Lo[lo:hi])
			return
		}
		c := csrCall{
			dst: &dst.Hi[lo], dstLo: &dst.Lo[lo], n: hi - lo, rowPtr: &rowPtr[lo], col: &col[0],
			val: unsafe.Pointer(&v.Val[0]), valLo: first(v.Low), x: &x.Hi[0], xLo: &x.Lo[0], elements: len(col), masks: &csrMasks,
		}
		w.on(&c, len(col)*12+len(v.Low)*8)
		switch {
		case v.Low != nil:
			csrDDLowQuad(&c)
		case v.Normal:
			csrDDNormalQuad(&c)
		default:
			csrDDQuad(&c)
		}
	}
}

// cooSIMD is COOAddVec with four lanes.
func cooSIMD(w csrWalk) cooKernel {
	return func(dst []float64, row, col []int32, val, x []float64) {
		cooQuad(dst, row, col, val, x, w.ahead)
	}
}
