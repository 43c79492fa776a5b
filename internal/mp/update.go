package mp

import (
	"math/big"
	"math/bits"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// MulAdd computes y = alpha A x + beta y, each element rounded once; before the rounding it differs from the exact
// element by at most |alpha| MulBound.
func (a *Dense) MulAdd(alpha *big.Float, x *Vec, beta *big.Float, y *Vec) {
	a.multiply(y, x, newUpdate(alpha, beta))
}

// MulAddT computes y = alpha A^T x + beta y, like MulAdd.
func (a *Dense) MulAddT(alpha *big.Float, x *Vec, beta *big.Float, y *Vec) {
	a.multiplyT(y, x, newUpdate(alpha, beta))
}

// update computes alpha s + beta y for a sum s, rounded once; nil: s itself.
type update struct{ alpha, beta integer }

// integer is ±m 2^e, the lowest word of m first.
type integer struct {
	neg bool
	m   []uint64
	e   int
}

func newUpdate(alpha, beta *big.Float) *update {
	var u update
	u.alpha.neg, u.alpha.m, u.alpha.e = wordsOfFloat(alpha)
	u.beta.neg, u.beta.m, u.beta.e = wordsOfFloat(beta)
	return &u
}

// put sets element i of y for the sum s 2^unit. m is room for packed(len(s)) words.
func (u *update) put(s sum, y *Vec, i, unit int, m []uint64) {
	if u == nil {
		s.put(y, i, unit, m)
		return
	}
	neg := s.settle()
	s.pack(m)
	y.putSum(i, u.alpha.times(integer{neg, m, unit}), u.beta.times(y.integer(i)))
}

// ofZero sets y for sums that are 0.
func (u *update) ofZero(pool *parallel.Pool, y *Vec) {
	if u == nil {
		y.clear()
		return
	}
	pool.RunRanges(blocks(pool, y.Len()), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			y.putSum(i, u.beta.times(y.integer(i)), integer{})
		}
	})
}

// integer returns element i.
func (v *Vec) integer(i int) integer { return integer{v.neg[i], v.at(i), int(v.exp[i]) - 64*v.words} }

// times returns the exact product.
func (a integer) times(b integer) integer {
	p := make([]uint64, len(a.m)+len(b.m))
	for i, x := range a.m {
		var carry uint64
		for k, y := range b.m {
			hi, lo := bits.Mul64(x, y)
			lo, c := bits.Add64(lo, p[i+k], 0)
			hi += c
			p[i+k], c = bits.Add64(lo, carry, 0)
			carry = hi + c
		}
		p[i+len(b.m)] = carry
	}
	return integer{a.neg != b.neg, p, a.e + b.e}
}

// trimmed returns a without words of zeros at the top.
func (a integer) trimmed() integer {
	for len(a.m) > 0 && a.m[len(a.m)-1] == 0 {
		a.m = a.m[:len(a.m)-1]
	}
	return a
}

// putSum sets element i to a + b, rounded once.
func (v *Vec) putSum(i int, a, b integer) {
	a, b = a.trimmed(), b.trimmed()
	if len(a.m) == 0 {
		a, b = b, a
	}
	if len(b.m) == 0 {
		v.put(i, a.neg, a.m, a.e+64*len(a.m), false)
		return
	}
	if a.e+64*len(a.m) < b.e+64*len(b.m) {
		a, b = b, a
	}
	// Words for both, down to the lowest bit of b, or so far below a that the rest of b only affects the rounding.
	words := len(a.m) + 2 + min((a.e-b.e+63)/64, v.words+2)
	if a.e < b.e {
		words = len(a.m) + 2
	}
	s := make([]uint64, words)
	low := a.e - 64*(words-1-len(a.m))
	copy(s[words-1-len(a.m):], a.m)
	rest := addWords(s, b.m, b.e-low, a.neg != b.neg)
	neg := a.neg
	if s[words-1]>>63 != 0 { // b was larger
		neg = !neg
		negate(s)
	}
	v.put(i, neg, s, low+64*words, rest)
}

// addWords adds b 2^e to s, or subtracts it. It truncates what is below the lowest bit of s, and reports in rest
// whether there is any.
func addWords(s, b []uint64, e int, subtract bool) (rest bool) {
	word := func(k int) uint64 { return kernels.BitsFrom(b, 64*k-e) }
	for k := 0; 64*k < min(-e, 64*len(b)) && !rest; k++ { // the words of b that lie below s, wholly or in part
		w := b[k]
		if above := -e - 64*k; above < 64 {
			w <<= 64 - above
		}
		rest = w != 0
	}
	var carry uint64
	if subtract && rest {
		carry = 1
	}
	for k := range s {
		if subtract {
			s[k], carry = bits.Sub64(s[k], word(k), carry)
		} else {
			s[k], carry = bits.Add64(s[k], word(k), carry)
		}
	}
	return rest
}

// negate replaces s, in two's complement, by -s.
func negate(s []uint64) {
	carry := uint64(1)
	for k, w := range s {
		s[k], carry = bits.Add64(^w, 0, carry)
	}
}
