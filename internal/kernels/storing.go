package kernels

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// storingKernels are the kernels of storing a matrix.
type storingKernels struct {
	quantize      quantizeKernel
	arrange       arrangeKernel
	sameDiagonals diagonalsKernel
	blockWidths   blockWidthsKernel
	mirror        mirrorKernel
	absSums       absSumsKernel
	pack          packKernel
	packBlocks    packBlocksKernel
}

var portableStoring = storingKernels{
	quantize:      quantize,
	arrange:       arrangeSlots,
	sameDiagonals: sameDiagonals,
	blockWidths:   blockWidths,
	mirror:        mirror,
	absSums:       absSums,
	pack:          packSlots,
	packBlocks:    packBlocks,
}

// FloatItem is the width of items whose slots hold float64 numbers: what PackSlots packs into 64 bits.
const FloatItem = 63

// WidthPadding is the number of bytes by which the capacity of widths exceeds their length.
const WidthPadding = 32

// Runs are the items of eight lanes: lane l has the items From[l] to To[l]-1.
type Runs struct{ From, To [Lanes]int32 }

// ArrangeSlots puts each lane's items into slots by decreasing width; items of the same width keep their order. Slot
// k has the items items[8k+l], -1 where lane l has none left, in the columns base + index[8k+l], with 0 where there
// is none; widest[k] is the largest of their widths. There are as many slots as the longest run has items. Widths are
// below 64, the columns of the items are less than 2^16 above base, and cap(width) is WidthPadding more than
// len(width).
func (k *Set) ArrangeSlots(items []int32, index []uint16, widest []uint8, r *Runs, width []uint8, col []int32, base int32) {
	k.arrange(items, index, widest, r, width, col, base)
}

type arrangeKernel = func(items []int32, index []uint16, widest []uint8, r *Runs, width []uint8, col []int32, base int32)

// SameDiagonals reports whether the lanes have the same diagonals: the columns of lane l are those of lane 0 plus l.
// If so, it sets widest[k] to the largest width of the lanes' items number k, and items to these items, slot by slot.
// Lane l has len(widest) items from first[l] on. cap(width) is WidthPadding more than len(width).
func (k *Set) SameDiagonals(items []int32, widest, width []uint8, col, first []int32) bool {
	return k.sameDiagonals(items, widest, width, col, first)
}

type diagonalsKernel = func(items []int32, widest, width []uint8, col, first []int32) bool

// BlockWidths sets widest[k] to the largest width in block k of b rows full of b x b blocks. width begins with the
// first element, and rows are stride apart. cap(width) is WidthPadding more than len(width).
func (k *Set) BlockWidths(widest, width []uint8, stride, b int) {
	k.blockWidths(widest, width, stride, b)
}

type blockWidthsKernel = func(widest, width []uint8, stride, b int)

// Mirror returns the contribution of rows, of a matrix of integers m, to a sum that tells whether the matrix is
// symmetric: the sum over the elements above the diagonal, minus the sum over those below, of weights[i] weights[j]
// f(m) modulo 2^64, where f(m) is m xor its bits from 29 on. The first row has the number row and the elements
// first[0] to first[1]-1, in the columns col, and so on.
func (k *Set) Mirror(first, col []int32, m []int64, weights []uint64, row int) uint64 {
	return k.mirror(first, col, m, weights, row)
}

type mirrorKernel = func(first, col []int32, m []int64, weights []uint64, row int) uint64

// AbsSums sets sums[i] to the sum of the magnitudes of val[rowPtr[i]:rowPtr[i+1]]: the sum of elements 0, 2, ... plus
// the sum of elements 1, 3, ...
func (k *Set) AbsSums(sums []float64, rowPtr []int64, val []float64) { k.absSums(sums, rowPtr, val) }

type absSumsKernel = func(sums []float64, rowPtr []int64, val []float64)

// PackSlots packs the integers m[items[8k+l]] of the lanes l of slot k, zeros for negative items, into w = widths[k]
// bits each, w bytes in all, with sign bits flipped as in SlotPanel. Slots go to even and odd in turn, which have
// SlotPadding additional bytes.
func (k *Set) PackSlots(even, odd []byte, m []int64, items []int32, widths []uint8) {
	k.pack(even, odd, m, items, widths)
}

type packKernel = func(even, odd []byte, m []int64, items []int32, widths []uint8)

// BlockItems are eight b x b blocks of integers: row i of lane l's block is m[First[l]+i Stride[l]] and the b-1
// integers after it; the block is zero if First[l] is negative.
type BlockItems struct{ First, Stride [Lanes]int32 }

// PackBlocks packs a slot of b x b blocks as PackSlots packs slots of elements: row i of the blocks gives b groups of
// w bytes in to[i].
func (k *Set) PackBlocks(to *[MaxBlock][]byte, m []int64, items *BlockItems, b, w int) {
	k.packBlocks(to, m, items, b, w)
}

type packBlocksKernel = func(to *[MaxBlock][]byte, m []int64, items *BlockItems, b, w int)

// arrangeSlots is ArrangeSlots in portable Go.
func arrangeSlots(items []int32, index []uint16, widest []uint8, r *Runs, width []uint8, col []int32, base int32) {
	for k := range items {
		items[k] = -1
	}
	clear(index)
	clear(widest)
	for l, from := range r.From {
		var place [64]int // of the next item of each width
		for _, w := range width[from:r.To[l]] {
			place[w]++
		}
		next := 0
		for w := len(place) - 1; w >= 0; w-- {
			place[w], next = next, next+place[w]
		}
		for e := from; e < r.To[l]; e++ {
			w := width[e]
			k := place[w]
			place[w]++
			items[Lanes*k+l], index[Lanes*k+l] = e, uint16(col[e]-base)
			widest[k] = max(widest[k], w)
		}
	}
}

// sameDiagonals is SameDiagonals in portable Go.
func sameDiagonals(items []int32, widest, width []uint8, col, first []int32) bool {
	clear(widest)
	run := col[first[0]:][:len(widest)]
	for l, from := range first {
		other, w := col[from:][:len(run)], width[from:][:len(run)]
		for k, j := range run {
			if other[k] != j+int32(l) {
				return false
			}
			widest[k] = max(widest[k], w[k])
			items[len(first)*k+l] = from + int32(k)
		}
	}
	return true
}

// blockWidths is BlockWidths in portable Go.
func blockWidths(widest, width []uint8, stride, b int) {
	clear(widest)
	for r := range b {
		w := width[r*stride:][:b*len(widest)]
		for k, v := range widest {
			for _, x := range w[:b] {
				v = max(v, x)
			}
			widest[k], w = v, w[b:]
		}
	}
}

// mirror is Mirror in portable Go.
func mirror(first, col []int32, m []int64, weights []uint64, row int) (sum uint64) {
	for i, from := range first[:len(first)-1] {
		own := uint64(0)
		for k := from; k < first[i+1]; k++ {
			v := uint64(m[k])
			v = (v ^ v>>29) * weights[col[k]]
			switch j := int(col[k]); {
			case j > row+i:
				own += v
			case j < row+i:
				own -= v
			}
		}
		sum += weights[row+i] * own
	}
	return sum
}

// absSums is AbsSums in portable Go.
func absSums(sums []float64, rowPtr []int64, val []float64) {
	for i := range sums {
		var s, t float64
		vals := val[rowPtr[i]:rowPtr[i+1]]
		for len(vals) >= 2 {
			s += math.Abs(vals[0])
			t += math.Abs(vals[1])
			vals = vals[2:]
		}
		if len(vals) > 0 {
			s += math.Abs(vals[0])
		}
		sums[i] = s + t
	}
}

// packSlots is PackSlots in portable Go.
func packSlots(even, odd []byte, m []int64, items []int32, widths []uint8) {
	for k, w := range widths {
		packLanes(even, m, (*[Lanes]int32)(items[Lanes*k:]), 0, int(w))
		even, odd = odd, even[w:]
	}
}

// packBlocks is PackBlocks in portable Go.
func packBlocks(to *[MaxBlock][]byte, m []int64, items *BlockItems, b, w int) {
	first := items.First
	for i := range b {
		for j := range b {
			packLanes(to[i][j*w:], m, &first, j, w)
		}
		for l := range first {
			if first[l] >= 0 {
				first[l] += items.Stride[l]
			}
		}
	}
}

// packLanes packs the integers m[items[l]+at] into w bits each.
func packLanes(to []byte, m []int64, items *[Lanes]int32, at, w int) {
	mask, flip := uint64(1)<<w-1, flipped(w)
	var word uint64 // `used` bits of it are not written yet
	used := 0
	for _, e := range items {
		v := flip
		if e >= 0 {
			v ^= uint64(m[int(e)+at]) & mask
		}
		binary.LittleEndian.PutUint64(to, word|v<<used)
		word |= v << used
		used += w
		to = to[used/8:]
		word >>= used &^ 7 // all of it at 64
		used &= 7
	}
}

// Quantize sets m[k] to v[k] scale rounded to the nearest integer, ties to even, and width[k] to its bits as a two's
// complement number (1 for 0). It returns the number of zeros. The products are finite and below 2^63.
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

// BitsOf returns the number of bits of m as a two's complement number.
func BitsOf(m int64) uint8 { return uint8(bits.Len64(uint64(m^m>>63)) + 1) }
