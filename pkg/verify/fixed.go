package verify

import (
	"math"
	"math/bits"
)

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
