package kernels

import (
	"math"
	"math/bits"
)

// Quantize sets m[k] to v[k] scale rounded to the nearest integer, ties to even,
// and width[k] to its bits as a two's complement number (1 for 0), and returns how
// many are 0. The products are finite and below 2^63.
func (k *Set) Quantize(m []int64, width []uint8, v []float64, scale float64) (zeros int) {
	return k.quantize(m[:len(v)], width[:len(v)], v, scale)
}

type quantizeKernel = func(m []int64, width []uint8, v []float64, scale float64) (zeros int)

// quantize is Quantize in portable Go.
func quantize(m []int64, width []uint8, v []float64, scale float64) (zeros int) {
	for k, x := range v {
		i := int64(math.RoundToEven(x * scale))
		m[k], width[k] = i, BitsOf(i)
		if i == 0 {
			zeros++
		}
	}
	return zeros
}

// BitsOf is the length of m as a two's complement number.
func BitsOf(m int64) uint8 { return uint8(bits.Len64(uint64(m^m>>63)) + 1) }
