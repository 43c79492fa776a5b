package mp

import (
	"sync"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

const (
	limbBits = kernels.LimbBits
	limbMask = kernels.LimbMask
	lanes    = kernels.Lanes
)

// half is the top limb of 2^(52 size - 1), which is added to integers to make them positive.
const half = 1 << (limbBits - 1)

// numbers returns numbers lo to hi-1 for kernels.
func (v *Vec) numbers(lo, hi int) kernels.Numbers {
	return kernels.Numbers{Words: v.words, Bits: v.bits, Exp: v.exp[lo:hi], Neg: v.neg[lo:hi], Mant: v.mant[lo*v.words : hi*v.words]}
}

// all returns all numbers.
func (v *Vec) all() kernels.Numbers { return v.numbers(0, v.Len()) }

// rooms are words that products use and leave to the next ones.
type rooms struct{ pool sync.Pool }

// Those for a vector, and those for a few rows or numbers.
var vectorRooms, blockRooms rooms

// get returns room for n words, which may hold anything.
func (r *rooms) get(n int) *[]uint64 {
	words, _ := r.pool.Get().(*[]uint64)
	if words == nil {
		words = new([]uint64)
	}
	if cap(*words) < n {
		*words = make([]uint64, n)
	}
	*words = (*words)[:n]
	return words
}

func (r *rooms) put(words *[]uint64) { r.pool.Put(words) }

// sum is an integer in limbs to which limbs can be added.
type sum []int64

// add adds limbs, which are `step` words apart, from limb `at` on.
func (s sum) add(at int, limbs []uint64, step int) {
	for k := 0; k < len(limbs); k += step {
		s[at] += int64(limbs[k])
		at++
	}
}

func (s sum) carry()             { kernels.CarryLimbs(s) }
func (s sum) settle() (neg bool) { return kernels.SettleLimbs(s) }
func (s sum) pack(m []uint64)    { kernels.PackLimbs(m, s) }

// packed returns the number of words for a sum of so many limbs.
func packed(limbs int) int { return kernels.PackedWords(limbs) }

// carryLanes reduces all limbs but the highest of the sums of a kernel, Lanes numbers of `limbs` limbs, to 52 bits.
func carryLanes(s []uint64) {
	for k := lanes; k < len(s); k++ {
		s[k] += s[k-lanes] >> limbBits
		s[k-lanes] &= limbMask
	}
}
