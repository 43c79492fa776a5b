package kernels

import "math/bits"

// AddTimes computes y_i += a x_i for all numbers, each rounded once to nearest, ties to even. a has one number. The result
// has the precision of y; numbers of one precision are added in lanes.
func (k *Set) AddTimes(y, a, x Numbers) {
	if len(x.Exp) == 0 || a.Term(0).Zero() {
		return
	}
	k.numbers.addTimes(y.Part(0, len(x.Exp)), a, x)
}

type addTimesKernel func(y, a, x Numbers)

func addTimes(y, a, x Numbers) {
	m := make([]uint64, a.Words+x.Words)
	s, f := NewAdder(len(m)), a.Term(0)
	for i := range x.Exp {
		if t := x.Term(i); !t.Zero() {
			s.Put(&y, i, y.Term(i), f.Times(t, m))
		}
	}
}

// round sets number i to ±0.m 2^e, see RoundWords.
func (x *Numbers) round(i int, neg bool, m []uint64, e int, rest bool) {
	x.Exp[i], x.Neg[i] = RoundWords(x.Mant[i*x.Words:(i+1)*x.Words], x.Bits, neg, m, e, rest)
}

// Term is a number ±0.M 2^E of a sum; the highest bit of M is 1, or M is 0.
type Term struct {
	Neg bool
	M   []uint64
	E   int
}

// Zero reports whether t is 0.
func (t Term) Zero() bool { return t.M[len(t.M)-1] == 0 }

// Term returns number i.
func (x *Numbers) Term(i int) Term {
	return Term{x.Neg[i], x.Mant[i*x.Words : (i+1)*x.Words], int(x.Exp[i])}
}

// Adder adds pairs of numbers.
type Adder struct{ m, low []uint64 }

// NewAdder returns an Adder for numbers of at most so many words.
func NewAdder(words int) *Adder {
	return &Adder{m: make([]uint64, words+2), low: make([]uint64, words+2)}
}

// Put sets number i of y to a + b, rounded once, as if the sum were exact.
func (s *Adder) Put(y *Numbers, i int, a, b Term) {
	if a.Zero() || !b.Zero() && b.E > a.E {
		a, b = b, a
	}
	// The words of m: a in the high words, below a word for the carry, followed by at least one word of zeros. A part
	// of b is omitted only if b begins more than 64 bits below a, so that the sum is nearly as large as a. The
	// omitted part is then far below the bit that is rounded to, and only shows that the sum is not a tie.
	n := len(s.m)
	clear(s.m)
	copy(s.m[n-1-len(a.M):], a.M)
	if b.Zero() {
		y.Exp[i], y.Neg[i] = RoundWords(y.Mant[i*y.Words:(i+1)*y.Words], y.Bits, a.Neg, s.m, a.E+64, false)
		return
	}
	rest := b.shift(s.low, a.E-b.E)
	neg := a.Neg
	if a.Neg == b.Neg {
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
	y.Exp[i], y.Neg[i] = RoundWords(y.Mant[i*y.Words:(i+1)*y.Words], y.Bits, neg, s.m, a.E+64, rest)
}

// shift writes the number to m as Put does, `by` bits lower, and reports whether bits were lost.
func (t Term) shift(m []uint64, by int) (rest bool) {
	top := 64 * (len(m) - 1) // bits of m below the word for the carry
	at := 64*len(t.M) - top + by
	for k := range m {
		m[k] = BitsFrom(t.M, at+64*k)
	}
	for k := 0; k < len(t.M) && 64*k < at; k++ {
		w := t.M[k]
		if left := at - 64*k; left < 64 {
			w <<= 64 - left
		}
		rest = rest || w != 0
	}
	return rest
}

// Times returns the exact product of t and u in m, with its highest bit 1.
func (t Term) Times(u Term, m []uint64) Term {
	clear(m)
	for i, a := range t.M {
		var carry uint64
		for k, b := range u.M {
			high, low := bits.Mul64(a, b)
			var c uint64
			low, c = bits.Add64(low, carry, 0)
			high += c
			m[i+k], c = bits.Add64(m[i+k], low, 0)
			carry = high + c
		}
		m[i+len(u.M)] = carry
	}
	p := Term{t.Neg != u.Neg, m, t.E + u.E}
	if top := m[len(m)-1]; top != 0 && top>>63 == 0 {
		for k := len(m) - 1; k > 0; k-- {
			m[k] = m[k]<<1 | m[k-1]>>63
		}
		m[0] <<= 1
		p.E--
	}
	return p
}
