//go:build !purego && (amd64 || arm64)

package kernels

import (
	"unsafe"

	"github.com/klauspost/cpuid/v2"
	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels/simd"
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

// csrMasks has masks that select the first lanes of four.
var csrMasks = [8]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}

// csrWalk is the order in which rows of a matrix are read from memory. It does not affect the products.
type csrWalk struct {
	ahead int // elements to prefetch ahead
	parts int // of the rows, which are read in turns: 1 or 2
	near  int // bytes up to which a matrix is in a cache and nothing is prefetched
}

// csrHere is the walk for this processor. A core of Intel's servers (Sapphire Rapids) reads two streams of memory
// faster than one. A core of AMD's (Zen 5) is slower with two, but has a longer latency of memory. Others have not
// been measured.
var csrHere = func() csrWalk {
	if cpuid.CPU.VendorID == cpuid.Intel {
		return csrWalk{ahead: 256, parts: 2, near: 2 << 20}
	}
	return csrWalk{ahead: 640, parts: 1, near: 16 << 20}
}()

// on sets the walk for a matrix of so many bytes.
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
			simd.Csr64Quad(unsafe.Pointer(&c))
		} else {
			simd.Csr32Quad(unsafe.Pointer(&c))
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
			simd.CsrDDLowQuad(unsafe.Pointer(&c))
		case v.Normal:
			simd.CsrDDNormalQuad(unsafe.Pointer(&c))
		default:
			simd.CsrDDQuad(unsafe.Pointer(&c))
		}
	}
}

// cooSIMD is COOAddVec with four lanes.
func cooSIMD(w csrWalk) cooKernel {
	return func(dst []float64, row, col []int32, val, x []float64) {
		simd.CooQuad(dst, row, col, val, x, w.ahead)
	}
}

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

// csrMultiSIMD makes a csrMultiKernel from the assembly for 2, 4 and 8 vectors.
func csrMultiSIMD[T Value](two, four, eight func(c unsafe.Pointer)) csrMultiKernel[T] {
	return func(dst []float64, k, lo, hi int, rowPtr []int64, col []int32, val []T, x []float64) {
		if rowPtr[lo] == rowPtr[hi] { // no element, perhaps no x
			clear(dst[k*lo : k*hi])
			return
		}
		c := csrMultiCall{
			dst: &dst[k*lo], n: hi - lo, rowPtr: &rowPtr[lo], col: &col[0], val: unsafe.Pointer(&val[0]), x: &x[0],
			elements: len(col),
		}
		[...]func(c unsafe.Pointer){two, four, eight}[vectorsIndex(k)](unsafe.Pointer(hide(&c)))
	}
}

// residualRows is the number of rows that the assembly processes at a time.
const residualRows = 8

// residualCall is struct residual_call of c/residual.c.
type residualCall struct {
	r, b   *float64
	rows   int
	rowPtr *int64
	col    *int32
	val, x *float64
}

// csrResidualDDQuad is CSRResidualDD with four lanes; the portable loop does the last rows.
func csrResidualDDQuad(r, b []float64, lo, hi int, rowPtr []int64, col []int32, val, x []float64) {
	rows := (hi - lo) / residualRows * residualRows
	if rows > 0 && len(x) > 0 && len(col) > 0 {
		simd.ResidualQuad(unsafe.Pointer(hide(&residualCall{&r[lo], &b[lo], rows, &rowPtr[lo], &col[0], &val[0], &x[0]})))
		lo += rows
	}
	csrResidualDD(r, b, lo, hi, rowPtr, col, val, x)
}

// sell8Call is struct sell8_call of c/sell8.c.
type sell8Call struct {
	dst, dstLo *float64
	rows       int
	start      *int64
	col        *int32
	val        *float64
	x, xLo     *float64
}

// sell8SIMD is SELL8MulVec by a kernel in C.
func sell8SIMD(kernel func(unsafe.Pointer)) sell8Kernel {
	return func(dst []float64, m SELL8, x []float64) {
		if len(dst) == 0 || len(x) == 0 {
			clear(dst)
			return
		}
		c := sell8Call{dst: &dst[0], rows: len(dst), start: &m.Start[0], col: first(m.Col), val: first(m.Val), x: &x[0]}
		kernel(unsafe.Pointer(hide(&c)))
	}
}

// sell8DDSIMD is SELL8MulVecDD by two kernels: for sums that are renormalised at the end, and at each addition.
func sell8DDSIMD(last, each func(unsafe.Pointer)) sell8DDKernel {
	return func(dst dd.Vec, m SELL8, x dd.Vec, normal bool) {
		if dst.Len() == 0 || x.Len() == 0 {
			clear(dst.Hi)
			clear(dst.Lo)
			return
		}
		c := sell8Call{
			dst: &dst.Hi[0], dstLo: &dst.Lo[0], rows: dst.Len(), start: &m.Start[0], col: first(m.Col), val: first(m.Val),
			x: &x.Hi[0], xLo: &x.Lo[0],
		}
		if normal {
			each(unsafe.Pointer(hide(&c)))
		} else {
			last(unsafe.Pointer(hide(&c)))
		}
	}
}

// bcrsCall is struct bcrs_call of c/bcrs.c.
type bcrsCall struct {
	dst, dstLo *float64
	rows       int
	start      *int64
	col        *int32
	val        *float64
	x, xLo     *float64
	end        *int64
	first      int
	last       int
}

func newBCRSCall(dst, x []float64, m BCRS) bcrsCall {
	return bcrsCall{dst: first(dst), rows: len(dst), start: first(m.Start), col: first(m.Col), val: first(m.Val), x: first(x)}
}

// of turns the call into a call for the transpose.
func (c *bcrsCall) of(p BCRSPart, rows int) {
	c.rows, c.start, c.end, c.first, c.last = rows, first(p.First), first(p.End), p.Lo, p.Hi
}

func bcrsMulVecQuad(dst []float64, m BCRS, x []float64) {
	c := newBCRSCall(dst, x, m)
	simd.BcrsQuad(unsafe.Pointer(&c))
}

func bcrsMulVecDDQuad(dst dd.Vec, m BCRS, x dd.Vec) {
	c := newBCRSCall(dst.Hi, x.Hi, m)
	c.dstLo, c.xLo = first(dst.Lo), first(x.Lo)
	simd.BcrsDDQuad(unsafe.Pointer(&c))
}

func bcrsMulVecTQuad(dst []float64, m BCRS, p BCRSPart, x []float64) {
	c := newBCRSCall(dst, x, m)
	c.of(p, len(x))
	simd.BcrsTQuad(unsafe.Pointer(&c))
}

func bcrsMulVecTDDQuad(dst dd.Vec, m BCRS, p BCRSPart, x dd.Vec) {
	c := newBCRSCall(dst.Hi, x.Hi, m)
	c.dstLo, c.xLo = first(dst.Lo), first(x.Lo)
	c.of(p, x.Len())
	simd.BcrsTDDQuad(unsafe.Pointer(&c))
}

// filledMultiCall is struct filled_multi_call of c/filledmulti.c.
type filledMultiCall struct {
	dst   *float64
	rows  int
	start *int64
	col   *int32
	val   *float64
	x     *float64
}

// filledMultiSIMD makes a filledMultiKernel from the assembly for 2, 4 and 8 vectors.
func filledMultiSIMD(two, four, eight func(c unsafe.Pointer)) filledMultiKernel {
	return func(dst []float64, k int, start []int64, col []int32, val, x []float64) {
		if len(dst) == 0 || len(x) == 0 {
			clear(dst)
			return
		}
		c := filledMultiCall{&dst[0], len(dst) / k, &start[0], first(col), first(val), &x[0]}
		[...]func(c unsafe.Pointer){two, four, eight}[vectorsIndex(k)](unsafe.Pointer(hide(&c)))
	}
}

// chunkCall is struct chunk_call of c/chunks.h.
type chunkCall struct {
	heads    *Chunk
	count    int
	base     *int32
	index    *byte
	values   unsafe.Pointer
	units    *float32
	unit     float32
	omega    float32
	dst      *float32
	x, b, v  *float32
	epilogue int
}

func newChunkCall(c *Chunks, p *ChunkProduct) chunkCall {
	return chunkCall{
		heads: &c.Heads[0], count: len(c.Heads), base: first(c.Base), index: first(c.Index),
		units: first(c.Units), unit: c.Unit, omega: p.Omega,
		dst: &p.Dst[0], x: first(p.X), b: first(p.B), v: first(p.V), epilogue: int(p.Epilogue),
	}
}

// chunksSIMD makes a chunksKernel from those for both types of values.
func chunksSIMD(ints, floats func(c unsafe.Pointer)) chunksKernel {
	return func(c *Chunks, p ChunkProduct) {
		call := newChunkCall(c, &p)
		if c.Floats != nil {
			call.values = unsafe.Pointer(first(c.Floats))
			floats(unsafe.Pointer(hide(&call)))
		} else {
			call.values = unsafe.Pointer(first(c.Ints))
			ints(unsafe.Pointer(hide(&call)))
		}
	}
}
