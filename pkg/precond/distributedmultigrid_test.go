package precond

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// sizesOf are sizes where levels of up to so many rows are gathered, and domains are never joined.
func sizesOf(rows int64) spreadSizes { return spreadSizes{finest: rows, coarse: rows} }

// spreadAMG applies AMG of m, in so many domains on so many ranks, to some vectors, and returns the results as a whole.
func spreadAMG(t *testing.T, m *csr.Matrix, opt Options, null [][]float64, sizes spreadSizes, domains, ranks, threads int, sources ...[]float64) (results [][]float64, text string) {
	t.Helper()
	results = make([][]float64, len(sources))
	for k := range results {
		results[k] = make([]float64, m.Rows)
	}
	var mu sync.Mutex
	dist.Run(ranks, func(c dist.Comm) {
		a, err := dist.Spread(c, m, domains)
		if err != nil {
			t.Error(err)
			return
		}
		pool := parallel.New(threads)
		defer pool.Close()
		opt := opt
		spreadOf := func(v []float64) []float64 {
			x := make([]float64, a.Len)
			for i := range x {
				x[i] = math.NaN() // ghosts need not be valid
			}
			for _, p := range a.Parts {
				copy(x[p.First():p.End()], v[p.Row:])
			}
			return x
		}
		for _, v := range null {
			opt.Multigrid.NearNull = append(opt.Multigrid.NearNull, spreadOf(v))
		}
		p, err := distributed{setup: setup{Options: opt.withDefaults(), ctx: context.Background(), m: a.Local, pool: pool}, a: a}.multigrid(sizes)
		if err != nil {
			t.Error(err)
			return
		}
		for k, v := range sources {
			dst := make([]float64, a.Len)
			p.Apply(dst, spreadOf(v))
			mu.Lock()
			for _, q := range a.Parts {
				copy(results[k][q.Row:], dst[q.First():q.End()])
			}
			text = p.String()
			mu.Unlock()
		}
	})
	return results, text
}

// spreadCases are systems with options for AMG.
func spreadCases(t *testing.T) map[string]struct {
	m    *csr.Matrix
	opt  Options
	null [][]float64
} {
	type system = struct {
		m    *csr.Matrix
		opt  Options
		null [][]float64
	}
	elasticity := generated(t, "elasticity3d", generate.Params{"n": 9})
	return map[string]system{
		"poisson3d":   {m: generated(t, "poisson3d", generate.Params{"n": 18}), opt: Options{Symmetric: true}},
		"thin":        {m: generated(t, "poisson3d", generate.Params{"n": 8}), opt: Options{Symmetric: true}}, // 8 domains are planes
		"poisson2d":   {m: generated(t, "poisson2d", generate.Params{"n": 70}), opt: Options{Symmetric: true}},
		"anisotropic": {m: generated(t, "anisotropic2d", generate.Params{"n": 60}), opt: Options{Symmetric: true}},
		"convdiff":    {m: generated(t, "convdiff2d", generate.Params{"n": 60}), opt: Options{}},
		"fp64":        {m: generated(t, "poisson3d", generate.Params{"n": 16}), opt: Options{Symmetric: true, Epsilon: 0x1p-53}},
		"elasticity":  {m: elasticity, opt: Options{Symmetric: true}},
		"contrasts":   {m: layered(t, 16, 3), opt: Options{Symmetric: true}}, // coarsened classically
		"classical":   {m: generated(t, "convdiff2d", generate.Params{"n": 60}), opt: Options{Multigrid: MultigridOptions{Coarsening: coarseningClassical}}},
		"one vector":  {m: elasticity, opt: Options{Symmetric: true, BlockSize: 3}, null: Constants(elasticity.Rows, 1)},
	}
}

// An application has the same bits for any number of ranks and threads, which run concurrently.
func TestConcurrentRanksApplyTheSameMultigrid(t *testing.T) {
	for name, c := range spreadCases(t) {
		t.Run(name, func(t *testing.T) {
			b := random(c.m.Rows, 3)
			counts, jobs := []int{1, 2, 3, 8}, []int{2, 3, 5}
			if testing.Short() {
				counts, jobs = []int{8}, []int{3}
			}
			for _, domains := range counts {
				want, text := spreadAMG(t, c.m, c.opt, c.null, sizesOf(60), domains, 1, 1, b)
				t.Log(domains, text)
				for _, ranks := range jobs {
					got, other := spreadAMG(t, c.m, c.opt, c.null, sizesOf(60), domains, ranks, ranks%3+1, b)
					if !slices.Equal(got[0], want[0]) || other != text {
						t.Errorf("%d domains on %d ranks: other bits, by %q rather than %q", domains, ranks, other, text)
					}
				}
			}
		})
	}
}

// Bits are the same for any number of ranks where coarse levels are in fewer and fewer domains, which run concurrently.
func TestConcurrentRanksJoinDomains(t *testing.T) {
	for name, c := range spreadCases(t) {
		t.Run(name, func(t *testing.T) {
			b := random(c.m.Rows, 3)
			for _, domains := range testsupport.Few(8, 3, 16) {
				sizes := spreadSizes{finest: 20, coarse: 20, domain: 40}
				want, text := spreadAMG(t, c.m, c.opt, c.null, sizes, domains, 1, 1, b)
				t.Log(domains, text)
				for _, ranks := range testsupport.Few(3, 2, 4, 8) {
					got, other := spreadAMG(t, c.m, c.opt, c.null, sizes, domains, ranks, ranks%3+1, b)
					if !slices.Equal(got[0], want[0]) || other != text {
						t.Errorf("%d domains on %d ranks: other bits, by %q rather than %q", domains, ranks, other, text)
					}
				}
			}
		})
	}
}

// One domain gives what New does, but for rounding where levels are gathered.
func TestMultigridOfOneDomain(t *testing.T) {
	for name, c := range spreadCases(t) {
		t.Run(name, func(t *testing.T) {
			b, want := random(c.m.Rows, 4), make(vector, c.m.Rows)
			opt := c.opt
			opt.Multigrid.NearNull = c.null
			p := mustNew(t, AMG, c.m, opt, nil)
			p.Apply(want, b)
			got, text := spreadAMG(t, c.m, c.opt, c.null, sizesOf(coarsest), 1, 1, 1, b)
			tol := 1e-6
			if c.m.Rows%3 == 0 && c.m.NNZ() > 20*c.m.Rows {
				tol = 0.02 // the largest eigenvalue is estimated from another vector
			}
			if d := distance(got[0], want); !(d < tol) {
				t.Errorf("%s differs by %g from %s", text, d, p)
			}
		})
	}
}

// distance is ||x - y|| / ||y||.
func distance(x, y vector) float64 {
	above, below := 0.0, 0.0
	for i, v := range y {
		above += (x[i] - v) * (x[i] - v)
		below += v * v
	}
	return math.Sqrt(above / below)
}

// M^-1 is symmetric where A is.
func TestDistributedMultigridIsSymmetric(t *testing.T) {
	for name, c := range spreadCases(t) {
		if !c.opt.Symmetric {
			continue
		}
		t.Run(name, func(t *testing.T) {
			x, y := random(c.m.Rows, 5), random(c.m.Rows, 6)
			for _, domain := range []int64{0, 40} {
				z, _ := spreadAMG(t, c.m, c.opt, c.null, spreadSizes{finest: 60, coarse: 60, domain: domain}, 3, 2, 1, x, y)
				xMy, yMx, norm := 0.0, 0.0, 0.0
				for i := range x {
					xMy += x[i] * z[1][i]
					yMx += y[i] * z[0][i]
					norm += math.Abs(x[i] * z[1][i])
				}
				if !(math.Abs(xMy-yMx) < 1e-4*norm) {
					t.Errorf("joined below %d rows: x.My = %g, y.Mx = %g", domain, xMy, yMx)
				}
			}
		})
	}
}

// Few domains gather coarse levels like the finest one, more of them keep small ones apart.
func TestFewDomainsGather(t *testing.T) {
	m := generated(t, "poisson3d", generate.Params{"n": 24})
	sizes := spreadSizes{finest: 3000, coarse: 20, domain: 100}
	for domains, want := range map[int]string{fewDomains: "1 of them spread", fewDomains + 1: "4 of them spread"} {
		if _, text := spreadAMG(t, m, Options{Symmetric: true}, nil, sizes, domains, 1, 1, random(m.Rows, 3)); !strings.Contains(text, want) {
			t.Errorf("%d domains: %s, want %s", domains, text, want)
		}
	}
}
