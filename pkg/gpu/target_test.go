package gpu

import (
	"slices"
	"testing"
)

// TestTargets wants vectors and a product to have the same bits on every target, in order and at random.
func TestTargets(t *testing.T) {
	right := vectorsAndProduct(plantedPTX(t, 0, nil))
	for _, target := range amdTargets {
		t.Run(target.name, func(t *testing.T) {
			for seed := range uint64(2) {
				got := vectorsAndProduct(plantedAMD(t, target.name, seed, nil))
				if got.err != nil || !slices.Equal(got.bits, right.bits) {
					t.Errorf("seed %d: other bits, %v", seed, got.err)
				}
			}
		})
	}
}
