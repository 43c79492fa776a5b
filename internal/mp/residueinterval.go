package mp

import (
	"math"
	"math/big"
)

// interval is the interval evaluation of an integer X: bounds of X/M, both zero for X = 0.
type interval struct{ lo, up scaled }

// wrap is the X/M from which on a sum represents a negative number, X - M: significands and the terms of sums are
// kept such that -M/8 <= X < 7/8 M.
const wrap = 0.875

// mostShift is the largest number of bits by which a number is scaled up at once.
const mostShift = 40

// evaluate returns the interval evaluation of the integer with residues x, and whether the integer is negative; in
// that case it evaluates -X.
//
// The fraction X/M is the fractional part of sum_i |x_i w_i|_{m_i} / m_i. Where that is too small to be accurate, the
// residues are multiplied by powers of two until it is not.
func (b *ResidueBase) evaluate(x []uint32) (v interval, negative bool) {
	var space [MaxModuli]uint32
	t := space[:len(x)]
	zero := true
	for i, d := range x {
		q := &b.moduli[i]
		t[i] = q.mul(d, q.weight)
		zero = zero && d == 0
	}
	if zero {
		return interval{}, false
	}
	bound := float64(len(x)) * 0x1p-49 // bound of the error of the fraction
	for e := 0; ; {
		f := b.fraction(t)
		if f >= wrap {
			f--
		}
		if size := math.Abs(f); size > 0x1p-8 {
			return interval{scaledBy(size-bound, -e), scaledBy(size+bound, -e)}, f < 0
		}
		_, k := math.Frexp(math.Abs(f) + bound) // |X| < 2^k M
		shift := min(-k-4, mostShift)
		e += shift
		for i := range t {
			q := &b.moduli[i]
			t[i] = q.mul(t[i], q.twos[shift])
		}
	}
}

// fraction returns the fractional part of sum_i t_i / m_i; the error is at most n 2^-49.
func (b *ResidueBase) fraction(t []uint32) float64 {
	const together = 8
	s := 0.0
	for begin := 0; begin < len(t); begin += together {
		end := min(begin+together, len(t))
		for i, d := range t[begin:end] {
			s += float64(d) * b.moduli[begin+i].inverse
		}
		s -= math.Floor(s)
	}
	return s
}

// product returns the interval evaluation of X Y < M.
func (b *ResidueBase) product(x, y interval) interval {
	return interval{x.lo.times(y.lo).times(b.asFloat).down(), x.up.times(y.up).times(b.asFloat).up()}
}

// bits returns an e with X < 2^e, the least one or one more.
func (v interval) bits(b *ResidueBase) int { return v.up.times(b.asFloat).up().e }

// shifted returns the interval evaluation of 2^k X.
func (v interval) shifted(k int) interval {
	if v.up.f == 0 {
		return v
	}
	return interval{scaled{v.lo.f, v.lo.e + k}, scaled{v.up.f, v.up.e + k}}
}

// scaled is f 2^e with f in [1/2, 1) or 0: a float64 with an unlimited exponent. A bound is not negative.
type scaled struct {
	f float64
	e int
}

// scaledBy returns x 2^e.
func scaledBy(x float64, e int) scaled {
	if x == 0 {
		return scaled{}
	}
	f, k := math.Frexp(x)
	return scaled{f, e + k}
}

// scaledInt returns x rounded.
func scaledInt(x *big.Int) scaled {
	f := new(big.Float).SetPrec(53).SetInt(x)
	e := f.MantExp(f)
	m, _ := f.Float64()
	return scaled{m, e}
}

// The roundings of the operations below are within one part in 2^52; up and down move a bound by more.
const (
	upward   = 1 + 0x1p-50
	downward = 1 - 0x1p-50
)

func (x scaled) up() scaled { return scaledBy(x.f*upward, x.e) }

func (x scaled) down() scaled { return scaledBy(x.f*downward, x.e) }

func (x scaled) times(y scaled) scaled { return scaledBy(x.f*y.f, x.e+y.e) }

func (x scaled) over(y scaled) scaled { return scaledBy(x.f/y.f, x.e-y.e) }

// plus returns x + y; a term below 2^-1000 of the other is dropped.
func (x scaled) plus(y scaled) scaled {
	if x.f == 0 {
		return y
	}
	if y.f == 0 {
		return x
	}
	if x.e < y.e {
		x, y = y, x
	}
	return scaledBy(x.f+math.Ldexp(y.f, max(y.e-x.e, -1000)), x.e)
}

func (x scaled) minus(y scaled) scaled { return x.plus(scaled{-y.f, y.e}) }

// less reports whether x < y.
func (x scaled) less(y scaled) bool { return x.minus(y).f < 0 }

// float returns x as float64.
func (x scaled) float() float64 { return math.Ldexp(x.f, x.e) }
