package verify

import (
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// BenchmarkCompute measures a row of seven entries.
func BenchmarkCompute(b *testing.B) {
	const n = 20000
	bld, _ := csr.NewBuilder(n, n)
	for i := range n {
		for _, d := range []int{-400, -20, -1, 0, 1, 20, 400} {
			if j := i + d; j >= 0 && j < n {
				if err := bld.Add(i, j, float64(d)+0.5); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	m, x, rhs := bld.Build(), make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], rhs[i] = float64(i%17)+0.3, float64(i%5)
	}
	b.ResetTimer()
	for range b.N {
		if _, err := Compute(m, x, rhs, nil); err != nil {
			b.Fatal(err)
		}
	}
}
