package lab

import (
	"math"
	"math/big"

	"github.com/mpsolve/mpsolve/internal/dd"
)

// A RandomRounding is float64 and float32 arithmetic that rounds at random: an exact result stays as it is; any other
// becomes one of the two neighbouring numbers, each with probability 1/2. An error-free transformation finds the sign
// of the processor's rounding error, which tells which neighbour the processor has returned. Results that are not
// finite are the processor's.
//
// Each operation consumes one bit of a generator, whatever its result. The same operations with the same seed
// therefore give the same results, and two Roundings stay in step as long as they execute the same operations.
//
// The zero value has seed 0. A RandomRounding must not be used by several goroutines at a time.
type RandomRounding struct {
	state uint64 // of the generator
	bits  uint64 // remaining bits of the last word, below a one that marks the end
	flip  uint64 // 1: all bits are inverted
}

// NewRandomRounding returns the arithmetic of a seed.
func NewRandomRounding(seed uint64) RandomRounding { return RandomRounding{state: mix(seed)} }

// Opposite returns the arithmetic that rounds up where r rounds down, from now on.
func (r RandomRounding) Opposite() RandomRounding {
	r.flip ^= 1
	return r
}

// mix is the finalizer of SplitMix64 ([SplitMix64]).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// bit returns the next random bit.
func (r *RandomRounding) bit() uint64 {
	if r.bits <= 1 {
		r.state += 0x9e3779b97f4a7c15
		word := mix(r.state)
		r.bits = word>>1 | 1<<63
		return word&1 ^ r.flip
	}
	b := r.bits & 1
	r.bits >>= 1
	return b ^ r.flip
}

// round returns s or its neighbour, given the sign of e, the error of s: the exact result is above s if e > 0.
func (r *RandomRounding) round(s, e float64) float64 {
	up := r.bit() == 1
	switch {
	case !finite(s):
	case e > 0 && up:
		return above(s)
	case e < 0 && !up:
		return -above(-s)
	}
	return s
}

// above returns the least float64 greater than s, which is finite.
func above(s float64) float64 {
	switch {
	case s > 0:
		return math.Float64frombits(math.Float64bits(s) + 1)
	case s < 0:
		return math.Float64frombits(math.Float64bits(s) - 1)
	}
	return math.SmallestNonzeroFloat64
}

// Add returns a + b.
func (r *RandomRounding) Add(a, b float64) float64 { return r.round(dd.TwoSum(a, b)) }

// Sub returns a - b.
func (r *RandomRounding) Sub(a, b float64) float64 { return r.round(dd.TwoSum(a, -b)) }

// Below these magnitudes of a product or a dividend, the error of an operation may underflow.
const (
	safeProduct  = 0x1p-960
	safeDividend = 0x1p-900
)

// Mul returns a b.
func (r *RandomRounding) Mul(a, b float64) float64 {
	p, e := dd.TwoProd(a, b)
	if math.Abs(p) < safeProduct {
		e = errorSign(a, b, 0, p)
	}
	return r.round(p, e)
}

// Div returns a / b.
func (r *RandomRounding) Div(a, b float64) float64 {
	q := a / b
	e := math.FMA(-q, b, a)
	if math.Abs(a) < safeDividend {
		e = errorSign(-q, b, a, 0)
	}
	return r.round(q, math.Copysign(1, b)*e)
}

// FMA returns a b + c, rounded once ([BoldoMuller11], algorithm ErrFmaNearest, whose last sum has the sign of the
// error).
func (r *RandomRounding) FMA(a, b, c float64) float64 {
	s := math.FMA(a, b, c)
	p, pe := dd.TwoProd(a, b)
	if math.Abs(p) < safeProduct {
		return r.round(s, errorSign(a, b, c, s))
	}
	l, le := dd.TwoSum(c, pe)
	h, he := dd.TwoSum(p, l)
	return r.round(s, (h-s+he)+le)
}

// Sqrt returns the square root of a.
func (r *RandomRounding) Sqrt(a float64) float64 {
	s := math.Sqrt(a)
	e := math.FMA(-s, s, a)
	if math.Abs(a) < safeDividend {
		e = errorSign(-s, s, a, 0)
	}
	return r.round(s, e)
}

// exactBits suffice for any a b + c - s of float64.
const exactBits = 4400

// errorSign returns a number with the sign of a b + c - s, for results that underflow.
func errorSign(a, b, c, s float64) float64 {
	if (a == 0 || b == 0) && c == s || !finite(a) || !finite(b) || !finite(c) || !finite(s) {
		return 0
	}
	sum := new(big.Float).SetPrec(exactBits)
	sum.Mul(big.NewFloat(a), big.NewFloat(b))
	sum.Add(sum, big.NewFloat(c))
	sum.Sub(sum, big.NewFloat(s))
	return float64(sum.Sign())
}

func finite(x float64) bool { return x-x == 0 }

// round32 rounds h + t, where |t| is at most half an ulp of the float64 h.
func (r *RandomRounding) round32(h, t float64) float32 {
	s := float32(h)
	up := r.bit() == 1
	if wide := float64(s); math.Abs(wide) <= math.MaxFloat32 {
		switch e := (h - wide) + t; {
		case e > 0 && up:
			return above32(s)
		case e < 0 && !up:
			return -above32(-s)
		}
	}
	return s
}

// above32 returns the least float32 greater than s, which is finite.
func above32(s float32) float32 {
	switch {
	case s > 0:
		return math.Float32frombits(math.Float32bits(s) + 1)
	case s < 0:
		return math.Float32frombits(math.Float32bits(s) - 1)
	}
	return math.SmallestNonzeroFloat32
}

// Narrow returns x as a float32.
func (r *RandomRounding) Narrow(x float64) float32 { return r.round32(x, 0) }

// Add32 returns a + b.
func (r *RandomRounding) Add32(a, b float32) float32 {
	return r.round32(dd.TwoSum(float64(a), float64(b)))
}

// Sub32 returns a - b.
func (r *RandomRounding) Sub32(a, b float32) float32 {
	return r.round32(dd.TwoSum(float64(a), -float64(b)))
}

// Mul32 returns a b, whose exact value is a float64.
func (r *RandomRounding) Mul32(a, b float32) float32 { return r.round32(float64(a)*float64(b), 0) }

// Div32 returns a / b. A quotient of two float32 that is not a float32 itself differs from every float32 by more than
// an ulp of float64, so that its float64 lies on the correct side.
func (r *RandomRounding) Div32(a, b float32) float32 { return r.round32(float64(a)/float64(b), 0) }

// FMA32 returns a b + c, rounded once.
func (r *RandomRounding) FMA32(a, b, c float32) float32 {
	return r.round32(dd.TwoSum(float64(a)*float64(b), float64(c)))
}

// Sqrt32 returns the square root of a, by its float64 as in Div32.
func (r *RandomRounding) Sqrt32(a float32) float32 { return r.round32(math.Sqrt(float64(a)), 0) }
