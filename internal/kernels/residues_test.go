package kernels

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// Sums of products are those of 128 bits, for all elements at their largest as well, and beyond 256 and 4096 of them.
func TestDotResidues(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Set) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, length := range []int{0, 16, 32, 240, 4080, 4096, 4112, 8208} {
			for _, step := range []int{0, length} {
				const rows = 3
				a, x := make([]uint32, rows*length), make([]uint32, rows*length)
				for i := range a {
					a[i], x[i] = rng.Uint32N(1<<ResidueBits), rng.Uint32N(1<<ResidueBits)
					if i < length {
						a[i], x[i] = 1<<ResidueBits-1, 1<<ResidueBits-1
					}
				}
				sums := make([]uint64, 2*rows)
				k.DotResidues(sums, a, x, length, step)
				for r := range rows {
					var low, high, carry uint64
					for i := range length {
						low, carry = bits.Add64(low, uint64(a[r*length+i])*uint64(x[r*step+i]), 0)
						high += carry
					}
					if got := [2]uint64(sums[2*r:]); got != [2]uint64{low & (1<<32 - 1), high<<32 | low>>32} {
						t.Errorf("length %d, step %d, row %d: %x, want %x %x", length, step, r, got, high, low)
					}
				}
			}
		}
	})
}

func residueProducts(a *arena, rng *rand.Rand) {
	length, rows := ResidueGroup*rng.IntN(20), rng.IntN(4)
	step := length * rng.IntN(2)
	m, x := make([]uint32, rows*length), make([]uint32, rows*length)
	for i := range m {
		m[i], x[i] = rng.Uint32N(1<<ResidueBits), rng.Uint32N(1<<ResidueBits)
	}
	everywhere(a, "DotResidues", nil, func(k *Set) []float64 {
		sums := put(a, make([]uint64, 2*rows))
		k.DotResidues(sums, put(a, m), put(a, x), length, step)
		return words(sums)
	})
}
