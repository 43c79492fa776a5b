package solve

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// measure evaluates the stopping criterion for x and r = b - A x, in float64. It steers the
// solve; the verdict is package verify's.
type measure[V any, S linop.Scalar[S]] struct {
	at      place[V, S]
	stop    Stop
	weights V       // row sums of |A| or, for StopCW, |A||x|
	normA   float64 // infinity norm
	b       V
	normB   float64 // infinity norm; for StopRel the 2-norm is normB 2^expB
	expB    int
}

// stopWeighted is the measure max |r_i| / weights_i.
const stopWeighted Stop = "weighted"

// newMeasure returns one for A with these row sums of |A|.
func newMeasure[V any, S linop.Scalar[S]](at place[V, S], stop Stop, rowSums []float64) *measure[V, S] {
	k := &measure[V, S]{at: at, stop: stop, normA: slices.Max(rowSums)}
	if stop == StopCW {
		k.weights = at.New()
	} else {
		k.weights = at.upload(rowSums)
	}
	return k
}

// begin sets the right-hand side.
func (k *measure[V, S]) begin(b V) {
	k.b = b
	if k.stop == StopRel {
		k.normB, k.expB = k.at.Norm2(b)
	} else {
		k.normB = k.at.AbsMax(b)
	}
}

// of returns the measure of x and r; NaN or Inf if either is not finite.
func (k *measure[V, S]) of(x, r V) float64 {
	switch k.stop {
	case StopNW:
		return quotient(k.at.AbsMax(r), k.normA, k.at.AbsMax(x), k.normB)
	case StopRel:
		norm, e := k.at.Norm2(r)
		return csr.Ldexp(norm/k.normB, e-k.expB)
	case StopCW:
		k.at.absApply(k.weights, x)
		return k.at.RowError(r, k.weights, 1, k.b)
	case stopWeighted:
		return 2 * k.at.RowError(r, k.weights, 1, k.weights) // |r_i| / (w_i + w_i)
	default:
		return k.at.RowError(r, k.weights, k.at.AbsMax(x), k.b)
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
