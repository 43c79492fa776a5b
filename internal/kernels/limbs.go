package kernels

import (
	"math/bits"
	"slices"
)

// Integers of multiple precision are in limbs of 52 bits, the lowest first: as many as IFMA multiplies, and as the trick of
// c/limbs.h does with FMA. The sum of up to MaxLimbTerms limbs fits a word: carries can wait.
const (
	LimbBits     = 52
	LimbMask     = 1<<LimbBits - 1
	MaxLimbs     = 33
	MaxLimbTerms = 1<<(64-LimbBits) - 1
)

// limbSizes are the numbers of limbs that there are kernels for.
var limbSizes = [...]int{3, 5, 9, 17, MaxLimbs}

// LimbSize returns the least number of limbs that there are kernels for and that hold so many bits, 0 if none does.
func LimbSize(bits int) int {
	for _, size := range limbSizes {
		if LimbBits*size >= bits {
			return size
		}
	}
	return 0
}

// MulLimbs adds the upper limbs of the products of `count` times Lanes integers a_i and of as many integers b_i to Lanes sums:
//
//	s[l] += upper(a_0[l] b_0) + ... + upper(a_count-1[l] b_count-1)
//
// An integer has `size` limbs. Limb k of a_i[l] is a[step*i + Lanes*k + l], that of b_i is b[size*i + k], and that
// of s[l], which has the weight of limb size-1+k of the product, is s[Lanes*k + l], for k <= size. The words of s are not
// carried: the caller adds at most MaxLimbTerms / (2 size) products in a row. Upper are the limbs from size-1 on
// in the sum of the products of limbs, from which the low limbs of those of weight size-2 and the products below are left out: it is less than
// the product by less than (2 size - 2) in limb size-1.
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

// limbIndex is that of a size in limbSizes.
func limbIndex(size int) int { return slices.Index(limbSizes[:], size) }
