package verify

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// maxExponent clamps the exponents by which rows and vectors are scaled, so
// that 2^e and 2^-e are normal numbers. What is left of larger or smaller
// magnitudes stays within 2^-74 and 2^24.
const maxExponent = 1000

// exponent returns the e with |v| in [2^(e-1), 2^e), clamped; 0 for zero, NaN
// and Inf.
func exponent(v float64) int { return min(max(csr.Exponent(v), -maxExponent), maxExponent) }

// split is math.Frexp, faster for normal numbers.
func split(v float64) (float64, int) {
	e := csr.Exponent(v)
	return csr.Ldexp(v, -e), e
}

// magnitudes returns the largest and the smallest finite magnitude that is not zero; zeros
// if there is none.
func magnitudes(x []float64) (least, most float64) {
	for _, v := range x {
		if v = math.Abs(v); v > 0 && v <= math.MaxFloat64 {
			most = max(most, v)
			if least == 0 || v < least {
				least = v
			}
		}
	}
	return least, most
}

// scaled is the number v 2^e, v >= 0.
type scaled struct {
	v float64
	e int
}

// at returns the number times 2^-e.
func (s scaled) at(e int) float64 { return csr.Ldexp(s.v, s.e-e) }

// exponent returns the binary exponent of the number; 0 for zero.
func (s scaled) exponent() int {
	if s.v == 0 {
		return 0
	}
	return s.e + csr.Exponent(s.v)
}

// max returns the larger number; NaN is larger than all.
func (s scaled) max(o scaled) scaled {
	if s.v == 0 || math.IsNaN(o.v) {
		return o
	}
	if math.IsNaN(s.v) || o.v == 0 {
		return s
	}
	es, eo := s.exponent(), o.exponent()
	if eo > es || eo == es && o.at(eo) > s.at(es) {
		return o
	}
	return s
}

// leastNonzero returns the smaller number that is not zero; zero if both are. NaN does not
// count.
func (s scaled) leastNonzero(o scaled) scaled {
	switch {
	case !(o.v > 0):
		return s
	case s.v == 0:
		return o
	}
	es, eo := s.exponent(), o.exponent()
	if eo < es || eo == es && o.at(eo) < s.at(es) {
		return o
	}
	return s
}

// plus returns the sum, rounded.
func (s scaled) plus(o scaled) scaled {
	e := s.max(o).exponent()
	return scaled{s.at(e) + o.at(e), e}
}

// times returns the product, rounded.
func (s scaled) times(o scaled) scaled {
	m, e := split(s.v)
	n, f := split(o.v)
	return scaled{m * n, s.e + e + o.e + f}
}

// over returns s/o with 0/0 = 0, and +Inf instead of NaN.
func (s scaled) over(o scaled) float64 {
	if s.v == 0 && o.v == 0 {
		return 0
	}
	m, e := split(s.v)
	n, f := split(o.v)
	q := csr.Ldexp(m/n, s.e+e-o.e-f)
	if math.IsNaN(q) {
		return math.Inf(1)
	}
	return q
}

// sumSquares is the sum of squares of scaled numbers, as sum 4^e.
type sumSquares struct {
	sum float64
	e   int
}

// add adds the square of a number, from its significand: squares of numbers as they are
// would vanish.
func (s *sumSquares) add(v scaled) {
	m, e := split(v.v)
	s.merge(sumSquares{float64(m * m), v.e + e})
}

func (s *sumSquares) merge(o sumSquares) {
	switch {
	case o.sum == 0:
	case s.sum == 0:
		*s = o
	case o.e > s.e:
		s.sum = csr.Ldexp(s.sum, 2*(s.e-o.e)) + o.sum
		s.e = o.e
	default:
		s.sum += csr.Ldexp(o.sum, 2*(o.e-s.e))
	}
}

// sqrt is the square root of the sum.
func (s sumSquares) sqrt() scaled { return scaled{math.Sqrt(s.sum), s.e} }
