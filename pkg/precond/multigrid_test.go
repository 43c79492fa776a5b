package precond

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// equilibratedProblem scales m as solvers do, and its near-null space with it.
func equilibratedProblem(tb testing.TB, m *csr.Matrix, null [][]float64) (*csr.Matrix, [][]float64) {
	tb.Helper()
	s, err := csr.SymmetricScaling(m, false, nil)
	if err != nil {
		tb.Fatal(err)
	}
	for _, v := range null {
		for i := range v {
			v[i] = dd.Ldexp(v[i], -s.Col[i])
		}
	}
	return s.Apply(m, nil), null
}

// diffusion is a scaled Poisson problem and its near-null space.
func diffusion(tb testing.TB, kind string, n int, decades float64) (*csr.Matrix, [][]float64) {
	tb.Helper()
	m := generated(tb, kind, generate.Params{"n": float64(n), "decades": decades})
	return equilibratedProblem(tb, m, Constants(m.Rows, 1))
}

// elastic is a scaled elasticity problem and its rigid-body modes.
func elastic(tb testing.TB, n int) (*csr.Matrix, [][]float64) {
	tb.Helper()
	m := generated(tb, "elasticity3d", generate.Params{"n": float64(n)})
	return equilibratedProblem(tb, m, bodyModes(tb, n))
}

// The number of iterations hardly grows with that of the unknowns, and is that of
// FP64 values.
func TestMultigridIterations(t *testing.T) {
	pool := newPool(t, 2)
	sizes := map[string][]int{"poisson2d": {32, 100, 316}, "poisson3d": {10, 22, 46}}
	for _, c := range []struct {
		kind    string
		decades float64
		growth  float64 // from a thousand unknowns to a hundred thousand
	}{
		{"poisson2d", 0, 1.45}, {"poisson2d", 4, 1.6}, {"poisson3d", 0, 1.2}, {"poisson3d", 4, 1.5},
	} {
		counts := []int{}
		for _, n := range sizes[c.kind] {
			if testing.Short() && n == slices.Max(sizes[c.kind]) {
				continue
			}
			m, null := diffusion(t, c.kind, n, c.decades)
			opt := Options{Multigrid: MultigridOptions{NearNull: null}}
			k := pcg(t, AMG, m, opt, pool)
			counts = append(counts, k)
			opt.Epsilon = adaptive.MinEpsilon
			sameIterations(t, c.kind, k, pcg(t, AMG, m, opt, pool))
		}
		t.Logf("%s, %g decades: %v iterations", c.kind, c.decades, counts)
		if first, last := counts[0], counts[len(counts)-1]; float64(last) > c.growth*float64(first) {
			t.Errorf("%s, %g decades: %v iterations", c.kind, c.decades, counts)
		}
	}
}

// sameIterations allows for 5 % more at a reduced accuracy.
func sameIterations(t *testing.T, name string, reduced, full int) {
	t.Helper()
	if reduced > full+max(1, full/20) {
		t.Errorf("%s: %d iterations, in FP64 %d", name, reduced, full)
	}
}

// K-cycles take no more iterations than V-cycles, but for an eighth. Elasticity needs its rigid-body
// modes.
func TestMultigridCycles(t *testing.T) {
	pool := newPool(t, 2)
	try := func(name string, m *csr.Matrix, null [][]float64) {
		iterations := func(epsilon float64, opt MultigridOptions) int {
			return pcg(t, AMG, m, Options{Epsilon: epsilon, Multigrid: opt}, pool)
		}
		v, k := iterations(0, MultigridOptions{NearNull: null}), iterations(0, MultigridOptions{NearNull: null, KCycle: true})
		constants := iterations(0, MultigridOptions{})
		t.Logf("%s: %d iterations by K-cycles, %d by V-cycles, %d with constants", name, k, v, constants)
		if k > v+v/8+1 {
			t.Errorf("%s: %d iterations by K-cycles, %d by V-cycles", name, k, v)
		}
		if len(null) > 1 {
			sameIterations(t, name, v, iterations(adaptive.MinEpsilon, MultigridOptions{NearNull: null}))
			if 5*v > 4*constants || v > 22 {
				t.Errorf("%s: %d iterations with rigid-body modes, %d with constants", name, v, constants)
			}
		}
	}
	m, null := diffusion(t, "poisson2d", 110, 0)
	try("poisson2d", m, null)
	m, null = diffusion(t, "poisson2d", 110, 4)
	try("4 decades", m, null)
	m, null = elastic(t, 9)
	try("elasticity", m, null)
	v := mustNew(t, AMG, m, Options{Symmetric: true, Multigrid: MultigridOptions{NearNull: null}}, pool)
	k := mustNew(t, AMG, m, Options{Symmetric: true, Multigrid: MultigridOptions{KCycle: true}}, pool)
	if s := v.String(); !strings.Contains(s, "nodes of 3, 6 near-null vectors") {
		t.Errorf("it is %s", s)
	}
	if Varies(v) || !Varies(k) && levelsOf(k) > 1 || Varies(nil) {
		t.Error("a K-cycle varies, and nothing else")
	}
}

// levelsOf is the number of levels of multigrid but the coarsest.
func levelsOf(p Preconditioner) int {
	if f, ok := p.(*fusedCycle); ok {
		return f.multigrid.levels
	}
	return p.(*multigrid).levels
}

// Unsymmetric matrices by GMRES, the V-cycle and the K-cycle.
func TestMultigridUnsymmetric(t *testing.T) {
	pool := newPool(t, 2)
	for _, kind := range []string{"convdiff2d", "convdiff3d"} {
		n := map[string]float64{"convdiff2d": 60, "convdiff3d": 16}[kind]
		m := generated(t, kind, generate.Params{"n": n})
		for _, k := range []bool{false, true} {
			p := mustNew(t, AMG, m, Options{Multigrid: MultigridOptions{KCycle: k}}, pool)
			method := krylov.NewGMRES[vector, scalar](linop.NewHost(m.Rows, pool), krylov.GMRESOptions{})
			got := solved(t, method, m, p, pool)
			t.Logf("%s, K-cycle %v: %d iterations", kind, k, got)
			if got > 40 {
				t.Errorf("%s, K-cycle %v: %d iterations", kind, k, got)
			}
		}
	}
}

// multigridProblems have two levels at least.
func multigridProblems(t *testing.T) map[string]*csr.Matrix {
	grid, _ := diffusion(t, "poisson2d", 23, 0)
	decades, _ := diffusion(t, "poisson3d", 8, 4)
	body, _ := elastic(t, 6)
	return map[string]*csr.Matrix{"poisson": grid, "4 decades": decades, "elasticity": body}
}

// What A annihilates is in the near-null space of the coarser matrices, whatever
// these are scaled by, where no connection is weak.
func TestNearNullOfCoarserLevels(t *testing.T) {
	m := generated(t, "poisson2d", generate.Params{"n": 60, "decades": 4})
	for i := range m.Rows {
		cols, vals := m.Row(i)
		k, _ := slices.BinarySearch(cols, int32(i))
		vals[k] = 0
		for q, v := range vals {
			if q != k {
				vals[k] -= v
			}
		}
	}
	m, null := equilibratedProblem(t, m, Constants(m.Rows, 1))
	h := &hierarchy{setup: setupOf(m, Options{Symmetric: true}), a: m, nodes: equalBlocks(m.Rows, 1), null: null, rule: connecting{threshold: 1e-9}}
	for h.a.Rows > 20 {
		if more, err := h.coarsen(); !more || err != nil {
			t.Fatalf("%v, %v at %d rows", more, err, h.a.Rows)
		}
		sums := h.a.RowSums(nil)
		for i, v := range times(h.a, h.null[0]) {
			if math.Abs(v) > 1e-11*sums[i]*slices.Max(h.null[0]) {
				t.Fatalf("A B is %g in row %d of %d", v, i, h.a.Rows)
			}
		}
		if slices.Max(h.null[0]) < 0.1 {
			t.Errorf("B is at most %g", slices.Max(h.null[0]))
		}
	}
}

// A limit is kept while setting up, without taking much memory before it is seen.
func TestMultigridMemoryLimit(t *testing.T) {
	m, null := diffusion(t, "poisson2d", 200, 0)
	opt := Options{Symmetric: true, Multigrid: MultigridOptions{NearNull: null}}
	need := mustNew(t, AMG, m, opt, nil).Cost().Bytes
	taken := func(m *csr.Matrix, opt Options) (bytes int64, err error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = New(context.Background(), AMG, m, opt, nil)
		runtime.ReadMemStats(&after)
		return int64(after.TotalAlloc - before.TotalAlloc), err
	}
	for _, limit := range []int64{1, need / 100, need / 4, need / 2, need - 1, 20 * need} {
		opt.MaxBytes = limit
		n, err := taken(m, opt)
		if limit > need {
			if err != nil {
				t.Errorf("limit of %d: %v", limit, err)
			}
			continue
		}
		if !errors.Is(err, ErrMemory) {
			t.Errorf("limit of %d bytes, %d needed: %v", limit, need, err)
		}
		if limit <= need/100 && n > 2<<20 {
			t.Errorf("limit of %d bytes: %d bytes allocated", limit, n)
		}
	}
	// The prolongator of many vectors is too large though their number fits.
	wide, _ := diffusion(t, "poisson3d", 22, 0)
	opt.MaxBytes, opt.Multigrid.NearNull = 5<<19, nil
	for k := range uint64(4) {
		opt.Multigrid.NearNull = append(opt.Multigrid.NearNull, random(wide.Rows, k))
	}
	if n, err := taken(wide, opt); !errors.Is(err, ErrMemory) || n > 10<<20 {
		t.Errorf("a large prolongator: %v, %d bytes allocated", err, n)
	}
	small := path(t, 400)
	if _, err := New(context.Background(), AMG, small, Options{Symmetric: true, Limits: Limits{MaxBytes: 100000}}, nil); !errors.Is(err, ErrMemory) {
		t.Errorf("dense inverse of %d rows: %v", small.Rows, err)
	}
}

// Unknowns without a connection, singular matrices, and vectors of the near-null space that
// vanish somewhere are no faults.
func TestMultigridOddities(t *testing.T) {
	long := path(t, 3000)
	p, said := logged(t, AMG, long, Options{Symmetric: true})
	if !strings.Contains(said, "null space of dimension 1") {
		t.Errorf("said %q of a singular matrix", said)
	}
	x, b := make(vector, long.Rows), times(long, random(long.Rows, 1))
	if p.Apply(x, b); slices.ContainsFunc(x, func(v float64) bool { return v-v != 0 }) {
		t.Error("a singular matrix gives NaN")
	}
	lonely, null := diffusion(t, "poisson2d", 40, 0)
	for _, i := range []int{0, 700, 1599} {
		cols, vals := lonely.Row(i)
		for k, j := range cols {
			if int(j) != i {
				vals[k] = 0
				other, back := lonely.Row(int(j))
				at, _ := slices.BinarySearch(other, int32(i))
				back[at] = 0
			}
		}
	}
	pool := newPool(t, 2)
	if k := pcg(t, AMG, lonely, Options{}, pool); k > 30 {
		t.Errorf("%d iterations with unknowns that stand alone", k)
	}
	clear(null[0][800:])
	half := append(null, slices.Clone(null[0]))
	for i := range half[1] {
		half[1][i] = 1 - half[0][i]
	}
	m, _ := diffusion(t, "poisson2d", 40, 0)
	if k := pcg(t, AMG, m, Options{Multigrid: MultigridOptions{NearNull: half}}, pool); k > 30 {
		t.Errorf("%d iterations with vectors that vanish in one half", k)
	}
}

// Where A is anisotropic, a large grid takes about as many iterations as a small one, and K-cycles not much
// fewer.
func TestMultigridAnisotropic(t *testing.T) {
	pool := newPool(t, 2)
	count := func(n int, opt MultigridOptions) int {
		m, null := equilibratedProblem(t, generated(t, "anisotropic2d", generate.Params{"n": float64(n)}), Constants(n*n, 1))
		opt.NearNull = null
		return pcg(t, AMG, m, Options{Multigrid: opt}, pool)
	}
	small, large := count(60, MultigridOptions{}), count(250, MultigridOptions{})
	k, isotropic := count(250, MultigridOptions{KCycle: true}), count(250, MultigridOptions{Threshold: defaultThreshold})
	t.Logf("%d and %d iterations, by K-cycles %d, with the threshold of isotropic problems %d", small, large, k, isotropic)
	if large > small+1 || 2*large > 3*k || 2*large > isotropic {
		t.Errorf("%d and %d iterations, by K-cycles %d, with the threshold of isotropic problems %d", small, large, k, isotropic)
	}
}

// The eigenvalues of M A are below 2 on each level, M of SPAI0, with an estimate or without.
func TestSPAI0Eigenvalues(t *testing.T) {
	problems := multigridProblems(t)
	for decades := range 5 {
		problems[fmt.Sprint("decades ", decades)] = generated(t, "poisson3d", generate.Params{"n": 9, "decades": float64(decades)})
	}
	beyond := 0
	for name, m := range problems {
		m, null := equilibratedProblem(t, m, Constants(m.Rows, 1))
		opt := Options{Symmetric: true, Multigrid: MultigridOptions{Smoother: smootherSPAI0, Coarsest: 10}}
		h := &hierarchy{setup: setupOf(m, opt), a: m, nodes: equalBlocks(m.Rows, 1), null: null}
		if err := h.build(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for k, l := range h.levels {
			n := l.a.Rows
			a := mat.NewSymDense(n, nil)
			for i := range n {
				cols, vals := l.a.Row(i)
				for e, j := range cols {
					a.SetSym(i, int(j), math.Sqrt(l.m[i]*l.m[j])*vals[e])
				}
			}
			var e mat.EigenSym
			if !e.Factorize(a, false) {
				t.Fatalf("%s: no eigenvalues of level %d", name, k)
			}
			most := slices.Max(e.Values(nil))
			if !(most < 2) {
				t.Errorf("%s: M A has the eigenvalue %g on level %d", name, most, k)
			}
			if most > 1.5 {
				beyond++
			}
		}
	}
	if beyond == 0 {
		t.Error("all eigenvalues are far below 2")
	}
}
