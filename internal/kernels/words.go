package kernels

import (
	"encoding/binary"
	"math"
)

// wordKernels are the kernels of words of codecs.
type wordKernels struct {
	decode decodeKernel
}

var portableWords = wordKernels{
	decode: decodeWords,
}

// Words describes how stored words of 1 to 8 bytes, little endian and without gaps, are decoded to float64. Let w be
// a word with its bytes moved to the top of 64 bits.
type Words struct {
	Kind  WordKind
	Bytes int

	// FloatBits: w shifted Up and then Down, plus Offset, or'ed with the bits of w in Sign, are the bits of a
	// float64; a w of zeros gives w itself.
	// Fixed: w shifted Down, with its sign, times Quantum.
	// Scaled: as FloatBits, times Quantum, so that subnormal numbers are possible.
	Up, Down     uint // below 64
	Offset, Sign uint64
	Quantum      float64
}

// WordKind is the meaning of the bits of words.
type WordKind int

const (
	FloatBits WordKind = iota // the bits of a float64, in other positions
	Float32                   // the leading bytes, at most four, of a float32
	Fixed                     // a two's complement integer
	Scaled                    // the bits of a float64 that is too small by a power of two
)

// WordPadding is the number of bytes that must follow the last word, since kernels load 64 bytes at a time.
const WordPadding = 63

// Decode sets dst to the first len(dst) numbers of src. dst and src may be on the stack.
func (k *Set) Decode(w Words, dst []float64, src []byte) {
	src = src[:len(dst)*w.Bytes+WordPadding]
	if len(dst) > 0 {
		k.decode(hidden(dst), hidden(src), w)
	}
}

// decodeKernel is Decode for at least one number.
type decodeKernel = func(dst []float64, src []byte, w Words)

// decodeWords is Decode in portable Go.
func decodeWords(dst []float64, src []byte, w Words) {
	switch {
	case w.Kind == Float32:
		decodeFloat32(dst, src, w.Bytes)
	case w.Kind == Fixed:
		decodeFixed(dst, src, w)
	case w.Kind == Scaled:
		decodeScaled(dst, src, w)
	case w == (Words{Bytes: w.Bytes}):
		decodeHead(dst, src, w.Bytes)
	default:
		decodeBits(dst, src, w)
	}
}

// load returns the word at an offset, at the top of 64 bits; the bytes after it are shifted out.
func load(src []byte, at int, shift uint) uint64 {
	return binary.LittleEndian.Uint64(src[at:at+8]) << (shift & 63)
}

func decodeHead(dst []float64, src []byte, bytes int) {
	shift := uint(64 - 8*bytes)
	for i, at := 0, 0; i < len(dst); i, at = i+1, at+bytes {
		dst[i] = math.Float64frombits(load(src, at, shift))
	}
}

func decodeFloat32(dst []float64, src []byte, bytes int) {
	shift := uint(64 - 8*bytes)
	for i, at := 0, 0; i < len(dst); i, at = i+1, at+bytes {
		dst[i] = float64(math.Float32frombits(uint32(load(src, at, shift) >> 32)))
	}
}

func decodeBits(dst []float64, src []byte, w Words) {
	shift := uint(64 - 8*w.Bytes)
	for i, at := 0, 0; i < len(dst); i, at = i+1, at+w.Bytes {
		word := load(src, at, shift)
		dst[i] = math.Float64frombits((word<<(w.Up&63)>>(w.Down&63) + w.Offset) | word&w.Sign)
	}
}

func decodeFixed(dst []float64, src []byte, w Words) {
	shift := uint(64 - 8*w.Bytes)
	for i, at := 0, 0; i < len(dst); i, at = i+1, at+w.Bytes {
		dst[i] = float64(int64(load(src, at, shift))>>(w.Down&63)) * w.Quantum
	}
}

func decodeScaled(dst []float64, src []byte, w Words) {
	shift := uint(64 - 8*w.Bytes)
	for i, at := 0, 0; i < len(dst); i, at = i+1, at+w.Bytes {
		word := load(src, at, shift)
		dst[i] = math.Float64frombits((word<<(w.Up&63)>>(w.Down&63)+w.Offset)|word&w.Sign) * w.Quantum
	}
}
