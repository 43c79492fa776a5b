package verify

import (
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
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

// BenchmarkPrecisely measures residuals of an x of 248 bits, as 50 digits have it: ns a nonzero.
func BenchmarkPrecisely(b *testing.B) {
	m := testsupport.Grid(300, 0, 0)
	words := make([]uint64, 4*m.Cols)
	for k := range words {
		words[k] = rand.Uint64() | 1<<63
	}
	x := func(j int) (neg bool, w []uint64, e int) { return j%3 == 0, words[4*j : 4*j+4], j % 5 }
	rhs := testsupport.Random(1, m.Rows)
	for b.Loop() {
		if _, err := Precisely([]*csr.Matrix{m}, x, [][]float64{rhs}, nil, 248, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.NNZ()), "ns/nonzero")
}
