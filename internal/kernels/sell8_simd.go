//go:build !purego && (amd64 || arm64)

package kernels

import "github.com/mpsolve/mpsolve/pkg/dd"

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
func sell8SIMD(kernel func(*sell8Call)) sell8Kernel {
	return func(dst []float64, m SELL8, x []float64) {
		if len(dst) == 0 || len(x) == 0 {
			clear(dst)
			return
		}
		kernel(hide(&sell8Call{dst: &dst[0], rows: len(dst), start: &m.Start[0], col: first(m.Col), val: first(m.Val), x: &x[0]}))
	}
}

// sell8DDSIMD is SELL8MulVecDD by two kernels: for sums that are normalised at the end, and at each addition.
func sell8DDSIMD(last, each func(*sell8Call)) sell8DDKernel {
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
			each(hide(&c))
		} else {
			last(hide(&c))
		}
	}
}
