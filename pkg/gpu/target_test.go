package gpu

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
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

// TestKernelsOfAMD has what other tests leave out on AMD's code once they have spent their share: products
// with segments of long rows, with blocks of every size, and with several vectors.
func TestKernelsOfAMD(t *testing.T) {
	if testing.Short() {
		t.Skip("interprets kernels")
	}
	d := amd(t, "gfx90a", 1)
	limitBlocks(t, 100)
	long := sparse(3, 9000, func(i int) int { return []int{9000, 0, 4097}[i] })
	checkCSR(t, d, "long", long, newExact(long, normal(long.Cols, 1)))
	spec := afx(t, adaptive.NW, 0x1p-24)
	for b := 2; b <= 6; b++ {
		m := blockMatrix(t, b, 37, 37)
		exact := newExact(m, normal(m.Cols, 3))
		for _, c := range adaptive.Criteria {
			for _, eps := range []float64{0x1p-10, 0x1p-37} {
				s := afx(t, c, eps)
				checkSlots(t, slotted(t, d, m, s, 1), exact, s)
			}
		}
	}
	for layout, name := range map[adaptive.Layout]string{adaptive.CSR: "7-point", adaptive.ELL: "7-point", adaptive.Slots: "powerlaw", adaptive.Blocks: "blocks"} {
		m, s := manyMatrices(t)[name], spec
		s.Layout = layout
		a, err := NewMatrix(d, m, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{2, 3, 8} {
			testMany(t, fmt.Sprintf("%s, %d vectors", name, k), a, m, k)
		}
		a.Close()
	}
}
