package verify

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// system is A, x and b.
type system struct {
	m    *csr.Matrix
	x, b []float64

	ex   int     // exponent of the largest magnitude of x
	xmax float64 // that times 2^-ex
	tiny bool    // x has elements so small beside it that products with them may vanish

	plain bool // all elements of x are ordinary numbers

	rows  []plainRow // of rows of ordinary numbers, once measured, with T_i > 0; nil: they are not kept
	known *Known     // nil: nothing is kept

	own  [][2]int // from and to which rows there are, beside empty copies of rows of other ranks
	over *ranks   // that the system is spread over; nil: it is all here
}

// narrow is the spread within which neither the products of scaled numbers nor their
// rounding errors vanish.
const narrow = 0x1p-400

// newSystem is the system that is all here.
func newSystem(m *csr.Matrix, x, b []float64, pool *parallel.Pool) *system {
	s := &system{m: m, x: x, b: b, own: [][2]int{{0, m.Rows}}}
	s.scale(pool)
	return s
}

// scale finds out how large and how small x is.
func (s *system) scale(pool *parallel.Pool) {
	x := s.x
	parts := (len(x) + blockRows - 1) / blockRows
	ends := make([][2]float64, parts)
	pool.Each(parts, func(k int) {
		ends[k][0], ends[k][1] = magnitudes(x[k*blockRows : min((k+1)*blockRows, len(x))])
	})
	var least, most float64
	for _, e := range ends {
		most = max(most, e[1])
		if least == 0 || e[0] > 0 && e[0] < least {
			least = e[0]
		}
	}
	least, most = s.over.extremes(least, most)
	s.ex = exponent(most)
	s.xmax = dd.Ldexp(most, -s.ex)
	s.tiny = least != 0 && dd.Ldexp(least, -s.ex) < narrow
	s.plain = least == 0 || ordinary(least, most)
}

// row is the contribution of one equation.
type row struct {
	residual scaled // |r_i|
	absAx    scaled // (|A||x|)_i
	b        scaled // |b_i|
	t        scaled // T_i
	normAx   scaled // T_i ||x||_inf
}

// error returns |r_i| / (scale + |b_i|).
func (r *row) error(scale scaled) float64 { return r.residual.over(scale.plus(r.b)) }

// perT returns v / T_i; 0 if both are zero.
func (r *row) perT(v scaled) scaled {
	if v.v == 0 {
		return scaled{}
	}
	return scaled{v.v / r.t.v, v.e - r.t.e}
}

// unexplained returns |r_i| / T_i relative to f. It is 0 where rounding x to multiples of 2^-1074 may leave the residual.
func (r *row) unexplained(f scaled) float64 {
	missing := r.perT(r.residual)
	if missing.over(scaled{1, -1075}) <= 1 {
		return 0
	}
	return missing.over(f)
}

// row computes row i.
func (s *system) row(i int) row {
	cols, vals := s.m.Row(i)
	least, most := magnitudes(vals)
	ea := exponent(most)
	scale := math.Ldexp(1, -ea) // exact, ea is clamped
	var t float64
	for _, v := range vals {
		t += math.Abs(v * scale)
	}
	var ax dd.DD
	var product scaled
	if s.tiny || least < narrow*most {
		ax, product = s.spread(cols, vals)
	} else {
		var sum float64
		for k, j := range cols {
			a, x := vals[k]*scale, dd.Ldexp(s.x[j], -s.ex)
			ax = ax.AddProd(a, x)
			sum += math.Abs(a * x)
		}
		product = scaled{sum, ea + s.ex}
	}
	return row{
		residual: difference(s.b[i], ax, product.e), absAx: product, b: scaled{math.Abs(s.b[i]), 0},
		t: scaled{t, ea}, normAx: scaled{t * s.xmax, ea + s.ex},
	}
}

// difference returns |b - ax 2^down|, in units of the larger one: after cancellation that may be far
// below the terms of ax.
func difference(b float64, ax dd.DD, down int) scaled {
	r := signedDifference(b, ax, down)
	return scaled{math.Abs(r.v), r.e}
}

// signedDifference is difference with its sign.
func signedDifference(b float64, ax dd.DD, down int) scaled {
	e := scaled{math.Abs(ax.Hi), down}.max(scaled{math.Abs(b), 0}).exponent()
	down -= e
	r := dd.From(dd.Ldexp(b, -e)).Sub(dd.DD{Hi: dd.Ldexp(ax.Hi, down), Lo: dd.Ldexp(ax.Lo, down)})
	return scaled{r.Float(), e}
}

// spread is A x and |A||x| of a row, both times 2^-e with the e of the second, for numbers
// of any spread: products are formed from significands.
func (s *system) spread(cols []int32, vals []float64) (ax dd.DD, abs scaled) {
	e := math.MinInt
	for k, j := range cols {
		if p := vals[k]; p != 0 && s.x[j] != 0 {
			_, ea := math.Frexp(p)
			_, ex := math.Frexp(s.x[j])
			e = max(e, ea+ex)
		}
	}
	if e == math.MinInt {
		e = 0
	}
	var sum float64
	for k, j := range cols {
		a, ea := math.Frexp(vals[k])
		x, ex := math.Frexp(s.x[j])
		hi, lo := dd.TwoProd(a, x)
		down := ea + ex - e
		hi = dd.Ldexp(hi, down)
		ax = ax.Add(dd.DD{Hi: hi, Lo: dd.Ldexp(lo, down)})
		sum += math.Abs(hi)
	}
	return ax, scaled{sum, e}
}

// maxExponent clamps the exponents by which rows and vectors are scaled, so
// that 2^e and 2^-e are normal numbers. What is left of larger or smaller
// magnitudes stays within 2^-74 and 2^24.
const maxExponent = 1000

// exponent returns the e with |v| in [2^(e-1), 2^e), clamped; 0 for zero, NaN
// and Inf.
func exponent(v float64) int { return min(max(dd.Exponent(v), -maxExponent), maxExponent) }

// split is math.Frexp, faster for normal numbers.
func split(v float64) (float64, int) {
	e := dd.Exponent(v)
	return dd.Ldexp(v, -e), e
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
func (s scaled) at(e int) float64 { return dd.Ldexp(s.v, s.e-e) }

// exponent returns the binary exponent of the number; 0 for zero.
func (s scaled) exponent() int {
	if s.v == 0 {
		return 0
	}
	return s.e + dd.Exponent(s.v)
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
	q := dd.Ldexp(m/n, s.e+e-o.e-f)
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
		s.sum = dd.Ldexp(s.sum, 2*(s.e-o.e)) + o.sum
		s.e = o.e
	default:
		s.sum += dd.Ldexp(o.sum, 2*(o.e-s.e))
	}
}

// sqrt is the square root of the sum.
func (s sumSquares) sqrt() scaled { return scaled{math.Sqrt(s.sum), s.e} }
