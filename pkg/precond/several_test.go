package precond

import (
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// Applications to several vectors at once have the bits of those to one, for any number of vectors and threads.
func TestSeveralThreads(t *testing.T) {
	blocks := testsupport.Entries(300, func(add func(i, j int, v float64)) { // block triangular
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
		for i, k := range kinds {
			if testing.Short() && i%3 > 0 && k != Cholesky {
				continue
			}
			d, _ := Lookup(k)
			if d.suits(c.symmetric) != nil {
				continue
			}
			for _, epsilon := range []float64{0, adaptive.MinEpsilon} {
				several := 0
				for _, threads := range []int{1, 3} {
					p := mustNew(t, k, c.m, Options{Symmetric: c.symmetric, Epsilon: epsilon}, newPool(t, threads))
					by, ok := p.(krylov.SeveralPreconditioner)
					if !ok {
						continue
					}
					for _, count := range []int{3, 11} {
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
				if several == 0 && k != Jacobi && k != AMG && k != CG32 { // which have forks, or iterate
					t.Errorf("%s, %s: applied to several vectors %d times", name, k, several)
				}
			}
		}
	}
}

// Cycles that are done together have the bits of those alone.
func TestCyclesThreads(t *testing.T) {
	body, modes := elastic(t, 6)
	star := testsupport.Entries(900, func(add func(i, j int, v float64)) { // a path and a row of all columns
		for i := range 900 {
			add(i, i, 4)
			if i > 0 {
				add(i, i-1, -1)
				add(i-1, i, -1)
				add(i, 0, -1e-3)
				add(0, i, -1e-3)
			}
		}
	})
	for name, c := range map[string]struct {
		m   *csr.Matrix
		opt Options
	}{
		"grid":     {laplace(t, 40), Options{}},
		"finer":    {laplace(t, 30), Options{Epsilon: 0x1p-20}}, // of float32
		"body":     {body, Options{Multigrid: MultigridOptions{NearNull: modes}}},
		"long row": {star, Options{}},
	} {
		for _, threads := range []int{1, 3} {
			c.opt.Symmetric = true
			p, ok := mustNew(t, AMG, c.m, c.opt, newPool(t, threads)).(*fusedCycle)
			if !ok {
				t.Errorf("%s: not fused", name)
				continue
			}
			for _, count := range []int{3, 11} {
				var waiting []Preconditioner
				var forks []*fusedCycle
				for k := range count {
					f := p.ForkWaiting(func(copy Preconditioner) { waiting = append(waiting, copy) }).(*fusedCycle)
					r := random(c.m.Rows, uint64(k))
					f.Input(r, scalar(dotted(r, r)))
					f.ApplyInput()
					forks = append(forks, f)
				}
				p.Together(waiting)
				for k, f := range forks {
					got := slices.Clone(f.x)
					f.runAlone()
					if !slices.Equal(got, f.x) {
						t.Fatalf("%s, %d threads: cycle %d of %d differs from the one alone", name, threads, k, count)
					}
				}
				if count >= leastTogether && p.many == nil {
					t.Errorf("%s: one by one", name)
				}
			}
		}
	}
}
