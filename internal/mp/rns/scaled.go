package rns

import (
	"math"
	"math/big"
)

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
