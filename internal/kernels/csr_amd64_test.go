//go:build !purego

package kernels

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Rows have the same bits by loads and by gathers, whichever this processor uses.
func TestCSRLoads(t *testing.T) {
	if Find("avx512") == nil {
		t.Skip("no AVX-512 here")
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		rows, cols := 1+rng.IntN(40), 1+rng.IntN(100)
		rowPtr, col := make([]int64, rows+1), []int32(nil)
		for i := range rows {
			for range rng.IntN(40) {
				col = append(col, int32(rng.IntN(cols)))
			}
			rowPtr[i+1] = int64(len(col))
		}
		x, val, val32 := normal[float64](rng, cols), normal[float64](rng, len(col)), normal[float32](rng, len(col))
		mul := func(kernel func(dst []float64)) []float64 {
			dst := make([]float64, rows)
			kernel(dst)
			return dst
		}
		loads := mul(func(dst []float64) { csrSIMD(csr64LoadsAVX512)(dst, 0, rows, rowPtr, col, val, x) })
		gathers := mul(func(dst []float64) { csrSIMD(csr64AVX512)(dst, 0, rows, rowPtr, col, val, x) })
		loads32 := mul(func(dst []float64) { csrSIMD(csr32LoadsAVX512)(dst, 0, rows, rowPtr, col, val32, x) })
		gathers32 := mul(func(dst []float64) { csrSIMD(csr32AVX512)(dst, 0, rows, rowPtr, col, val32, x) })
		if !slices.Equal(loads, gathers) || !slices.Equal(loads32, gathers32) {
			t.Fatalf("%v, want %v; float32: %v, want %v", loads, gathers, loads32, gathers32)
		}
	}
}
