//go:build !purego && (amd64 || arm64)

package kernels

import (
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels/simd"
)

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

// chunkMultiCall is struct chunk_multi_call of c/chunksmulti.c.
type chunkMultiCall struct {
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

func mulChunksMultiQuad(c *Chunks, p ChunkProduct) {
	call := chunkMultiCall{
		heads: &c.Heads[0], count: len(c.Heads), base: first(c.Base), index: first(c.Index),
		units: first(c.Units), unit: c.Unit, omega: p.Omega,
		dst: &p.Dst[0], x: first(p.X), b: first(p.B), v: first(p.V), epilogue: int(p.Epilogue),
	}
	if c.Floats != nil {
		call.values = unsafe.Pointer(first(c.Floats))
		simd.ChunksFloatMultiQuad(unsafe.Pointer(&call))
	} else {
		call.values = unsafe.Pointer(first(c.Ints))
		simd.ChunksIntMultiQuad(unsafe.Pointer(&call))
	}
}
