package solve

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// measure evaluates the stopping criterion for x and r = b - A x, in float64.
// It steers the solve; the verdict is package verify's.
type measure struct {
	stop    Stop
	m       *csr.Matrix
	rowSums []float64
	normA   float64
	b       []float64
	normB   float64 // infinity norm; for StopRel the 2-norm is normB 2^expB
	expB    int
	absAx   []float64
	loop    loop
}

func newMeasure(m *csr.Matrix, stop Stop, pool *linop.Pool) *measure {
	k := &measure{stop: stop, m: m, rowSums: m.RowSums(pool), loop: newLoop(m.Rows, pool)}
	k.normA = kernels.AbsMax(k.rowSums)
	if stop == StopCW {
		k.absAx = make([]float64, m.Rows)
	}
	return k
}

// begin sets the right-hand side.
func (k *measure) begin(b []float64) {
	k.b = b
	k.normB = k.loop.absMax(b)
	if k.stop == StopRel {
		k.normB, k.expB = k.loop.norm2(b)
	}
}

// of returns the measure of x and r; NaN or Inf if either is not finite.
func (k *measure) of(x, r []float64) float64 {
	normX := k.loop.absMax(x)
	switch k.stop {
	case StopNW:
		return quotient(k.loop.absMax(r), k.normA, normX, k.normB)
	case StopRel:
		norm, e := k.loop.norm2(r)
		return csr.Ldexp(norm/k.normB, e-k.expB)
	case StopCW:
		k.absMulVec(x)
		return k.loop.largest(func(i int) float64 { return quotient(math.Abs(r[i]), k.absAx[i], 1, math.Abs(k.b[i])) })
	default:
		return k.loop.largest(func(i int) float64 { return quotient(math.Abs(r[i]), k.rowSums[i], normX, math.Abs(k.b[i])) })
	}
}

// quotient returns r / (t x + b) with 0/0 = 0; a denominator beyond float64
// does not make it zero.
func quotient(r, t, x, b float64) float64 {
	if r == 0 {
		return 0
	}
	d := float64(t*x) + b
	if math.IsInf(d, 1) {
		return r / t / x
	}
	return r / d
}

// absMulVec computes |A||x|.
func (k *measure) absMulVec(x []float64) {
	k.loop.each(func(i int) {
		cols, vals := k.m.Row(i)
		var s float64
		for p, j := range cols {
			s += math.Abs(vals[p] * x[j])
		}
		k.absAx[i] = s
	})
}

// pick returns the error that a stopping criterion bounds.
func (s Stop) pick(e verify.Errors) float64 {
	switch s {
	case StopNW:
		return e.Normwise
	case StopCW:
		return e.Componentwise
	case StopRel:
		return e.RelativeResidual
	default:
		return e.Row
	}
}
