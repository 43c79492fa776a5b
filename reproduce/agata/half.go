package agata

import "math"

// Numbers of FP16, IEEE 754 binary16, are held as float32 here, which has them all. Rounding a
// sum, a difference or a product of float32 to FP16 gives what FP16 arithmetic gives: 24 bits
// are enough for two roundings of 11 to be like one.

// halfCode is the FP16 code of a number, rounded to nearest, ties to even; too large ones are
// infinite.
func halfCode(x float32) uint16 {
	const (
		excess = 127 - 15 // of the exponents
		cut    = 23 - 10  // bits of the significand
		least  = 0x1p-14  // normal
	)
	bits := math.Float32bits(x)
	negative := uint16(bits >> 16 & 0x8000)
	bits &= 1<<31 - 1
	switch magnitude := math.Float32frombits(bits); {
	case bits > 0x7f800000:
		return negative | 0x7e00 // NaN
	case magnitude < least: // in units of 2^-24, which the addition rounds to
		return negative | uint16(math.Float32bits(magnitude+0x1p-1)-math.Float32bits(0x1p-1))
	case magnitude >= 65520:
		return negative | 0x7c00
	}
	bits += 1<<(cut-1) - 1 + bits>>cut&1
	return negative | uint16(bits>>cut-excess<<10)
}

// halfValue is the number that an FP16 code stands for.
func halfValue(code uint16) float32 {
	magnitude := uint32(code & 0x7fff)
	switch {
	case magnitude >= 0x7c00: // infinite or no number
		magnitude = magnitude<<13 | 0xff<<23
	case magnitude < 1<<10: // exact
		magnitude = math.Float32bits(float32(magnitude) * 0x1p-24)
	default:
		magnitude = magnitude<<13 + (127-15)<<23
	}
	return math.Float32frombits(magnitude | uint32(code&0x8000)<<16)
}

// roundHalf rounds to FP16.
func roundHalf(x float32) float32 { return halfValue(halfCode(x)) }
