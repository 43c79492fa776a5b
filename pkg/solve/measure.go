package solve

import (
	"math"

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

// newMeasure returns one for A with these row sums of |A|, the largest of which is normA.
func newMeasure[V any, S linop.Scalar[S]](at place[V, S], stop Stop, rowSums []float64, normA float64) *measure[V, S] {
	k := &measure[V, S]{at: at, stop: stop, normA: normA}
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

// virtual are powers of a place that measures scaled vectors without making them.
type virtual[V any] interface {
	// sumNorms returns max |x_i + 2^shift d_i z_i| and max |z_i|.
	sumNorms(x, z V, shift int) (sum, largest float64, ok bool)
	// rowError returns RowError of 2^shift D r for r.
	rowError(r V, shift int, t V, normX float64, b V) (e float64, ok bool)
}

// ofCorrection returns the measure of x + 2^e D_c z, whose residual is 2^e D_r^-1 rhs, with
// the maximum norms of that sum and of z. Where the place or the criterion needs the two
// vectors, it makes them in sum and r, and the norms are NaN.
func (k *measure[V, S]) ofCorrection(s *scaling[V], x, z, rhs V, e int, sum, r V) (m, normX, normZ float64) {
	col, ok := s.col.(virtual[V])
	if unscaled, also := s.unscaled.(virtual[V]); ok && also && (k.stop == StopRow || k.stop == stopWeighted) {
		if normX, normZ, ok = col.sumNorms(x, z, e); ok {
			if k.stop == stopWeighted {
				m, ok = unscaled.rowError(rhs, e, k.weights, 1, k.weights)
				m *= 2
			} else {
				m, ok = unscaled.rowError(rhs, e, k.weights, normX, k.b)
			}
			if ok {
				return m, normX, normZ
			}
		}
	}
	s.col.addLdexp(sum, x, z, e)
	s.unscaled.ldexp(r, rhs, 1, e)
	return k.of(sum, r), math.NaN(), math.NaN()
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

// Of returns the error that the criterion bounds.
func (s Stop) Of(e verify.Errors) float64 { return s.pick(e) }

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
