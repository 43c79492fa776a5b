package formats

import "math"

// Codec is a format with the scale of the values that it stores.
type Codec struct {
	Format
	// Exponent is the scale: Relative formats take magnitudes from 2^Exponent
	// to 2^(Exponent+8), Fixed ones multiples of 2^Exponent, Minifloats their numbers times
	// 2^Exponent. Heads ignore it.
	Exponent  int
	Negative  bool // the sign of all values of an unsigned format
	Truncates bool // bits that the format cannot store are cut off, as in the papers, instead of rounded to nearest even
}

const (
	fractionBits = 52 // of a float64
	bias         = 1023
)

// Exponents at which every scaled value is a normal float64.
const (
	minExponent      = -1022
	maxRelative      = 1023 - 7
	maxFixedExponent = 1023 - 56
)

// Unit returns the codec of f with the scale at which all magnitudes just below 2 are in range, or
// almost: heads have none, a Relative format takes magnitudes from 2^-7 to half a unit in the last
// place below 2.
func (f Format) Unit() Codec {
	c := Codec{Format: f}
	switch f.Kind {
	case Relative:
		c.Exponent = -f.MaxExponent()
	case Fixed: // leaves one bit unused
		c.Exponent = 3 - 8*f.Bytes
	case Minifloat: // the last binade is not complete
		c.Exponent = 1 - f.MaxExponent()
	}
	return c
}

// scaleInRange reports whether the codec supports its scale.
func (c Codec) scaleInRange() bool {
	switch c.Kind {
	case Relative:
		return minExponent <= c.Exponent && c.Exponent <= maxRelative
	case Fixed:
		return minExponent <= c.Exponent && c.Exponent <= maxFixedExponent
	case Minifloat: // all numbers and the factor of Words are normal
		return minExponent <= c.grain() && c.Exponent <= c.bias()
	}
	return true
}

// grain is the exponent of the least subnormal number of a Minifloat.
func (c Codec) grain() int { return c.Exponent + 2 - c.bias() - c.Significand }

// Range returns the least and the largest magnitude that Encode takes; between
// them the error is within ErrorBound. Heads and Fixed take zero besides, Fixed
// also what rounds to -2^(8 Bytes - 1) quanta. Both are zero if the scale is out of range.
//
// A value above the last code is stored as that code as long as this is as near
// as a code could be. Heads take normal numbers only, FP64 everything finite; Minifloats take
// what is below their least normal number as a subnormal one or as zero.
func (c Codec) Range() (least, largest float64) {
	if !c.scaleInRange() {
		return 0, 0
	}
	if c.Kind == Fixed {
		return 0, c.largestFixed()
	}
	l := c.layout()
	most := l.value(l.maxCode)
	switch {
	case c.Significand == fractionBits+1: // nothing is rounded, not even a subnormal
		return math.SmallestNonzeroFloat64, most
	case c.Truncates:
		largest = math.Float64frombits(math.Float64bits(most) | (1<<l.drop - 1))
	default:
		largest = most + math.Ldexp(1, math.Ilogb(most)-c.Significand)
	}
	if c.Kind == Minifloat {
		return 0, largest
	}
	return l.value(0), largest
}

// LeastNormal returns the least magnitude from which on the error is relative, 0 for Fixed;
// below it the error of a Minifloat is at most half of its least subnormal number, or less than
// that number with truncation.
func (c Codec) LeastNormal() float64 {
	least, _ := c.Range()
	if c.Kind == Minifloat && c.scaleInRange() {
		return c.layout().value(0)
	}
	return least
}

// largestFixed is the largest value that rounds, or saturates, to the last code.
func (c Codec) largestFixed() float64 {
	codes := math.Ldexp(1, 8*c.Bytes-1) // of one sign
	switch {
	case c.Bytes == 7:
		return math.Ldexp(math.Nextafter(codes, 0), c.Exponent) // an integer
	case c.Truncates:
		return math.Ldexp(math.Nextafter(codes, 0), c.Exponent)
	}
	return math.Ldexp(codes-0.5, c.Exponent)
}

// mostNegative is the magnitude, in quanta, of the least value that rounds to
// the code -2^(8 Bytes - 1).
func (c Codec) mostNegative() float64 {
	codes := math.Ldexp(1, 8*c.Bytes-1)
	if c.Truncates {
		return max(codes, math.Nextafter(codes+1, 0))
	}
	return codes + 0.5 // a tie goes to the even code, which is this one
}

// ErrorBound bounds |decoded - v| for a v in range.
func (c Codec) ErrorBound(v float64) float64 {
	bound := math.Abs(v) * math.Ldexp(1, -c.Significand)
	switch {
	case c.Kind == Fixed:
		bound = math.Ldexp(0.5, c.Exponent)
	case c.Kind == Minifloat:
		bound = max(bound, math.Ldexp(0.5, c.grain()))
	case c.Significand == fractionBits+1:
		return 0
	}
	if c.Truncates {
		bound *= 2
	}
	return bound
}

// layout holds the constants of the loops for floating-point kinds. A code is the
// word without its sign: exponent and fraction of a float64 less `offset`,
// shortened by `drop` bits.
type layout struct {
	drop    uint   // fraction bits that are left out
	offset  uint64 // what code 0 is as the bits of a float64
	minCode uint64 // 1 where code 0 stands for zero
	maxCode uint64
	sign    uint    // place of the sign bit
	perUnit float64 // of Minifloats, the reciprocal of the least subnormal number
}

func (c Codec) layout() layout {
	l := layout{drop: uint(fractionBits + 1 - c.Significand), sign: uint(8*c.Bytes - 1), maxCode: c.lastCode()}
	if c.Kind == Relative {
		l.offset = uint64(c.Exponent+bias) << fractionBits
		return l
	}
	l.minCode = 1 << (c.Significand - 1) // the first exponent stands for zero and subnormals
	scale := 0
	if c.Kind == Minifloat {
		scale = c.Exponent
		l.perUnit = math.Ldexp(1, -c.grain())
	}
	l.offset = uint64(bias-c.bias()+scale) << fractionBits
	return l
}

// value returns the magnitude that a code stands for; the magnitude of code 0 is the least
// normal one.
func (l layout) value(code uint64) float64 {
	return math.Float64frombits(max(code, l.minCode)<<l.drop + l.offset)
}
