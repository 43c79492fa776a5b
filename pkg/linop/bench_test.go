package linop

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// Products of matrices of 26 to 31 million nonzeros, with values of float64 and
// float32, on one thread and two. GB/s counts the matrix alone, once a product.
func BenchmarkCSR(b *testing.B) {
	for _, c := range []struct {
		kind string
		p    generate.Params
	}{
		{"poisson3d", generate.Params{"n": 160}},
		{"elasticity3d", generate.Params{"n": 50}},
		{"stencil27", generate.Params{"n": 100}},
		{"powerlaw", generate.Params{"n": 2e6}},
	} {
		b.Run(c.kind, func(b *testing.B) {
			m, err := generate.Generate(c.kind, c.p)
			if err != nil {
				b.Fatal(err)
			}
			x, y := random(rand.New(rand.NewPCG(1, 2)), m.Cols), make([]float64, m.Rows)
			for _, v := range []struct {
				name   string
				newCSR func(*csr.Matrix, *Pool) *CSR
				bytes  int64
			}{
				{"float64", NewCSR, m.Bytes()},
				{"float32", NewCSR32, m.Bytes() - 4*int64(m.NNZ())},
			} {
				for threads := 1; threads <= 2; threads++ {
					b.Run(fmt.Sprintf("%s/threads=%d", v.name, threads), func(b *testing.B) {
						pool := NewPool(threads)
						defer pool.Close()
						a := v.newCSR(m, pool)
						for b.Loop() {
							a.Apply(y, x)
						}
						ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
						b.ReportMetric(float64(v.bytes)/ns, "GB/s")
						b.ReportMetric(ns/float64(m.NNZ()), "ns/nz")
					})
				}
			}
		})
	}
}
