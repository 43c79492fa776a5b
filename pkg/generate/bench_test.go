package generate

import "testing"

// BenchmarkGenerate makes matrices of about 20 million nonzeros.
func BenchmarkGenerate(b *testing.B) {
	for _, c := range []struct {
		kind string
		p    Params
	}{
		{"anisotropic2d", Params{"n": 1500}},
		{"convdiff3d", Params{"n": 140}},
		{"elasticity3d", Params{"n": 46}},
		{"poisson2d", Params{"n": 2000, "decades": 4}},
		{"poisson3d", Params{"n": 140, "decades": 4}},
		{"powerlaw", Params{"n": 1.2e6}},
		{"stencil27", Params{"n": 90, "window": 4096}},
		{"trefethen", Params{"n": 5e5}},
		{"wathen", Params{"nx": 650, "ny": 650}},
	} {
		b.Run(c.kind, func(b *testing.B) {
			nnz := 0
			for b.Loop() {
				m, err := Generate(c.kind, c.p)
				if err != nil {
					b.Fatal(err)
				}
				nnz = m.NNZ()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nnz), "ns/nz")
			b.ReportMetric(float64(nnz), "nonzeros")
		})
	}
}
