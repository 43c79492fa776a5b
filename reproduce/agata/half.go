package agata

import "math"

// Numbers of FP16, IEEE 754 binary16, are held as float32, which represents all of them. Rounding a float32 sum,
// difference or product of FP16 numbers to FP16 gives the result of FP16 arithmetic: the 24 bits of FP32 are enough
// for the double rounding to 11 bits to be harmless.

// halfCode returns the FP16 code of a number rounded to nearest, ties to even; too large numbers become infinite.
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
	case magnitude < least: // in units of 2^-24, to which the addition rounds
		return negative | uint16(math.Float32bits(magnitude+0x1p-1)-math.Float32bits(0x1p-1))
	case magnitude >= 65520:
		return negative | 0x7c00
	}
	bits += 1<<(cut-1) - 1 + bits>>cut&1
	return negative | uint16(bits>>cut-excess<<10)
}

// halfValue returns the number that an FP16 code represents.
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
