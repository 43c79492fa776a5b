package adaptive

import (
	"testing"

	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Products of a stored matrix beside those of FP64 CSR, and its building.
func BenchmarkProduct(b *testing.B) {
	m := generated(b, "poisson2d", generate.Params{"n": 700})
	pool := newPool(b, 1)
	x, y := random(1, m.Cols), make([]float64, m.Rows)
	perNonzero := func(b *testing.B, bytes int64) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.NNZ()), "ns/nz")
		b.ReportMetric(float64(bytes)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GB/s")
	}
	b.Run("FP64 CSR", func(b *testing.B) {
		a := linop.NewCSR(m, pool)
		for b.Loop() {
			a.Apply(y, x)
		}
		perNonzero(b, m.Bytes())
	})
	for _, name := range []string{"AP2", "AP7", "AP7RE", "AFX"} {
		s := Spec{Set: set(b, name), Epsilon: 0x1p-24}
		a := build(b, m, s)
		a.pool = pool
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				a.Apply(y, x)
			}
			perNonzero(b, a.Bytes())
		})
		b.Run(name+" build", func(b *testing.B) {
			for b.Loop() {
				if _, err := Build(m, s, pool); err != nil {
					b.Fatal(err)
				}
			}
			perNonzero(b, a.Bytes())
		})
	}
}
