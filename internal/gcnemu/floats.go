package gcnemu

import "math"

func of(a uint64) float64                      { return math.Float64frombits(a) }
func bitsOf(v float64) uint64                  { return math.Float64bits(v) }
func float32Of(a uint64) float32               { return math.Float32frombits(uint32(a)) }
func float32Bits(v float32) uint64             { return uint64(math.Float32bits(v)) }
func fma(a, b, c uint64) uint64                { return bitsOf(math.FMA(of(a), of(b), of(c))) }
func saturated(v, least, most float64) float64 { return math.Trunc(max(least, min(v, most))) }

// unsigned32 and signed32 convert towards 0, to the nearest integer that there is; NaN becomes 0.
func unsigned32(v float64) uint64 {
	if v != v {
		return 0
	}
	return uint64(saturated(v, 0, math.MaxUint32))
}

func signed32(v float64) uint64 {
	if v != v {
		return 0
	}
	return low(uint64(int64(saturated(v, math.MinInt32, math.MaxInt32))))
}

// wrongBits is how many bits of v_rcp_f64 and v_rsq_f64 may be wrong, by the manuals.
const wrongBits = 29

// rough is a number that is wrong by up to 2^wrongBits units in the last place, by some that depend on
// its bits. Zeros, infinities and NaN are exact.
func rough(v float64) uint64 {
	b := bitsOf(v)
	if v == 0 || v-v != 0 {
		return b
	}
	wrong := int64(b*0x9e3779b97f4a7c15>>(63-wrongBits)) - 1<<wrongBits
	if w := b + uint64(wrong); w>>52 == b>>52 {
		return w
	}
	return b
}

// rough32 is the same for v_rcp_iflag_f32, by one unit.
func rough32(v float32) uint64 {
	b := math.Float32bits(v)
	if v == 0 || v-v != 0 {
		return uint64(b)
	}
	return uint64(b + (b*2654435761)>>30%3 - 1)
}

// exponent is the field of a number's exponent.
func exponent(a uint64) int { return int(a >> 52 & 2047) }

func subnormal(v float64) bool { return v != 0 && math.Abs(v) < 0x1p-1022 }

// A division is v_div_scale_f64 of both numbers, v_rcp_f64, steps of Newton's method, v_div_fmas_f64
// and v_div_fixup_f64, which together round correctly; but not a power of 2 by a number whose fraction is
// all ones, which is just above the middle of two numbers: with FMA alone it becomes the lower one. How numbers near the ends of the range are scaled is such
// that they do: the manuals are not clear about all of it.

// divideScale is what v_div_scale_f64 makes of a, the numerator or the denominator b of c / b; and
// divideScaled whether the quotient has to be scaled in the end.
func divideScale(a, b, c uint64) uint64 { v, _ := divideScales(a, b, c); return v }

func divideScaled(a, b, c uint64) uint64 { _, scaled := divideScales(a, b, c); return truth(scaled) }

func divideScales(a, b, c uint64) (v uint64, scaled bool) {
	by := func(n int) uint64 { return bitsOf(math.Ldexp(of(a), n)) }
	denominator, numerator := of(b), of(c)
	small, tiny := subnormal(1/denominator), subnormal(numerator/denominator)
	switch {
	case denominator == 0 || numerator == 0:
		return bitsOf(math.NaN()), false
	case exponent(c)-exponent(b) >= 768:
		if scaled = true; a == b {
			return by(128), true
		}
	case subnormal(denominator):
		return by(128), false
	case small && tiny:
		if scaled = true; a == b {
			return by(-128), true
		}
	case small:
		return by(-128), false
	case tiny:
		if scaled = true; a == c {
			return by(128), true
		}
	case exponent(c) <= 53:
		return by(128), false
	}
	return a, scaled
}

// divideFMA is v_div_fmas_f64 of a quotient that has to be scaled: back from where it was put.
func divideFMA(a, b, c uint64) uint64 {
	n := -128
	if exponent(c) > 1023 {
		n = 128
	}
	return bitsOf(math.Ldexp(of(fma(a, b, c)), n))
}

// divideFixup is v_div_fixup_f64: the quotient a of c / b, unless that is special.
func divideFixup(a, b, c uint64) uint64 {
	const sign = 1 << 63
	out := (b ^ c) & sign
	denominator, numerator := of(b), of(c)
	switch infinite := math.Inf(1); {
	case numerator != numerator:
		return c | 1<<51
	case denominator != denominator:
		return b | 1<<51
	case denominator == 0 && numerator == 0, math.Abs(denominator) == infinite && math.Abs(numerator) == infinite:
		return 0xfff8 << 48
	case denominator == 0 || math.Abs(numerator) == infinite:
		return out | bitsOf(infinite)
	case math.Abs(denominator) == infinite || numerator == 0:
		return out
	case exponent(c)-exponent(b) < -1075:
		return out
	case of(a) != of(a): // beyond all numbers on the way
		return out | bitsOf(infinite)
	}
	return out | a&^sign
}

// class says whether a number is of one of the classes that bits of which tell.
func class(a, which, _ uint64) uint64 {
	v, negative := of(a), a>>63 != 0
	at := 0
	switch {
	case v != v && a>>51&1 == 0:
		return which & 1
	case v != v:
		return which >> 1 & 1
	case math.IsInf(v, 0):
		at = 2
	case v == 0:
		at = 5
	case subnormal(v):
		at = 4
	default:
		at = 3
	}
	if !negative { // the same, mirrored
		at = 11 - at
	}
	return which >> at & 1
}
