package adaptive

import (
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// BenchmarkBuild stores matrices, and says what that takes in products with the
// tuned FP64 CSR.
func BenchmarkBuild(b *testing.B) {
	for _, c := range []struct {
		kind string
		p    generate.Params
	}{
		{"elasticity3d", generate.Params{"n": 46, "decades": 6}},
		{"poisson3d", generate.Params{"n": 140, "decades": 4}},
		{"stencil27", generate.Params{"n": 90, "window": 4096}},
		{"powerlaw", generate.Params{"n": 1000000}},
	} {
		b.Run(c.kind, func(b *testing.B) {
			m := generated(b, c.kind, c.p)
			pool := newPool(b, 2)
			x, y := random(1, m.Cols), make([]float64, m.Rows)
			fp64 := linop.NewCSR(m, pool)
			spec := Spec{Set: set(b, "AFX"), Epsilon: 0x1p-37}
			for b.Loop() {
				if _, err := Build(m, spec, pool); err != nil {
					b.Fatal(err)
				}
			}
			build := b.Elapsed() / time.Duration(b.N)
			again := time.Hour
			a, _ := Build(m, spec, pool)
			for range 3 {
				start := time.Now()
				var err error
				if a, err = Rebuild(a, m, spec, pool); err != nil {
					b.Fatal(err)
				}
				again = min(again, time.Since(start))
			}
			product := time.Hour
			for range 10 {
				start := time.Now()
				fp64.Apply(y, x)
				product = min(product, time.Since(start))
			}
			b.ReportMetric(float64(build)/float64(product), "products")
			b.ReportMetric(float64(again)/float64(product), "products-again")
			b.ReportMetric(float64(build.Nanoseconds())/float64(m.NNZ()), "ns/nonzero")
		})
	}
}
