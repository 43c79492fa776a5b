package matrixmarket

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"unsafe"
)

// wordPad is the number of readable bytes that must follow the text, so that
// digits can be taken eight at a time up to its end.
const wordPad = 16

// maxDigits is how many decimal digits always fit in a uint64.
const maxDigits = 19

// powersOf10 are the powers of ten that float64 holds exactly.
var powersOf10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// shift10[n] makes room for n more decimal digits, n ≤ 8.
var shift10 = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// powersOf5 are the powers of five that fit in 63 bits: 5^0 to 5^27.
var powersOf5 = func() (p [28]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 5 * p[i-1]
	}
	return p
}()

// digitRun returns how many of the eight bytes of w, lowest first, are decimal
// digits before the first that is not, and the number that they write.
func digitRun(w uint64) (value uint64, n int) {
	d := w ^ 0x3030303030303030
	// A byte above 9 gets its high bit set. Carries only run upwards, past the
	// first such byte.
	n = bits.TrailingZeros64(((d+0x7676767676767676)|d)&0x8080808080808080) >> 3
	// The digits move to the top bytes; what comes in below reads as zeros in
	// front. Then pairs, quadruples and all eight are joined.
	d <<= uint(64 - 8*n)
	d = d*10 + d>>8
	const low = 0x000000FF000000FF
	d = ((d&low)*(100+1000000<<32) + (d>>16&low)*(1+10000<<32)) >> 32
	return d, n
}

// scanIndex reads an unsigned whole number of at most 15 digits at text[i:].
// It returns the position behind it, or i where there is none.
func scanIndex(text []byte, i int) (value uint64, next int) {
	value, n := digitRun(binary.LittleEndian.Uint64(text[i:]))
	if n < 8 {
		return value, i + n
	}
	more, k := digitRun(binary.LittleEndian.Uint64(text[i+8:]))
	if k == 8 {
		return 0, i
	}
	return value*shift10[k] + more, i + 8 + k
}

// scanInteger reads a signed whole number of at most 15 digits, which float64
// holds exactly. It returns i where there is none of that kind.
func scanInteger(text []byte, i int) (value float64, next int) {
	start := i
	negative := text[i] == '-'
	if negative {
		i++
	}
	n, next := scanIndex(text, i)
	if next == i {
		return 0, start
	}
	value = float64(n)
	if negative {
		value = 0 - value // whole numbers have no -0
	}
	return value, next
}

// scanFloat reads a decimal number at text[i:] and returns the nearest
// float64 and the position behind the number. It returns next = i for
// everything out of the ordinary, which parseValue then looks at with care:
// no number at all, nan and inf, overflow, an exponent without a letter.
func scanFloat(text []byte, i int) (value float64, next int) {
	start := i
	var sign uint64
	switch text[i] {
	case '-':
		sign = 1 << 63
		i++
	case '+':
		i++
	}
	mantissa, n := digitRun(binary.LittleEndian.Uint64(text[i:]))
	digits, exp := n, 0
	i += n
	for n == 8 && digits <= maxDigits {
		var more uint64
		more, n = digitRun(binary.LittleEndian.Uint64(text[i:]))
		mantissa = mantissa*shift10[n] + more
		digits += n
		i += n
	}
	if text[i] == '.' {
		i++
		point := i
		for {
			var more uint64
			more, n = digitRun(binary.LittleEndian.Uint64(text[i:]))
			mantissa = mantissa*shift10[n] + more
			i += n
			if n < 8 || i-point > maxDigits {
				break
			}
		}
		digits += i - point
		exp = point - i
	}
	if digits == 0 {
		return 0, start
	}
	if c := text[i] | 0x20; c == 'e' || c == 'd' {
		e, behind := scanExponent(text, i+1)
		if behind == i+1 {
			return 0, start
		}
		exp += e
		if c == 'd' && digits > maxDigits {
			return 0, start // strconv does not know the letter
		}
		i = behind
	}
	if digits > maxDigits {
		if c := text[i]; c > ' ' { // the digits may go on
			return 0, start
		}
		return parseDecimal(text, start, i)
	}
	switch {
	case mantissa < 1<<53 && exp <= 0 && exp >= -22:
		value = float64(mantissa) / powersOf10[-exp]
	case mantissa < 1<<53 && exp > 0 && exp <= 22:
		value = float64(mantissa) * powersOf10[exp]
	case mantissa == 0:
	case exp <= 0 && exp > -len(powersOf5):
		value = quotient(mantissa, -exp)
	default:
		return parseDecimal(text, start, i)
	}
	return math.Float64frombits(math.Float64bits(value) | sign), i
}

// scanExponent reads an exponent of one to four digits with or without a sign.
func scanExponent(text []byte, i int) (exp, next int) {
	start := i
	negative := text[i] == '-'
	if negative || text[i] == '+' {
		i++
	}
	e, n := digitRun(binary.LittleEndian.Uint64(text[i:]))
	if n == 0 || n > 4 {
		return 0, start
	}
	if negative {
		return -int(e), i + n
	}
	return int(e), i + n
}

// quotient returns the float64 nearest to w / 10^k, 0 < w and 0 ≤ k ≤ 27.
//
// Both w and 5^k are shifted so that their top bit is set; then the quotient
// of w·2^63 by 5^k has 63 or 64 bits, of which the last is made to stand for a
// remainder. That is all that rounding to 53 bits needs, so the result is
// exact, and no number near these bounds is subnormal.
func quotient(w uint64, k int) float64 {
	d := powersOf5[k]
	lw, ld := bits.LeadingZeros64(w), bits.LeadingZeros64(d)
	w <<= uint(lw)
	d <<= uint(ld)
	q, r := bits.Div64(w>>1, w<<63, d) // w>>1 < d, so the quotient fits
	if r != 0 {
		q |= 1
	}
	// The conversion rounds to nearest even, and q has at least 10 bits that
	// are rounded away, so the sticky bit cannot be mistaken for a value.
	f := float64(q)
	return f * math.Float64frombits(uint64(1023+ld-lw-63-k)<<52)
}

// parseDecimal gives strconv a number whose form is known to be right.
// It returns next = start if the number overflows.
func parseDecimal(text []byte, start, end int) (value float64, next int) {
	// A letter d has to go, and the token may lie in a shared buffer.
	var buf [64]byte
	token := text[start:end]
	if len(token) <= len(buf) {
		n := copy(buf[:], token)
		for j := range buf[:n] {
			if buf[j]|0x20 == 'd' {
				buf[j] = 'e'
			}
		}
		token = buf[:n]
	}
	value, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(token), len(token)), 64)
	if err != nil {
		return 0, start
	}
	return value, end
}
