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
}

func newMeasure(m *csr.Matrix, stop Stop, pool *linop.Pool) *measure {
	k := &measure{stop: stop, m: m, rowSums: m.RowSums(pool)}
	k.normA = kernels.AbsMax(k.rowSums)
	if stop == StopCW {
		k.absAx = make([]float64, m.Rows)
	}
	return k
}

// begin sets the right-hand side.
func (k *measure) begin(b []float64) {
	k.b = b
	k.normB = kernels.AbsMax(b)
	if k.stop == StopRel {
		k.normB, k.expB = norm2(b)
	}
}

// of returns the measure of x and r; NaN or Inf if either is not finite.
func (k *measure) of(x, r []float64) float64 {
	normX := kernels.AbsMax(x)
	switch k.stop {
	case StopNW:
		return quotient(kernels.AbsMax(r), k.normA, normX, k.normB)
	case StopRel:
		norm, e := norm2(r)
		return csr.Ldexp(norm/k.normB, e-k.expB)
	case StopCW:
		k.absMulVec(x)
		return rowwise(r, func(i int) float64 { return quotient(math.Abs(r[i]), k.absAx[i], 1, math.Abs(k.b[i])) })
	default:
		return rowwise(r, func(i int) float64 { return quotient(math.Abs(r[i]), k.rowSums[i], normX, math.Abs(k.b[i])) })
	}
}

// rowwise is the largest of the values, NaN if any is.
func rowwise(r []float64, value func(i int) float64) float64 {
	worst := 0.0
	for i := range r {
		worst = max(worst, value(i))
	}
	return worst
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

// norm2 returns the 2-norm of x as norm 2^e, which may be beyond float64.
func norm2(x []float64) (norm float64, e int) {
	largest := kernels.AbsMax(x)
	if largest == 0 || largest-largest != 0 {
		return largest, 0
	}
	e = csr.Exponent(largest)
	var s float64
	for _, v := range x {
		v = csr.Ldexp(v, -e)
		s += float64(v * v)
	}
	return math.Sqrt(s), e
}

// absMulVec computes |A||x|.
func (k *measure) absMulVec(x []float64) {
	for i := range k.absAx {
		cols, vals := k.m.Row(i)
		var s float64
		for p, j := range cols {
			s += math.Abs(vals[p] * x[j])
		}
		k.absAx[i] = s
	}
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
