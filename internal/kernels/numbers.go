package kernels

import (
	"math"
	"math/bits"
)

// Numbers are floating-point numbers of multiple precision: number i is ±0.m 2^Exp[i], where the significand m has
// Bits bits in Words words of Mant, from Words i on, the lowest first. The highest bit of m is 1; zero has m = 0, the
// exponent 0 and no sign.
type Numbers struct {
	Words, Bits int
	Exp         []int32
	Neg         []bool
	Mant        []uint64
}

// Part returns numbers lo to hi-1.
func (x Numbers) Part(lo, hi int) Numbers {
	return Numbers{x.Words, x.Bits, x.Exp[lo:hi], x.Neg[lo:hi], x.Mant[lo*x.Words : hi*x.Words]}
}

// numberKernels convert numbers to limbs and back.
type numberKernels struct {
	fix   fixLimbsKernel
	lanes fixLanesKernel
	round roundLimbsKernel

	addTimes addTimesKernel
}

var portableNumbers = numberKernels{fixLimbs, fixLanes, roundLimbs, addTimes}

// FixLimbs writes floor(|x_i| 2^(52 size - top)) to limbs to[size i:] for all numbers, with the sign of x_i in bit 63
// of the lowest limb: the form of RowLimbs. No exponent is above top.
func (k *Set) FixLimbs(to []uint64, size int, x Numbers, top int) {
	if len(x.Exp) > 0 {
		k.numbers.fix(to[:size*len(x.Exp)], size, x, top)
	}
}

type fixLimbsKernel func(to []uint64, size int, x Numbers, top int)

func fixLimbs(to []uint64, size int, x Numbers, top int) {
	for i := range x.Exp {
		limbs := to[size*i : size*(i+1)]
		x.magnitude(limbs, 1, i, LimbBits*size, top)
		if x.Neg[i] {
			limbs[0] |= limbSign
		}
	}
}

// magnitude writes floor(|x_i| 2^(n-e)) to limbs that are `step` words apart.
func (x *Numbers) magnitude(limbs []uint64, step, i, n, e int) {
	m := x.Mant[i*x.Words : (i+1)*x.Words]
	at := 64*x.Words - n + e - int(x.Exp[i])
	for k := 0; k < len(limbs); k += step {
		limbs[k] = BitsFrom(m, at) & LimbMask
		at += LimbBits
	}
}

// BitsFrom returns the 64 bits of m from bit `at` on, with zeros around m.
func BitsFrom(m []uint64, at int) (w uint64) {
	t, shift := at>>6, uint(at&63)
	if t >= 0 && t < len(m) {
		w = m[t] >> shift
	}
	if t++; t >= 0 && t < len(m) {
		w |= m[t] << (64 - shift)
	}
	return w
}

// halfLimb is the top limb of 2^(52 size - 1).
const halfLimb = 1 << (LimbBits - 1)

// FixLanes writes integers of `size` limbs to `to`, Lanes at a time: x_i 2^(52 size - 1 - top_i), the magnitude
// rounded down, plus 2^(52 size - 1) in order to be positive. Limb k of number Lanes c + l is to[Lanes (size c + k) +
// l]; numbers after the last one are 0. It adds limb k of all numbers of lane l to sums[Lanes k + l], without carries.
// tops[i] takes the place of top unless tops is nil.
func (k *Set) FixLanes(to, sums []uint64, size int, x Numbers, top int, tops []int) {
	if n := len(x.Exp); n > 0 {
		_ = sums[Lanes*size-1]
		k.numbers.lanes(to[:(n+Lanes-1)/Lanes*Lanes*size], sums, size, x, top, tops)
	}
}

type fixLanesKernel func(to, sums []uint64, size int, x Numbers, top int, tops []int)

func fixLanes(to, sums []uint64, size int, x Numbers, top int, tops []int) {
	for i := range len(to) / size {
		limbs := to[i/Lanes*Lanes*size+i%Lanes:][:Lanes*(size-1)+1]
		if i < len(x.Exp) {
			if tops != nil {
				top = tops[i]
			}
			x.OffsetLimbs(limbs, Lanes, size, i, top)
		} else {
			for k := range size {
				limbs[Lanes*k] = 0
			}
			limbs[Lanes*(size-1)] = halfLimb
		}
		at := i % Lanes
		for k := 0; k <= Lanes*(size-1); k += Lanes {
			sums[at+k] += limbs[k]
		}
	}
}

// OffsetLimbs writes number i as FixLanes does, to `size` limbs that are `step` words apart.
func (x *Numbers) OffsetLimbs(limbs []uint64, step, size, i, top int) {
	limbs = limbs[:step*(size-1)+1]
	x.magnitude(limbs, step, i, LimbBits*size-1, top)
	last := step * (size - 1)
	if !x.Neg[i] {
		limbs[last] |= halfLimb
		return
	}
	var borrow uint64
	for k := 0; k <= last; k += step {
		a := -limbs[k] - borrow
		if k == last {
			a += halfLimb
		}
		limbs[k], borrow = a&LimbMask, a>>63
	}
}

// MostSumLimbs is the largest number of limbs of a sum in RoundLimbs.
const MostSumLimbs = 40

// RoundLimbs sets number i of y to a sum times 2^units[i], rounded to nearest, ties to even. The sum has two's
// complement words sums[stride i + k], k < limbs, of weight 2^(52 k), carried or not; the sum must fit in the limbs.
func (k *Set) RoundLimbs(y Numbers, sums []uint64, stride, limbs int, units []int) {
	if n := len(y.Exp); n > 0 {
		_, _ = sums[stride*(n-1)+limbs-1], units[n-1]
		k.numbers.round(y, sums, stride, limbs, units)
	}
}

type roundLimbsKernel func(y Numbers, sums []uint64, stride, limbs int, units []int)

func roundLimbs(y Numbers, sums []uint64, stride, limbs int, units []int) {
	var s [MostSumLimbs]int64
	var words [LimbBits*MostSumLimbs/64 + 1]uint64
	m := words[:PackedWords(limbs)]
	for i := range y.Exp {
		for k := range limbs {
			s[k] = int64(sums[stride*i+k])
		}
		neg := SettleLimbs(s[:limbs])
		PackLimbs(m, s[:limbs])
		y.round(i, neg, m, units[i]+64*len(m), false)
	}
}

// CarryLimbs reduces all limbs but the highest to 52 bits.
func CarryLimbs(s []int64) {
	var c int64
	for k := range s[:len(s)-1] {
		a := s[k] + c
		s[k], c = a&LimbMask, a>>LimbBits
	}
	s[len(s)-1] += c
}

// SettleLimbs replaces s by its absolute value in limbs of 52 bits, in which it must fit, and reports whether s was
// negative.
func SettleLimbs(s []int64) (neg bool) {
	CarryLimbs(s)
	if neg = s[len(s)-1] < 0; neg {
		for k := range s {
			s[k] = -s[k]
		}
		CarryLimbs(s)
	}
	return neg
}

// PackedWords returns the number of words for a sum of so many limbs.
func PackedWords(limbs int) int { return LimbBits*limbs/64 + 1 }

// PackLimbs writes a settled sum to PackedWords(len(s)) words.
func PackLimbs(m []uint64, s []int64) {
	var w uint64
	used, k := uint(0), 0
	for _, limb := range s {
		w |= uint64(limb) << used
		if used += LimbBits; used >= 64 {
			m[k] = w
			k++
			used -= 64
			w = uint64(limb) >> (LimbBits - used)
		}
	}
	m[k] = w
}

// Leading returns the 64 bits of m from bit 63-shift of word t down; the lowest is 1 if any bit below is 1, which is
// enough to round by.
func Leading(m []uint64, t int, shift uint) uint64 {
	top := shifted(m, t, shift)
	below := shifted(m, t-1, shift)
	for k := t - 2; k >= 0; k-- {
		below |= m[k]
	}
	if below != 0 {
		top |= 1
	}
	return top
}

// shifted returns word t of m, shifted left.
func shifted(m []uint64, t int, shift uint) (w uint64) {
	if t >= 0 {
		w = m[t] << shift
	}
	if t > 0 {
		w |= m[t-1] >> (64 - shift)
	}
	return w
}

// RoundWords sets dst to the significand of ±0.m 2^e, rounded to nearest, ties to even, to so many bits, and returns
// the exponent and the sign. rest says that there are bits below m, in which case the highest bits of m are not all 0.
// A number below the range of exponents becomes 0; one above panics.
func RoundWords(dst []uint64, digits int, neg bool, m []uint64, e int, rest bool) (exp int32, minus bool) {
	t := len(m) - 1
	for t >= 0 && m[t] == 0 {
		t--
	}
	if t < 0 {
		clear(dst)
		return 0, false
	}
	shift := uint(bits.LeadingZeros64(m[t]))
	e -= 64*(len(m)-1-t) + int(shift)
	for k := range dst {
		dst[len(dst)-1-k] = shifted(m, t-k, shift)
	}
	// The bits below, as a word whose highest bit is half a unit: the rest of the lowest word and what follows.
	low := uint(64*len(dst) - digits)
	below := shifted(m, t-len(dst), shift)
	for k := t - len(dst) - 1; k >= 0 && !rest; k-- {
		rest = m[k] != 0
	}
	if low > 0 {
		rest = rest || below != 0
		below = dst[0] << (64 - low)
		dst[0] = dst[0] >> low << low
	}
	const half = 1 << 63
	if below > half || below == half && (rest || dst[0]>>low&1 != 0) {
		carry := uint64(1) << low
		for k := range dst {
			dst[k], carry = bits.Add64(dst[k], carry, 0)
		}
		if carry != 0 {
			dst[len(dst)-1], e = half, e+1
		}
	}
	if e > math.MaxInt32 {
		panic("mp: a number is too large")
	}
	if e < math.MinInt32 {
		clear(dst)
		return 0, false
	}
	return int32(e), neg
}
