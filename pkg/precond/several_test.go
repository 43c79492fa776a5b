package precond

import (
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testmatrix"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// Applications to several vectors at once have the bits of those to one, for any number of vectors and threads.
func TestSeveralThreads(t *testing.T) {
	blocks := testmatrix.Entries(300, func(add func(i, j int, v float64)) { // block triangular
		for i := range 300 {
			add(i, i, 4)
			add(i, i^1, 1)
			add(i, i/3, 0.5)
		}
	})
	for name, c := range map[string]struct {
		m         *csr.Matrix
		symmetric bool
	}{
		"grid":         {laplace(t, 40), true},
		"badly scaled": {wide(laplace(t, 12)), true},
		"elasticity":   {wide(generated(t, "elasticity3d", generate.Params{"n": 5})), true},
		"convection":   {generated(t, "convdiff3d", generate.Params{"n": 8}), false},
		"blocks":       {blocks, false},
	} {
		for _, k := range kinds {
			d, _ := Lookup(k)
			if d.suits(c.symmetric) != nil {
				continue
			}
			for _, epsilon := range []float64{0, adaptive.MinEpsilon} {
				several := 0
				for _, threads := range []int{1, 3} {
					p := mustNew(t, k, c.m, Options{Symmetric: c.symmetric, Epsilon: epsilon}, newPool(t, threads))
					by, ok := p.(Several)
					if !ok {
						continue
					}
					for _, count := range []int{1, 3, 8, 11} {
						several++
						var src, dst []vector
						for j := range count {
							src, dst = append(src, random(c.m.Rows, uint64(j))), append(dst, make(vector, c.m.Rows))
						}
						by.ApplyMany(dst, src)
						want := make(vector, c.m.Rows)
						for j := range count {
							if p.Apply(want, src[j]); !slices.Equal(dst[j], want) {
								t.Fatalf("%s, %v, %d threads: vector %d of %d differs from the one alone", name, p, threads, j, count)
							}
						}
					}
				}
				if _, alone := mustNew(t, k, c.m, Options{Symmetric: c.symmetric, Epsilon: epsilon}, nil).(Forker); (several == 0) != alone {
					t.Errorf("%s, %s: applied to several vectors %d times", name, k, several)
				}
			}
		}
	}
}
