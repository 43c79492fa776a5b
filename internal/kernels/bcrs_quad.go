//go:build !purego && (amd64 || arm64)

package kernels

import "github.com/mpsolve/mpsolve/pkg/dd"

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

// of makes the call one of the transpose.
func (c *bcrsCall) of(p BCRSPart, rows int) {
	c.rows, c.start, c.end, c.first, c.last = rows, first(p.First), first(p.End), p.Lo, p.Hi
}

func bcrsMulVecQuad(dst []float64, m BCRS, x []float64) {
	c := newBCRSCall(dst, x, m)
	bcrsQuad(&c)
}

func bcrsMulVecDDQuad(dst dd.Vec, m BCRS, x dd.Vec) {
	c := newBCRSCall(dst.Hi, x.Hi, m)
	c.dstLo, c.xLo = first(dst.Lo), first(x.Lo)
	bcrsDDQuad(&c)
}

func bcrsMulVecTQuad(dst []float64, m BCRS, p BCRSPart, x []float64) {
	c := newBCRSCall(dst, x, m)
	c.of(p, len(x))
	bcrsTQuad(&c)
}

func bcrsMulVecTDDQuad(dst dd.Vec, m BCRS, p BCRSPart, x dd.Vec) {
	c := newBCRSCall(dst.Hi, x.Hi, m)
	c.dstLo, c.xLo = first(dst.Lo), first(x.Lo)
	c.of(p, x.Len())
	bcrsTDDQuad(&c)
}
