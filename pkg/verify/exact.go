package verify

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// beyond is the |A||x| of a row, beside what its residual is held against, from which
// double-double arithmetic does not tell that residual: its roundings may be a part in 2^40 of it.
const beyond = 0x1p60

// huge reports whether x is so large beside b that residuals have to be summed exactly.
func (s *system) huge(all *partial) bool {
	b := all.explained
	x := scaled{s.xmax, s.ex}
	return b.v > 0 && (x.over(b) > beyond || all.absAx2.sqrt().over(all.b2.sqrt()) > beyond)
}

// measureExactly is measureAll with residuals that tell what is left of b, once all is known but
// for them.
func (s *system) measureExactly(all partial, pool *parallel.Pool) partial {
	norm := all.b2.sqrt()
	return s.gather(pool, func(p *partial, lo, hi int) {
		for i := lo; i < hi; i++ {
			r := s.row(i)
			s.resolve(&r, i, r.t.times(all.explained))
			s.resolve(&r, i, norm)
			p.add(r)
		}
	})
}

// resolve sums the residual of row i exactly if double-double arithmetic does not tell it from b.
func (s *system) resolve(r *row, i int, b scaled) {
	if r.absAx.over(b) > beyond {
		r.residual = s.exactResidual(i)
	}
}

// headroom is the exponent of the largest term of an exact sum.
const headroom = 900

// exactResidual returns |r_i|, with A x summed without rounding but for what is below 2^-1900 of the
// largest term.
func (s *system) exactResidual(i int) scaled {
	cols, vals := s.m.Row(i)
	e := math.MinInt
	for k, j := range cols {
		if vals[k] != 0 && s.x[j] != 0 {
			e = max(e, csr.Exponent(vals[k])+csr.Exponent(s.x[j])-headroom)
		}
	}
	var sum expansion
	for k, j := range cols {
		a, ea := split(vals[k])
		x, ex := split(s.x[j])
		hi, lo := dd.TwoProd(a, x)
		sum = sum.plus(csr.Ldexp(hi, ea+ex-e)).plus(csr.Ldexp(lo, ea+ex-e))
	}
	return difference(s.b[i], sum.value(), e)
}

// expansion is the exact sum of its elements, which do not overlap, the smallest first
// ([Shewchuk97], section 2.4).
type expansion []float64

// plus returns the sum of e, which it overwrites, and v.
func (e expansion) plus(v float64) expansion {
	sum := e[:0]
	for _, w := range e {
		var rest float64
		if v, rest = dd.TwoSum(v, w); rest != 0 {
			sum = append(sum, rest)
		}
	}
	return append(sum, v)
}

// value returns the sum to double-double accuracy.
func (e expansion) value() (v dd.DD) {
	for _, w := range e {
		v = v.Add(dd.From(w))
	}
	return v
}
