package kernels

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Quantize sets m[k] to v[k] scale rounded to the nearest integer, ties to even,
// and width[k] to its bits as a two's complement number (1 for 0), and returns how
// many are 0. The products are finite and below 2^63.
func (k *Set) Quantize(m []int64, width []uint8, v []float64, scale float64) (zeros int) {
	return k.quantize(m[:len(v)], width[:len(v)], v, scale)
}

type (
	quantizeKernel = func(m []int64, width []uint8, v []float64, scale float64) (zeros int)
	packKernel     = func(dst []byte, m []int64, index *[Lanes]int64, size, w int)
)

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

// PackSlot packs, for c = 0, ..., size-1, the integers m[index[l]+c] of eight
// lanes l into w bits each, w bytes in all, one group of eight after the other;
// lanes with a negative index are zero, sign bits flipped as SlotPanel says. dst has
// SlotPadding bytes more.
func (k *Set) PackSlot(dst []byte, m []int64, index *[Lanes]int64, size, w int) {
	k.pack(dst, m, index, size, w)
}

// packSlot is PackSlot in portable Go.
func packSlot(dst []byte, m []int64, index *[Lanes]int64, size, w int) {
	mask, flip := uint64(1)<<w-1, flipped(w)
	for c := range size {
		to := dst[c*w : c*w+w+8]
		var word uint64
		free := 64
		for _, e := range index {
			v := flip
			if e >= 0 {
				v ^= uint64(m[int(e)+c]) & mask
			}
			word |= v << (64 - free)
			if free > w {
				free -= w
				continue
			}
			binary.LittleEndian.PutUint64(to, word)
			to = to[8:]
			word = v >> free // free bits of v are written; a shift by 64 gives 0
			free += 64 - w
		}
		binary.LittleEndian.PutUint64(to, word)
	}
}
