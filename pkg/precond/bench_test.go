package precond

import (
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// BenchmarkApply is one application, at the default accuracy and in FP64.
func BenchmarkApply(b *testing.B) {
	pool := newPool(b, 0)
	for _, problem := range []struct {
		name string
		m    *csr.Matrix
	}{
		{"poisson3d", generated(b, "poisson3d", generate.Params{"n": 40})},
		{"elasticity3d", generated(b, "elasticity3d", generate.Params{"n": 25})},
	} {
		for _, k := range simple {
			for name, epsilon := range map[string]float64{"default": 0, "fp64": adaptive.MinEpsilon} {
				p := mustNew(b, k, problem.m, Options{Symmetric: true, Epsilon: epsilon}, pool)
				x, y := make(vector, problem.m.Rows), random(problem.m.Rows, 1)
				b.Run(problem.name+"/"+string(k)+"/"+name, func(b *testing.B) {
					for b.Loop() {
						p.Apply(x, y)
					}
				})
			}
		}
	}
}
