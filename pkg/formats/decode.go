package formats

import (
	"encoding/binary"
	"math"
)

// Decode sets dst to the first len(dst) values of src, which must be Padding
// bytes longer than these.
func (c Codec) Decode(dst []float64, src []byte) {
	if len(dst) == 0 {
		return
	}
	src = src[:len(dst)*c.Bytes+Padding]
	switch c.Kind {
	case Head64:
		decodeHead64(dst, src, c.Bytes)
	case Head32:
		decodeHead32(dst, src, c.Bytes)
	case Relative:
		c.decodeRelative(dst, src)
	default:
		decodeFixed(dst, src, c.Bytes, math.Ldexp(1, c.Exponent))
	}
}

// load returns the value at an offset in the leading bytes of a word; what
// follows it in memory is shifted out.
func load(src []byte, at int, shift uint) uint64 {
	return binary.LittleEndian.Uint64(src[at:at+8]) << (shift & 63)
}

func decodeHead64(dst []float64, src []byte, bytes int) {
	shift := uint(64 - 8*bytes)
	for i, at := 0, 0; i < len(dst); i, at = i+1, at+bytes {
		dst[i] = math.Float64frombits(load(src, at, shift))
	}
}

func decodeHead32(dst []float64, src []byte, bytes int) {
	shift := uint(64 - 8*bytes)
	for i, at := 0, 0; i < len(dst); i, at = i+1, at+bytes {
		dst[i] = float64(math.Float32frombits(uint32(load(src, at, shift) >> 32)))
	}
}

// decodeRelative moves the three bits of the exponent to their place and adds
// the exponent of the bucket; the sign is that of the value or of the bucket.
func (c Codec) decodeRelative(dst []float64, src []byte) {
	const exponentAt = 64 - 3 - fractionBits // from the top of the word
	shift := uint(64 - 8*c.Bytes)
	offset := uint64(c.Exponent+bias) << fractionBits
	signBit, signShift := uint64(0), uint(0)
	if c.Signed {
		signBit, signShift = 1<<63, 1
	} else if c.Negative {
		offset |= 1 << 63
	}
	for i, at := 0, 0; i < len(dst); i, at = i+1, at+c.Bytes {
		word := load(src, at, shift)
		bits := word << (signShift & 63) >> exponentAt
		dst[i] = math.Float64frombits((bits + offset) | word&signBit)
	}
}

func decodeFixed(dst []float64, src []byte, bytes int, quantum float64) {
	shift := uint(64 - 8*bytes)
	for i, at := 0, 0; i < len(dst); i, at = i+1, at+bytes {
		dst[i] = float64(int64(load(src, at, shift))>>(shift&63)) * quantum
	}
}
