package dist

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// codec is the encoding of elements in messages.
type codec[T any] struct {
	bytes int                                 // of an element
	put   func(out []byte, x []T, at []int32) // writes the elements at these positions
	get   func(x []T, at []int32, in []byte)  // reads them
	copy  func(dst, src []T)                  // sets dst to what would be read
}

// plain is the codec that sends numbers unchanged.
func plain[T float32 | float64]() codec[T] {
	var zero T
	return codec[T]{
		bytes: int(unsafe.Sizeof(zero)),
		put: func(out []byte, x []T, at []int32) {
			to := numbers[T](out)[:len(at)]
			for i, k := range at {
				to[i] = x[k]
			}
		},
		get: func(x []T, at []int32, in []byte) {
			for i, v := range numbers[T](in)[:len(at)] {
				x[at[i]] = v
			}
		},
		copy: func(dst, src []T) { copy(dst, src) },
	}
}

// numbers returns b as numbers, in the same memory.
func numbers[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

// roundedBytes returns the least number of leading bytes of float64 whose roundoff is at most epsilon: k bytes hold a
// sign, 11 bits of exponent and 8 k - 12 bits of fraction.
func roundedBytes(epsilon float64) int {
	for k := 3; k < 8; k++ {
		if math.Ldexp(1, 11-8*k) <= epsilon {
			return k
		}
	}
	return 8
}

// rounded is the codec of numbers rounded to so many leading bytes of float64, 3 to 7.
func rounded(bytes int) codec[float64] {
	drop := uint(64 - 8*bytes)
	return codec[float64]{
		bytes: bytes,
		put: func(out []byte, x []float64, at []int32) {
			for i, k := range at {
				b := roundBits(x[k], drop) >> drop
				if o := out[i*bytes:]; (len(at)-i)*bytes >= 8 {
					binary.LittleEndian.PutUint64(o, b) // also into the next ones, which are written later
				} else {
					for j := range bytes {
						o[j] = byte(b >> (8 * j))
					}
				}
			}
		},
		get: func(x []float64, at []int32, in []byte) {
			for i, k := range at {
				var b uint64
				if o := in[i*bytes:]; (len(at)-i)*bytes >= 8 {
					b = binary.LittleEndian.Uint64(o)
				} else {
					for j := range bytes {
						b |= uint64(o[j]) << (8 * j)
					}
				}
				x[k] = math.Float64frombits(b << drop)
			}
		},
		copy: func(dst, src []float64) {
			for i, v := range src {
				dst[i] = math.Float64frombits(roundBits(v, drop))
			}
		},
	}
}

// roundBits returns the bits of v without the last drop bits, rounded to nearest, ties to even. The result is finite
// if v is finite, and NaN if v is NaN.
func roundBits(v float64, drop uint) uint64 {
	const exponent = 2047 << 52
	b := math.Float64bits(v)
	low := uint64(1)<<drop - 1
	if b&exponent == exponent {
		if v != v {
			b |= 1 << 51
		}
		return b &^ low
	}
	r := b + low>>1 + b>>drop&1
	if r&exponent == exponent { // the largest numbers are rounded towards zero
		r = b
	}
	return r &^ low
}
