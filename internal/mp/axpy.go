package mp

import (
	"math/big"
	"math/bits"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// term is a number ±0.m 2^e of a sum; the highest bit of m is 1, or m is 0.
type term struct {
	neg bool
	m   []uint64
	e   int
}

func (t term) zero() bool { return t.m[len(t.m)-1] == 0 }

func (v *Vec) term(i int) term { return term{v.neg[i], v.at(i), int(v.exp[i])} }

// adder adds pairs of numbers.
type adder struct{ m, low []uint64 }

// newAdder returns an adder for numbers of at most so many words.
func newAdder(words int) *adder {
	return &adder{m: make([]uint64, words+2), low: make([]uint64, words+2)}
}

// put sets element i of v to a + b, rounded once, as if the sum were exact.
func (s *adder) put(v *Vec, i int, a, b term) {
	if a.zero() || !b.zero() && b.e > a.e {
		a, b = b, a
	}
	// The words of m: a in the high words, below a word for the carry, followed by at least one word of zeros. A part
	// of b is omitted only if b begins more than 64 bits below a, so that the sum is nearly as large as a. The
	// omitted part is then far below the bit that is rounded to, and only shows that the sum is not a tie.
	n := len(s.m)
	clear(s.m)
	copy(s.m[n-1-len(a.m):], a.m)
	if b.zero() {
		v.put(i, a.neg, s.m, a.e+64, false)
		return
	}
	rest := b.shift(s.low, a.e-b.e)
	neg := a.neg
	if a.neg == b.neg {
		var c uint64
		for k := range s.m {
			s.m[k], c = bits.Add64(s.m[k], s.low[k], c)
		}
	} else {
		var c uint64
		if rest {
			c = 1 // the difference lies between two integers: the lower one, plus a remainder
		}
		for k := range s.m {
			s.m[k], c = bits.Sub64(s.m[k], s.low[k], c)
		}
		if c != 0 { // equal exponents
			neg, c = !neg, 1
			for k := range s.m {
				s.m[k], c = bits.Add64(^s.m[k], 0, c)
			}
		}
	}
	v.put(i, neg, s.m, a.e+64, rest)
}

// shift writes the number to m as put does, `by` bits lower, and reports whether bits were lost.
func (t term) shift(m []uint64, by int) (rest bool) {
	top := 64 * (len(m) - 1) // bits of m below the word for the carry
	at := 64*len(t.m) - top + by
	for k := range m {
		m[k] = kernels.BitsFrom(t.m, at+64*k)
	}
	for k := 0; k < len(t.m) && 64*k < at; k++ {
		w := t.m[k]
		if left := at - 64*k; left < 64 {
			w <<= 64 - left
		}
		rest = rest || w != 0
	}
	return rest
}

// AddScaled computes v += 2^e d, each element rounded once.
func (v *Vec) AddScaled(d []float64, e int) {
	s := newAdder(v.words)
	for i, a := range d {
		s.addFloat64(v, i, a, e)
	}
}

// addFloat64 adds a 2^e to element i of v.
func (s *adder) addFloat64(v *Vec, i int, a float64, e int) {
	if w, ea, neg := split(a); w != 0 {
		shift := bits.LeadingZeros64(w)
		s.put(v, i, v.term(i), term{neg, []uint64{w << shift}, ea + 64 - shift + e})
	}
}

// Axpy computes v += a x, each element rounded once. a is rounded to the precision of v first.
func (v *Vec) Axpy(pool *parallel.Pool, a *big.Float, x *Vec) { v.multiply(pool, a, x, true) }

// Scale computes v = a v, each element rounded once. a is rounded to the precision of v first.
func (v *Vec) Scale(pool *parallel.Pool, a *big.Float) { v.multiply(pool, a, v, false) }

// multiply computes v = a x, or v += a x.
func (v *Vec) multiply(pool *parallel.Pool, a *big.Float, x *Vec, add bool) {
	if x.Len() != v.Len() {
		panic("mp: a sum of vectors of different lengths")
	}
	factor := New(1, v.bits)
	factor.Set(0, a)
	f := factor.term(0)
	pool.RunRanges(blocks(v.Len()), func(_, lo, hi int) {
		if add {
			v.addTimes(f, x, lo, hi)
			return
		}
		m := make([]uint64, x.words+v.words)
		for i := lo; i < hi; i++ {
			p := f.times(x.term(i), m)
			v.put(i, p.neg, p.m, p.e, false)
		}
	})
}

// addTimes computes elements lo to hi-1 of v += f x, each rounded once.
func (v *Vec) addTimes(f term, x *Vec, lo, hi int) {
	m := make([]uint64, x.words+v.words)
	s := newAdder(len(m))
	for i := lo; i < hi; i++ {
		if !x.zero(i) {
			s.put(v, i, v.term(i), f.times(x.term(i), m))
		}
	}
}

// times returns the exact product of t and u in m, with its highest bit 1.
func (t term) times(u term, m []uint64) term {
	clear(m)
	for i, a := range t.m {
		var carry uint64
		for k, b := range u.m {
			high, low := bits.Mul64(a, b)
			var c uint64
			low, c = bits.Add64(low, carry, 0)
			high += c
			m[i+k], c = bits.Add64(m[i+k], low, 0)
			carry = high + c
		}
		m[i+len(u.m)] = carry
	}
	p := term{t.neg != u.neg, m, t.e + u.e}
	if top := m[len(m)-1]; top != 0 && top>>63 == 0 {
		for k := len(m) - 1; k > 0; k-- {
			m[k] = m[k]<<1 | m[k-1]>>63
		}
		m[0] <<= 1
		p.e--
	}
	return p
}
