package kernels

import (
	"math/rand/v2"
	"testing"
)

// Runs of any length, from any element on, add up to the products of the rows.
func TestAddRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		rows, cols := 1+rng.IntN(20), 1+rng.IntN(9)
		ptr := make([]uint32, rows+1)
		var col []int32
		var val []float64
		for i := range rows {
			if rng.IntN(3) > 0 { // others are empty
				for range rng.IntN(12) {
					col = append(col, int32(rng.IntN(cols)))
					val = append(val, float64(rng.IntN(100)))
				}
			}
			ptr[i+1] = uint32(len(col))
		}
		x, want := make([]float64, cols), make([]float64, rows)
		for j := range x {
			x[j] = float64(rng.IntN(100)) // integers: sums are exact in any order
		}
		for i := range rows {
			for k := ptr[i]; k < ptr[i+1]; k++ {
				want[i] += val[k] * x[col[k]]
			}
		}
		for name, add := range map[string]func([]float64, int, []uint32, []int32, []float64, int, []float64) int{
			"float64": AddRows, "float32": AddRows32,
		} {
			got, row := make([]float64, rows), 0
			for k := 0; k < len(val); {
				n := min(1+rng.IntN(10), len(val)-k)
				row = add(got, row, ptr, col, val[k:k+n], k, x)
				k += n
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%s: row %d is %g, want %g", name, i, got[i], want[i])
				}
			}
		}
	}
}

func TestAddRows32RoundsToFloat32(t *testing.T) {
	y := make([]float64, 1)
	AddRows32(y, 0, []uint32{0, 2}, []int32{0, 0}, []float64{1, 0x1p-30}, 0, []float64{1})
	if y[0] != 1 {
		t.Errorf("got %v", y[0])
	}
}
