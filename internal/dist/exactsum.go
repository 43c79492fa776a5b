package dist

import (
	"math"
	"math/bits"
)

// exactSum is a sum of float64 without error: the number
//
//	sum over k of limb_k 2^(32 k - 1074)
//
// Limbs are not carried, so that two sums are added limb by limb, in any order and over any tree of ranks: 2^31
// numbers fit before a limb overflows. It is the long accumulator of [Kulisch11] in words that MPI can add.
type exactSum [exactLimbs]int64

// exactLimbs is the number of limbs: 2098 bits of finite numbers, 31 of their sums, and the counters of numbers that
// are not finite.
const exactLimbs = limbs + 3

const (
	limbs = 67
	// Indices of counters, which follow the limbs.
	countNaN   = limbs
	countInf   = limbs + 1
	countMinus = limbs + 2 // -Inf
)

// add adds x.
func (s *exactSum) add(x float64) {
	b := math.Float64bits(x)
	exponent, m := int(b>>52&2047), b&(1<<52-1)
	switch exponent {
	case 0:
		exponent = 1
	case 2047:
		s.addInfinite(x)
		return
	default:
		m |= 1 << 52
	}
	at := exponent - 1 // the bit of s for the last bit of m
	k := at >> 5
	high, low := bits.Mul64(m, 1<<(at&31))
	sign := int64(b) >> 63 // 0 or -1
	s[k] += (int64(low&math.MaxUint32) ^ sign) - sign
	s[k+1] += (int64(low>>32) ^ sign) - sign
	s[k+2] += (int64(high) ^ sign) - sign
}

// addInfinite counts x, which is not finite.
func (s *exactSum) addInfinite(x float64) {
	switch {
	case x > 0:
		s[countInf]++
	case x < 0:
		s[countMinus]++
	default:
		s[countNaN]++
	}
}

// finite reports whether all numbers added are finite.
func (s *exactSum) finite() bool { return s[countNaN]|s[countInf]|s[countMinus] == 0 }

// span returns the range lo to hi-1 of limbs, of which the first and the last are not 0; lo = hi if all are 0.
func (s *exactSum) span() (lo, hi int) {
	for hi = limbs; hi > 0 && s[hi-1] == 0; {
		hi--
	}
	for lo < hi && s[lo] == 0 {
		lo++
	}
	return lo, hi
}

// float returns the sum rounded to nearest, ties to even. It is +0 if the sum is 0, infinite if the sum is beyond
// float64 or +Inf or -Inf has been added, and NaN if NaN or both infinities have been added. It changes s.
func (s *exactSum) float() float64 {
	switch {
	case s[countNaN] > 0 || s[countInf] > 0 && s[countMinus] > 0:
		return math.NaN()
	case s[countInf] > 0:
		return math.Inf(1)
	case s[countMinus] > 0:
		return math.Inf(-1)
	}
	lo, hi := s.span()
	if lo == hi {
		return 0
	}
	return roundLimbs(s[lo:hi], lo)
}

// roundLimbs returns the sum over k of limb_k 2^(32 (k + first) - 1074), rounded to nearest, ties to even. It changes
// the limbs.
func roundLimbs(limb []int64, first int) float64 {
	top := len(limb) - 1
	// Carry, so that all limbs but the last are digits, 0 to 2^32 - 1, and the last has the sign.
	negative := carry(limb, top) < 0
	if negative {
		for k := range limb[:top+1] {
			limb[k] = -limb[k]
		}
		carry(limb, top)
	}
	for top > 0 && limb[top] == 0 {
		top--
	}
	// The first 64 bits and their exponent; the last bit is also set if any of the following bits is not 0.
	digit := func(k int) uint64 {
		if k < 0 {
			return 0
		}
		return uint64(limb[k])
	}
	shift := bits.LeadingZeros64(digit(top))
	f := digit(top) << shift
	rest := uint64(0)
	for k := top - 1; k >= 0; k-- {
		// digit k begins 32 (top - k) bits below the last bit of digit top, which is bit shift of f
		if at := shift - 32*(top-k); at > -32 {
			if at >= 0 {
				f |= digit(k) << at
			} else {
				f |= digit(k) >> -at
				rest |= digit(k) << (64 + at)
			}
		} else {
			rest |= digit(k)
		}
		if rest != 0 {
			f |= 1
			break
		}
	}
	v := math.Ldexp(float64(f), 32*(top+first)-1074-shift)
	if negative {
		return -v
	}
	return v
}

// carry carries from each limb to the next, up to the last, limb top, which it returns.
func carry(limb []int64, top int) int64 {
	c := int64(0)
	for k := range limb[:top] {
		v := limb[k] + c
		limb[k] = v & math.MaxUint32
		c = v >> 32
	}
	limb[top] += c
	return limb[top]
}
