//go:build linux && amd64 && !purego

package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/guard"
)

// Every vector function on every tier has the bits of portable Go, at every
// length and alignment, and touches nothing outside its slices: they lie in
// pages between protected ones, and the whole pages are compared.
func TestVectorTiers(t *testing.T) {
	const pageful, longest = 512, 2*group + 3
	rng := rand.New(rand.NewPCG(25, 26))
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-1074, math.MaxFloat64}
	for tier := AVX2; tier <= AVX512; tier++ {
		t.Run(tier.String(), func(t *testing.T) {
			onTier(t, tier)
			var pages [5][]float64
			for k := range pages {
				pages[k] = guard.Slice[float64](t, pageful)
			}
			for n := range longest + 1 {
				for offset := range 10 { // the last two: the end of the page, and each its own
					for k := range pages {
						for i := range pages[k] {
							pages[k][i] = rng.NormFloat64()
							if n%4 == 3 && rng.IntN(20) == 0 {
								pages[k][i] = special[rng.IntN(len(special))]
							}
						}
					}
					check(t, pages, n, offset)
				}
			}
		})
	}
}

// check compares every function with its portable self on n elements of each
// page, and puts the pages back.
func check(t *testing.T, pages [5][]float64, n, offset int) {
	t.Helper()
	var before, want, v, p [5][]float64
	for k, page := range pages {
		lo := offset
		switch offset {
		case 8:
			lo = len(page) - n
		case 9:
			lo = 3 * k
		}
		before[k], want[k] = slices.Clone(page), slices.Clone(page)
		v[k], p[k] = page[lo:lo+n:lo+n], want[k][lo:lo+n]
	}
	for _, c := range vectorCalls {
		a, b := []float64{0.3, -1.7, 0, 1e3}, []float64{0.3, -1.7, 0, 1e3}
		got := c.call(a, v[:])
		simd := vector
		vector = portableVector
		wanted := c.call(b, p[:])
		vector = simd
		if !sameFloats(got, wanted) {
			t.Fatalf("%s of %d elements, offset %d: %v, portable %v", c.name, n, offset, got, wanted)
		}
		for k := range pages {
			if !sameFloats(pages[k], want[k]) {
				t.Fatalf("%s of %d elements, offset %d: vector %d differs from portable", c.name, n, offset, k)
			}
			copy(pages[k], before[k])
			copy(want[k], before[k])
		}
	}
}
