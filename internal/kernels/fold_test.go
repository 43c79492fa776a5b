//go:build linux

package kernels

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Every kernel folds all whole cache lines of each stream, and nothing else.
func TestFold(t *testing.T) { eachSet(t, testFold) }

func testFold(t *testing.T, k *Set) {
	rng := rand.New(rand.NewPCG(1, 2))
	for streams := 1; streams <= 4; streams++ {
		for _, size := range []int{0, 7, 8, 31, 32, 40, 64, 127, 1000, 4096} {
			part := guardedSlice[float64](t, size)
			for i := range part {
				part[i] = rng.NormFloat64()
			}
			n := StreamLength(len(part), streams)
			var want uint64
			for _, v := range part[:n*streams] {
				want ^= math.Float64bits(v)
			}
			if got := k.Fold(part, streams); got != want {
				t.Errorf("%d streams of %d: %x, want %x", streams, n, got, want)
			}
		}
	}
}
