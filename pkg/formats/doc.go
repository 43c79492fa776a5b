// Package formats holds the number formats that matrix elements are stored in,
// as data: a [Format] says how many bits there are of what, and about four
// loops encode and decode all of them, those that decode in internal/kernels. A
// [Codec] is a format in use, with the scale of its bucket.
//
//	kind      formats                       value of the bits
//	Head64    FP64, FP56/RP56 ... RP40      the leading bytes of a float64
//	Head32    FP32, FP24/RP24, BF16/RP16    the leading bytes of a float32
//	Relative  RPRE8 ... RPRE48              (-1)^s 1.f 2^(Exponent + e), e = 0 ... 7
//	          RPREU8 ... RPREU48            the same without s: one sign per bucket
//	Fixed     AFX8 ... AFX56                m 2^Exponent, m a two's complement integer
//
// ([Molina24], tables 3.1 and 4.1 to 4.3; AFX is mpsolve's own.) A float with p
// bits of significand, the hidden one included, has the unit roundoff u = 2^-p.
// Rounded to nearest, a value v in range carries an error of at most u |v|,
// truncated of less than 2 u |v|; in fixed point the bounds are half a quantum
// and a quantum, with the quantum 2^Exponent.
//
// RPRE and RPREU spend all codes on normal numbers and have none for zero. No
// format takes NaN or Inf. Values are stored little endian, one after the
// other, without padding between them.
package formats
