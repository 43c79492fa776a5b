package kernels

import (
	"encoding/binary"
	"math"
)

// The decoders set dst to the first len(dst) numbers of src, little endian words
// of 1 to 8 bytes without gaps. DecodePadding bytes must follow the last one:
// the portable loops load eight bytes at a time.

// DecodePadding is the number of bytes that must follow the last word.
const DecodePadding = 7

// FloatBits says how a word, its bytes moved to the top of 64 bits, becomes a
// float64: shifted Up and then Down, plus Offset, or'ed with those of its bits
// that are in Sign. All zero, the word is the leading bytes of the float64.
type FloatBits struct {
	Up, Down     uint // below 64
	Offset, Sign uint64
}

// DecodeBits decodes words whose bits are those of a float64 in other places.
func DecodeBits(dst []float64, src []byte, bytes int, f FloatBits) {
	src = src[:len(dst)*bytes+DecodePadding]
	if !decodeBitsSIMD(dst, src, bytes, f) {
		decodeBits(dst, src, bytes, f)
	}
}

// DecodeFloat32 decodes the leading bytes, at most four, of float32 numbers.
func DecodeFloat32(dst []float64, src []byte, bytes int) {
	src = src[:len(dst)*bytes+DecodePadding]
	if !decodeFloat32SIMD(dst, src, bytes) {
		decodeFloat32(dst, src, bytes)
	}
}

// DecodeFixed decodes two's complement integers and multiplies with quantum.
func DecodeFixed(dst []float64, src []byte, bytes int, quantum float64) {
	src = src[:len(dst)*bytes+DecodePadding]
	if !decodeFixedSIMD(dst, src, bytes, quantum) {
		decodeFixed(dst, src, bytes, quantum)
	}
}

// loadWord returns the word at an offset at the top of 64 bits; what follows it
// in memory is shifted out.
func loadWord(src []byte, at int, shift uint) uint64 {
	return binary.LittleEndian.Uint64(src[at:at+8]) << (shift & 63)
}

func decodeBits(dst []float64, src []byte, bytes int, f FloatBits) {
	shift := uint(64 - 8*bytes)
	for i, at := 0, 0; i < len(dst); i, at = i+1, at+bytes {
		word := loadWord(src, at, shift)
		dst[i] = math.Float64frombits((word<<(f.Up&63)>>(f.Down&63) + f.Offset) | word&f.Sign)
	}
}

func decodeFloat32(dst []float64, src []byte, bytes int) {
	shift := uint(64 - 8*bytes)
	for i, at := 0, 0; i < len(dst); i, at = i+1, at+bytes {
		dst[i] = float64(math.Float32frombits(uint32(loadWord(src, at, shift) >> 32)))
	}
}

func decodeFixed(dst []float64, src []byte, bytes int, quantum float64) {
	shift := uint(64 - 8*bytes)
	for i, at := 0, 0; i < len(dst); i, at = i+1, at+bytes {
		dst[i] = float64(int64(loadWord(src, at, shift))>>(shift&63)) * quantum
	}
}
