// Package formats defines the number formats that matrix elements are stored in,
// as data: a [Format] gives the numbers of bits, and a few loops encode and decode
// all formats. A [Codec] is a format with the scale of its bucket.
//
//	kind      formats                       value of the bits
//	Head64    FP64, FP56/RP56 ... RP40      the leading bytes of a float64
//	Head32    FP32, FP24/RP24, BF16/RP16    the leading bytes of a float32
//	Relative  RPRE8 ... RPRE48              (-1)^s 1.f 2^(Exponent + e), e = 0 ... 7
//	          RPREU8 ... RPREU48            the same without s: one sign per bucket
//	Fixed     AFX8 ... AFX56                m 2^Exponent, m a two's complement integer
//	Minifloat FP16, FP8E4M3, FP8E5M2        the number of the standard times 2^Exponent
//
// ([Molina24], tables 3.1 and 4.1 to 4.3; AFX is mpsolve's own; FP16 is binary16 of IEEE
// 754-2008, the others are of [OCP23].) A float with p
// bits of significand, the hidden one included, has the unit roundoff u = 2^-p.
// The error of a value v in range is at most u |v| with rounding to nearest and less
// than 2 u |v| with truncation; in fixed point half a quantum and a quantum, where the
// quantum is 2^Exponent.
//
// Minifloats have subnormal numbers: below the least normal number the error is at most half of
// the least subnormal number, 2^(Exponent + 1 - bias - p).
//
// All codes of RPRE and RPREU are normal numbers, there is none for zero. NaN and Inf are
// not encoded, and codes for them, which Minifloats have, are not decoded. Values are stored little endian, one after the
// other, without padding between them.
package formats
