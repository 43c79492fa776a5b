package verify

import (
	"math"
	"math/bits"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/parallel"
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
	return gather(s, pool, func(p *partial, lo, hi int) {
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
			e = max(e, dd.Exponent(vals[k])+dd.Exponent(s.x[j])-headroom)
		}
	}
	var sum expansion
	for k, j := range cols {
		a, ea := split(vals[k])
		x, ex := split(s.x[j])
		hi, lo := dd.TwoProd(a, x)
		sum = sum.plus(dd.Ldexp(hi, ea+ex-e)).plus(dd.Ldexp(lo, ea+ex-e))
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

// fixed is a sum in fixed point: an integer in two's complement, the lowest word first, in units of 2^low. What is below a unit is
// left out, so that each number that is added has an error of less than one.
type fixed struct {
	words   []uint64
	low     int
	inexact bool // something was left out
	product []uint64
}

// newFixed returns a sum of up to 2^62 numbers whose leading bit is one of so many.
func newFixed(bits int) *fixed { return &fixed{words: make([]uint64, (bits+63)/64+1)} }

// begin sets s = 0, for numbers below 2^top.
func (s *fixed) begin(top int) {
	clear(s.words)
	s.low, s.inexact = top-64*(len(s.words)-1), false
}

// add adds ±m 2^e, where m is an integer, the lowest word first.
func (s *fixed) add(neg bool, m []uint64, e int) {
	at, left := (e-s.low)>>6, uint(e-s.low)&63
	var carry, below uint64
	for k := 0; k <= len(m); k++ {
		w := below
		if k < len(m) {
			w |= m[k] << left
			below = m[k] >> (64 - left)
		}
		switch i := at + k; {
		case i < 0:
			s.inexact = s.inexact || w != 0
		case i >= len(s.words): // w = 0
			return
		case neg:
			s.words[i], carry = bits.Sub64(s.words[i], w, carry)
		default:
			s.words[i], carry = bits.Add64(s.words[i], w, carry)
		}
	}
	for i := max(0, at+len(m)+1); carry != 0 && i < len(s.words); i++ {
		if neg {
			s.words[i], carry = bits.Sub64(s.words[i], 0, carry)
		} else {
			s.words[i], carry = bits.Add64(s.words[i], 0, carry)
		}
	}
}

// addFloat adds v.
func (s *fixed) addFloat(v float64) {
	m, e := integer(v)
	s.add(v < 0, []uint64{m}, e)
}

// subProduct subtracts a times ±m 2^e.
func (s *fixed) subProduct(a float64, neg bool, m []uint64, e int) {
	factor, ea := integer(a)
	s.product = s.product[:0]
	var carry uint64
	for _, w := range m {
		hi, lo := bits.Mul64(w, factor)
		sum, c := bits.Add64(lo, carry, 0)
		s.product, carry = append(s.product, sum), hi+c
	}
	s.product = append(s.product, carry)
	s.add((a < 0) == neg, s.product, e+ea)
}

// magnitude returns |s|, rounded. It overwrites s.
func (s *fixed) magnitude() scaled {
	if t := len(s.words) - 1; s.words[t]>>63 != 0 {
		carry := uint64(1)
		for i, w := range s.words {
			s.words[i], carry = bits.Add64(^w, 0, carry)
		}
	}
	for t := len(s.words) - 1; t >= 0; t-- {
		if s.words[t] != 0 {
			v := float64(s.words[t])
			if t > 0 {
				v += math.Ldexp(float64(s.words[t-1]), -64)
			}
			return scaled{v, s.low + 64*t}
		}
	}
	return scaled{}
}

// integer returns |v| = m 2^e, where m < 2^53.
func integer(v float64) (m uint64, e int) {
	b := math.Float64bits(v)
	m, e = b&(1<<52-1), int(b>>52&0x7ff)
	if e == 0 {
		return m, -1074
	}
	return m | 1<<52, e - 1075
}
