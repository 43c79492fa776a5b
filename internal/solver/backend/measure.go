package backend

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Measure evaluates the stopping criterion for x and r = b - A x, in float64. It steers the solve; package verify gives the verdict.
type Measure[V any, S linop.Scalar[S]] struct {
	At      Backend[V, S]
	Stop    solve.Stop
	Weights V       // row sums of |A| or, for StopCW, |A||x|
	NormA   float64 // infinity norm
	b       V
	normB   float64 // infinity norm; for StopRel the 2-norm is normB 2^expB
	expB    int
}

// StopWeighted is the measure max |r_i| / weights_i.
const StopWeighted solve.Stop = "weighted"

// NewMeasure returns the measure for a matrix with these row sums of |A|, the largest of which is normA.
func NewMeasure[V any, S linop.Scalar[S]](at Backend[V, S], stop solve.Stop, rowSums []float64, normA float64) *Measure[V, S] {
	k := &Measure[V, S]{At: at, Stop: stop, NormA: normA}
	if stop == solve.StopCW {
		k.Weights = at.New()
	} else {
		k.Weights = at.FromHost(rowSums)
	}
	return k
}

// Begin sets the right-hand side.
func (k *Measure[V, S]) Begin(b V) {
	k.b = b
	if k.Stop == solve.StopRel {
		k.normB, k.expB = k.At.Norm2(b)
	} else {
		k.normB = k.At.AbsMax(b)
	}
}

// Of returns the measure of x and r; NaN or Inf if x or r is not finite.
func (k *Measure[V, S]) Of(x, r V) float64 {
	switch k.Stop {
	case solve.StopNW:
		return Quotient(k.At.AbsMax(r), k.NormA, k.At.AbsMax(x), k.normB)
	case solve.StopRel:
		norm, e := k.At.Norm2(r)
		return csr.Ldexp(norm/k.normB, e-k.expB)
	case solve.StopCW:
		k.At.AbsApply(k.Weights, x)
		return k.At.RowError(r, k.Weights, 1, k.b)
	case StopWeighted:
		return 2 * k.At.RowError(r, k.Weights, 1, k.Weights) // |r_i| / (w_i + w_i)
	default:
		return k.At.RowError(r, k.Weights, k.At.AbsMax(x), k.b)
	}
}

// virtual are powers of a backend that measures scaled vectors without making them.
type virtual[V any] interface {
	// sumNorms returns max |x_i + 2^shift d_i z_i| and max |z_i|.
	sumNorms(x, z V, shift int) (sum, largest float64, ok bool)
	// rowError returns RowError of 2^shift D r for r.
	rowError(r V, shift int, t V, normX float64, b V) (e float64, ok bool)
}

// OfCorrection returns the measure of x + 2^e D_c z, whose residual is 2^e D_r^-1 rhs, and the maximum norms of this sum and of z.
// Where the backend or the criterion needs the sum and the residual as vectors, it makes them in sum and r, and the norms are NaN.
func (k *Measure[V, S]) OfCorrection(s *Scaling[V], x, z, rhs V, e int, sum, r V) (m, normX, normZ float64) {
	col, ok := s.Col.(virtual[V])
	if unscaled, also := s.Unscaled.(virtual[V]); ok && also && (k.Stop == solve.StopRow || k.Stop == StopWeighted) {
		if normX, normZ, ok = col.sumNorms(x, z, e); ok {
			if k.Stop == StopWeighted {
				m, ok = unscaled.rowError(rhs, e, k.Weights, 1, k.Weights)
				m *= 2
			} else {
				m, ok = unscaled.rowError(rhs, e, k.Weights, normX, k.b)
			}
			if ok {
				return m, normX, normZ
			}
		}
	}
	s.Col.AddLdexp(sum, x, z, e)
	s.Unscaled.Ldexp(r, rhs, 1, e)
	return k.Of(sum, r), math.NaN(), math.NaN()
}

// Quotient returns r / (t x + b), with 0/0 = 0. A denominator beyond the range of float64 does not make it zero.
func Quotient(r, t, x, b float64) float64 {
	if r == 0 {
		return 0
	}
	d := float64(t*x) + b
	if math.IsInf(d, 1) {
		return r / t / x
	}
	return r / d
}
