package kernels

import (
	"math/bits"
	"slices"
)

// preciseKernels are the kernels of multiple precision.
type preciseKernels struct {
	limbs    limbKernels
	residues residuesKernel
	numbers  numberKernels
}

var portablePrecise = preciseKernels{
	limbs:    portableLimbs,
	residues: dotResidues,
	numbers:  portableNumbers,
}

// Integers of multiple precision consist of limbs of 52 bits, the lowest first: as many bits as IFMA multiplies, and
// as the trick of c/limbs.h multiplies with FMA. A word holds the sum of up to MaxLimbTerms limbs, so that carries
// can wait.
const (
	LimbBits     = 52
	LimbMask     = 1<<LimbBits - 1
	MaxLimbs     = 33
	MaxLimbTerms = 1<<(64-LimbBits) - 1
)

// limbSizes are the numbers of limbs for which kernels exist.
var limbSizes = [...]int{3, 5, 9, 17, MaxLimbs}

// LimbSize returns the least number of limbs in limbSizes that holds so many bits, 0 if none does.
func LimbSize(bits int) int {
	for _, size := range limbSizes {
		if LimbBits*size >= bits {
			return size
		}
	}
	return 0
}

// MulLimbs adds the upper limbs of the products of `count` times Lanes integers a_i and of as many integers b_i to
// Lanes sums:
//
//	s[l] += upper(a_0[l] b_0) + ... + upper(a_count-1[l] b_count-1)
//
// An integer has `size` limbs. Limb k of a_i[l] is a[step*i + Lanes*k + l], limb k of b_i is b[size*i + k], and limb
// k of s[l], which has the weight of limb size-1+k of the product, is s[Lanes*k + l], for k <= size. The words of s
// are not carried: the caller adds at most MaxLimbTerms / (2 size) products in a row. The upper limbs are those from
// size-1 on in the sum of the products of limbs, without the low limbs of products of weight size-2 and without the
// products of lower weight. They are less than the product by less than (2 size - 2) in limb size-1.
func (k *Set) MulLimbs(size int, s, a []uint64, step int, b []uint64, count int) {
	k.limbs.mul(size, s, a, step, b, count)
}

// DotLimbs is MulLimbs with an integer b_i[l] for each lane: its limb k is b[Lanes*(size*i + k) + l].
func (k *Set) DotLimbs(size int, s, a []uint64, step int, b []uint64, count int) {
	k.limbs.dot(size, s, a, step, b, count)
}

type limbKernels struct {
	mul, dot limbKernel
	rows     rowLimbsKernel
}

// limbKernel is MulLimbs or DotLimbs.
type limbKernel func(size int, s, a []uint64, step int, b []uint64, count int)

var portableLimbs = limbKernels{mul: mulLimbs, dot: dotLimbs, rows: rowLimbs}

func mulLimbs(size int, s, a []uint64, step int, b []uint64, count int) {
	for i := range count {
		for l := range Lanes {
			addLimbProduct(size, s[l:], a[step*i+l:], b[size*i:], 1)
		}
	}
}

func dotLimbs(size int, s, a []uint64, step int, b []uint64, count int) {
	for i := range count {
		for l := range Lanes {
			addLimbProduct(size, s[l:], a[step*i+l:], b[Lanes*size*i+l:], Lanes)
		}
	}
}

// addLimbProduct adds the upper limbs of a product. Limbs of s and a are Lanes words apart.
func addLimbProduct(size int, s, a, b []uint64, stepB int) {
	for p := range size {
		limb := b[stepB*p] & LimbMask
		for k := max(0, size-2-p); k < size; k++ {
			high, low := mulLimb(a[Lanes*k]&LimbMask, limb)
			at := p + k - (size - 1)
			s[Lanes*(at+1)] += high
			if at >= 0 {
				s[Lanes*at] += low
			}
		}
	}
}

// mulLimb returns the two limbs of a product.
func mulLimb(a, b uint64) (high, low uint64) {
	high, low = bits.Mul64(a, b)
	return high<<(64-LimbBits) | low>>LimbBits, low & LimbMask
}

// limbIndex returns the index of a size in limbSizes.
func limbIndex(size int) int { return slices.Index(limbSizes[:], size) }

// The entries of a row, two words each, are |a| = (a1 2^52 + a0) 2^(-52 shift) in units of the row:
//
//	a0 + 2^63 (a < 0),    a1 + 2^52 shift
//
// with 0 <= shift <= MaxLimbs. The limbs of x are magnitudes; bit 63 of the lowest limb is the sign.
const limbSign = 1 << 63

// LimbRowWords returns the number of words of a row in the sums of RowLimbs, of which those from `limbs` on are 0.
func LimbRowWords(size int) (words, limbs int) {
	limbs = rowLanes(size) + 2
	return (limbs + 7) / 8 * 8, limbs
}

// rowLanes returns the number of limbs of x that RowLimbs multiplies, a multiple of the lanes of vectors.
func rowLanes(size int) int { return (size + 3) / 4 * 4 }

// LimbPadding is the number of words that must follow the words of x in RowLimbs.
const LimbPadding = 2*MaxLimbs + 14

// RowLimbs computes rows of a sparse matrix times x, whose numbers have `size` limbs. Row r has the entries ptr[r] to
// ptr[r+1]-1, at most MaxLimbTerms/8. Entry e has the column col[e] and the words entries[2e] and entries[2e+1].
//
// The row's words of s, see LimbRowWords, are the sum of a z in limbs of two's complement that are not carried, where
// z are the limbs of x from `shift` on. For a negative product every bit of z is inverted, which makes it 2^(52 lanes)
// - 1 - z, and what this adds is subtracted.
func (k *Set) RowLimbs(size int, s []uint64, ptr []int, col []int32, entries, x []uint64) {
	k.limbs.rows(size, s, ptr, col, entries, x)
}

type rowLimbsKernel func(size int, s []uint64, ptr []int, col []int32, entries, x []uint64)

func rowLimbs(size int, s []uint64, ptr []int, col []int32, entries, x []uint64) {
	words, _ := LimbRowWords(size)
	lanes := rowLanes(size)
	for r := range len(ptr) - 1 {
		row := s[words*r : words*(r+1)]
		clear(row)
		for e := ptr[r]; e < ptr[r+1]; e++ {
			low, high := entries[2*e], entries[2*e+1]
			from := x[int(col[e])*size:][:size]
			shift := int(high >> LimbBits)
			a0, a1 := low&LimbMask, high&LimbMask
			var flip uint64
			if (low^from[0])&limbSign != 0 {
				flip = LimbMask
				row[0] += a0
				row[1] += a1
				row[lanes] -= a0
				row[lanes+1] -= a1
			}
			for k := range lanes {
				z := flip
				if k+shift < size {
					z ^= from[k+shift] & LimbMask
				}
				h0, l0 := mulLimb(a0, z)
				h1, l1 := mulLimb(a1, z)
				row[k] += l0
				row[k+1] += h0 + l1
				row[k+2] += h1
			}
		}
	}
}

// ResidueBits is the largest number of bits of a residue: 256 products of two residues fit in 64 bits when added.
const ResidueBits = 28

// ResidueGroup divides the lengths of vectors of residues.
const ResidueGroup = 16

// residuesKernel sets sums[2r] + 2^32 sums[2r+1] to the inner product of row r of a and x[r step:], both of the given
// length, a multiple of ResidueGroup, for all rows; sums[2r] < 2^32.
type residuesKernel = func(sums []uint64, a, x []uint32, length, step int)

// DotResidues computes inner products of the rows of a with x, or with the rows of x if step equals length. All
// elements are below 2^28. Row r consists of the length elements of a from r length and those of x from r step. It
// yields sums[2r] + 2^32 sums[2r+1], the first below 2^32, so that all sets give the same bits. The length is a
// multiple of ResidueGroup.
func (k *Set) DotResidues(sums []uint64, a, x []uint32, length, step int) {
	k.residues(sums, a, x, length, step)
}

func dotResidues(sums []uint64, a, x []uint32, length, step int) {
	const together = 256
	for r := range len(sums) / 2 {
		u, v := a[r*length:][:length], x[r*step:][:length]
		var low, high uint64
		for len(u) > 0 {
			n := min(len(u), together)
			s := uint64(0)
			for i, d := range u[:n] {
				s += uint64(d) * uint64(v[i])
			}
			low += s & (1<<32 - 1)
			high += s >> 32
			u, v = u[n:], v[n:]
		}
		sums[2*r], sums[2*r+1] = low&(1<<32-1), high+low>>32
	}
}
