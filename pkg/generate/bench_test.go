package generate

import "testing"

// BenchmarkGenerate makes matrices of about 20 million nonzeros.
func BenchmarkGenerate(b *testing.B) {
	for _, c := range []struct {
		kind string
		p    Params
	}{
		{"anisotropic2d", Params{"n": 1500}},
		{"consolidation3d", Params{"n": 44}},
		{"convdiff3d", Params{"n": 140}},
		{"darcy3d", Params{"n": 91}},
		{"device3d", Params{"n": 64}},
		{"dg2d", Params{"nx": 83, "ny": 83}},
		{"elasticity3d", Params{"n": 46}},
		{"meshless2d", Params{"n": 540}},
		{"poisson2d", Params{"n": 2000, "decades": 4}},
		{"poisson3d", Params{"n": 140, "decades": 4}},
		{"powerlaw", Params{"n": 1.2e6}},
		{"solid3d", Params{"n": 44}},
		{"stencil27", Params{"n": 90, "window": 4096}},
		{"stokes3d", Params{"n": 52}},
		{"transport3d", Params{"n": 111}},
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
