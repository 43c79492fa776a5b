package precond

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// equilibratedProblem scales m as solvers do, and its near-null space with it.
func equilibratedProblem(tb testing.TB, m *csr.Matrix, null [][]float64) (*csr.Matrix, [][]float64) {
	tb.Helper()
	s, err := csr.SymmetricScaling(m, nil)
	if err != nil {
		tb.Fatal(err)
	}
	for _, v := range null {
		for i := range v {
			v[i] = csr.Ldexp(v[i], -s.Col[i])
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

// solved is the number of iterations of a method to a residual of 1e-8.
func solved(tb testing.TB, method krylov.Method[vector, scalar], m *csr.Matrix, p Preconditioner, pool *linop.Pool) int {
	tb.Helper()
	x, b := make(vector, m.Rows), random(m.Rows, 5)
	r := method.Solve(context.Background(), linop.NewCSR(m, pool), x, b, krylov.Options[vector]{
		Tol: 1e-8, MaxIter: 200, Precond: p, Flexible: Varies(p),
	})
	if r.Reason != krylov.Converged {
		tb.Errorf("%v after %d iterations with %v", r.Reason, r.Iterations, p)
	}
	return r.Iterations
}

func amgIterations(tb testing.TB, m *csr.Matrix, opt Options, pool *linop.Pool) int {
	tb.Helper()
	opt.Symmetric = true
	p := mustNew(tb, AMG, m, opt, pool)
	return solved(tb, krylov.NewCG[vector, scalar](linop.NewHost(m.Rows, pool)), m, p, pool)
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
		{"poisson2d", 0, 1.5}, {"poisson2d", 4, 1.7}, {"poisson3d", 0, 1.7}, {"poisson3d", 4, 1.8},
	} {
		counts := []int{}
		for _, n := range sizes[c.kind] {
			if testing.Short() && n == slices.Max(sizes[c.kind]) {
				continue
			}
			m, null := diffusion(t, c.kind, n, c.decades)
			opt := Options{Multigrid: MultigridOptions{NearNull: null}}
			k := amgIterations(t, m, opt, pool)
			counts = append(counts, k)
			opt.Epsilon = adaptive.MinEpsilon
			sameIterations(t, c.kind, k, amgIterations(t, m, opt, pool))
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

// Rigid-body modes and nodes make multigrid of elasticity.
func TestMultigridElasticity(t *testing.T) {
	pool := newPool(t, 2)
	m, modes := elastic(t, 9)
	p := mustNew(t, AMG, m, Options{Symmetric: true, Multigrid: MultigridOptions{NearNull: modes}}, pool)
	if s := p.String(); !strings.Contains(s, "nodes of 3, 6 near-null vectors") {
		t.Errorf("it is %s", s)
	}
	with := amgIterations(t, m, Options{Multigrid: MultigridOptions{NearNull: modes}}, pool)
	full := amgIterations(t, m, Options{Epsilon: adaptive.MinEpsilon, Multigrid: MultigridOptions{NearNull: modes}}, pool)
	sameIterations(t, "elasticity", with, full)
	without := amgIterations(t, m, Options{}, pool)
	t.Logf("%d iterations with rigid-body modes, %d with constants", with, without)
	if 5*with > 4*without || with > 22 {
		t.Errorf("%d iterations with rigid-body modes, %d with constants", with, without)
	}
}

// K-cycles take no more iterations than V-cycles, but for one.
func TestKCycle(t *testing.T) {
	pool := newPool(t, 2)
	try := func(name string, m *csr.Matrix, null [][]float64) {
		v := amgIterations(t, m, Options{Multigrid: MultigridOptions{NearNull: null}}, pool)
		k := amgIterations(t, m, Options{Multigrid: MultigridOptions{NearNull: null, KCycle: true}}, pool)
		t.Logf("%s: %d iterations by K-cycles, %d by V-cycles", name, k, v)
		if k > v+1 {
			t.Errorf("%s: %d iterations by K-cycles, %d by V-cycles", name, k, v)
		}
	}
	m, null := diffusion(t, "poisson2d", 110, 0)
	try("poisson2d", m, null)
	m, null = diffusion(t, "poisson2d", 110, 4)
	try("4 decades", m, null)
	m, null = elastic(t, 12)
	if !testing.Short() {
		try("elasticity", m, null)
	}
	wrong := map[bool]bool{}
	for _, k := range []bool{false, true} {
		wrong[k] = Varies(mustNew(t, AMG, m, Options{Symmetric: true, Multigrid: MultigridOptions{KCycle: k}}, pool))
	}
	if wrong[false] || !wrong[true] || Varies(nil) {
		t.Error("a K-cycle varies, and nothing else")
	}
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
	grid, _ := diffusion(t, "poisson2d", 26, 0)
	decades, _ := diffusion(t, "poisson3d", 9, 4)
	body, _ := elastic(t, 6)
	return map[string]*csr.Matrix{"poisson": grid, "4 decades": decades, "elasticity": body}
}

// A V-cycle is a symmetric positive definite map for a symmetric A.
func TestMultigridSymmetricPositiveDefinite(t *testing.T) {
	pool := newPool(t, 2)
	for name, m := range multigridProblems(t) {
		for _, smoother := range []Smoother{SmootherChebyshev, SmootherL1Jacobi} {
			for _, degree := range []int{2, 1, 3} {
				if testing.Short() && degree != smootherDegree {
					continue
				}
				p := mustNew(t, AMG, m, Options{Symmetric: true, Degree: degree, Multigrid: MultigridOptions{Smoother: smoother}}, pool)
				if n := len(p.(*multigrid).levels); n == 0 {
					t.Fatalf("%s: one level", name)
				}
				b, n := denseOf(p, m.Rows), m.Rows
				a := make([]float64, n*n)
				for i := range n {
					for j := range n {
						a[i*n+j] = b[i][j]
						if d := math.Abs(b[i][j] - b[j][i]); d > 0x1p-44*math.Sqrt(b[i][i]*b[j][j]) {
							t.Fatalf("%s, %s, degree %d: entries (%d, %d) are %g and %g", name, smoother, degree, i, j, b[i][j], b[j][i])
						}
					}
				}
				if !denseCholesky(a, n) {
					t.Errorf("%s, %s, degree %d: not positive definite", name, smoother, degree)
				}
			}
		}
	}
}

// A V-cycle of two levels is, step by step, what its formula says.
func TestVCycle(t *testing.T) {
	m, null := diffusion(t, "poisson2d", 26, 0)
	p := mustNew(t, AMG, m, Options{Symmetric: true, Epsilon: adaptive.MinEpsilon, Multigrid: MultigridOptions{NearNull: null}}, nil)
	g := p.(*multigrid)
	if len(g.levels) != 1 {
		t.Fatalf("%d levels", len(g.levels)+1)
	}
	l := &g.levels[0]
	b, x := random(m.Rows, 2), make(vector, m.Rows)
	smooth := func() {
		for _, omega := range l.omega {
			ax := times(m, x)
			for i := range x {
				x[i] += omega.Float() * l.w[i] * (b[i] - ax[i])
			}
		}
	}
	smooth()
	ax, r := times(m, x), make(vector, m.Rows)
	for i := range r {
		r[i] = b[i] - ax[i]
	}
	rc, xc, c := make(vector, g.coarse.n), make(vector, g.coarse.n), make(vector, m.Rows)
	l.r.Apply(rc, r)
	g.coarse.solve(xc, rc)
	l.p.Apply(c, xc)
	for i := range x {
		x[i] += c[i]
	}
	smooth()
	got := make(vector, m.Rows)
	p.Apply(got, b)
	closeTo(t, "V-cycle", got, x, 1e-13)
	for i, d := range m.Diagonal(nil) {
		if l.w[i] != 1/d {
			t.Fatalf("row %d is smoothed with %g, want %g", i, l.w[i], 1/d)
		}
	}
	for k, v := range l.omega { // Chebyshev roots below the largest eigenvalue, about 2
		if root := 1 / v.Float(); !(root > 0.2 && root < 2.2) {
			t.Errorf("root %d of the smoother is %g", k, root)
		}
	}
}

// Galerkin products are P^T A P with the P that is stored, in FP64.
func TestGalerkin(t *testing.T) {
	pool := newPool(t, 2)
	for name, m := range multigridProblems(t) {
		p := mustNew(t, AMG, m, Options{Symmetric: true, Epsilon: adaptive.MinEpsilon}, pool).(*multigrid)
		if len(p.levels) != 1 {
			t.Fatalf("%s: %d levels", name, len(p.levels)+1)
		}
		l, n := &p.levels[0], p.coarse.n
		e, r := make(vector, n), make(vector, n)
		v, av := make(vector, m.Rows), make(vector, m.Rows)
		x := make(vector, n)
		for j := range n { // the coarse solver inverts what P^T A P makes of e_j
			e[j] = 1
			l.p.Apply(v, e)
			l.a.Apply(av, v)
			l.r.Apply(r, av)
			p.coarse.solve(x, r)
			closeTo(t, name, x, e, 1e-9)
			if r[j] < 0.25 || r[j] > 4 {
				t.Errorf("%s: the diagonal of the coarse matrix is %g in row %d", name, r[j], j)
			}
			for i, w := range e { // P^T is P transposed
				if d := dotted(v, av); i == j && math.Abs(d-w*r[j]) > 1e-13*d {
					t.Errorf("%s: v·A v = %g, element %d of P^T A v is %g", name, d, j, r[j])
				}
			}
			e[j] = 0
		}
	}
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
	h := &hierarchy{setup: newSetup(m, Options{Symmetric: true}), g: &multigrid{}, a: m, nodes: csr.EqualBlocks(m.Rows, 1), null: null, threshold: 1e-9}
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

func TestMultigridSameBits(t *testing.T) {
	grid, null := diffusion(t, "poisson2d", 260, 2) // of more nodes than a domain
	body, modes := elastic(t, 12)
	wind := generated(t, "convdiff3d", generate.Params{"n": 14})
	for name, c := range map[string]struct {
		m   *csr.Matrix
		opt Options
	}{
		"poisson":    {grid, Options{Symmetric: true, Multigrid: MultigridOptions{NearNull: null}}},
		"elasticity": {body, Options{Symmetric: true, Multigrid: MultigridOptions{NearNull: modes, KCycle: true}}},
		"convdiff":   {wind, Options{Multigrid: MultigridOptions{KCycle: true}}},
	} {
		b := random(c.m.Rows, 1)
		var want vector
		for _, threads := range []int{1, 3, 2, 8} {
			if testing.Short() && threads != 1 && threads != 3 {
				continue
			}
			p := mustNew(t, AMG, c.m, c.opt, newPool(t, threads))
			x := make(vector, c.m.Rows)
			p.Apply(x, b)
			if want == nil {
				want = x
			} else if !slices.Equal(x, want) {
				t.Errorf("%s: %d threads give other bits", name, threads)
			}
			if n := testing.AllocsPerRun(1, func() { p.Apply(x, b) }); n != 0 {
				t.Errorf("%s, %d threads: %v allocations", name, threads, n)
			}
			if !slices.Equal(x, want) {
				t.Errorf("%s: other bits when applied again", name)
			}
		}
	}
}

// Values of matrices take at most half of FP64, and one that is stored already nothing.
func TestMultigridCost(t *testing.T) {
	pool := newPool(t, 2)
	grid, _ := diffusion(t, "poisson3d", 16, 0)
	body, _ := elastic(t, 12)
	for name, m := range map[string]*csr.Matrix{"poisson": grid, "elasticity": body} {
		reduced := mustNew(t, AMG, m, Options{Symmetric: true}, pool).Cost()
		p := mustNew(t, AMG, m, Options{Symmetric: true, Epsilon: adaptive.MinEpsilon}, pool)
		full := p.Cost()
		if full.ValueBytes != 8*full.Values || full.Bytes != full.FP64Bytes {
			t.Errorf("%s: %+v at full accuracy", name, full)
		}
		fp64 := int64(8 * p.(*multigrid).coarse.n * p.(*multigrid).coarse.n) // in any case
		for _, l := range p.(*multigrid).levels {
			fp64 += int64(8 * len(l.w))
		}
		if 2*(reduced.ValueBytes-fp64) > full.ValueBytes-fp64 || reduced.Bytes >= full.Bytes {
			t.Errorf("%s: %+v against %+v", name, reduced, full)
		}
		operator := linop.NewCSR(m, pool)
		q := mustNew(t, AMG, m, Options{Symmetric: true, Epsilon: adaptive.MinEpsilon, Operator: operator}, pool)
		if got, want := q.Cost().Bytes, full.Bytes-m.Bytes(); got != want {
			t.Errorf("%s: %d bytes with a stored matrix, want %d", name, got, want)
		}
		if q.(*multigrid).levels[0].a != linop.Relaxer[vector, scalar](operator) {
			t.Errorf("%s: the stored matrix is not used", name)
		}
		x, y, b := make(vector, m.Rows), make(vector, m.Rows), random(m.Rows, 1)
		p.Apply(x, b)
		q.Apply(y, b)
		if !slices.Equal(x, y) {
			t.Errorf("%s: another map with a stored matrix", name)
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
	wide, _ := diffusion(t, "poisson2d", 100, 0)
	opt.MaxBytes, opt.Multigrid.NearNull = 7<<20, nil
	for k := range uint64(30) {
		opt.Multigrid.NearNull = append(opt.Multigrid.NearNull, random(wide.Rows, k))
	}
	if n, err := taken(wide, opt); !errors.Is(err, ErrMemory) || n > 10<<20 {
		t.Errorf("a large prolongator: %v, %d bytes allocated", err, n)
	}
	small := path(t, 400)
	if _, err := New(context.Background(), AMG, small, Options{Symmetric: true, MaxBytes: 100000}, nil); !errors.Is(err, ErrMemory) {
		t.Errorf("dense inverse of %d rows: %v", small.Rows, err)
	}
}

func TestMultigridFaults(t *testing.T) {
	grid := func(change func(m *csr.Matrix)) *csr.Matrix {
		m := generated(t, "poisson2d", generate.Params{"n": 30})
		change(m)
		return m
	}
	diagonal := func(i int, v float64) func(m *csr.Matrix) {
		return func(m *csr.Matrix) {
			cols, vals := m.Row(i)
			k, _ := slices.BinarySearch(cols, int32(i))
			vals[k] = v
		}
	}
	same := func(*csr.Matrix) {}
	near := func(v float64) [][]float64 {
		b := Constants(900, 1)
		b[0][77] = v
		return b
	}
	for name, c := range map[string]struct {
		m    *csr.Matrix
		opt  Options
		is   error // nil: any
		said string
	}{
		"zero diagonal":         {grid(diagonal(5, 0)), Options{Symmetric: true}, ErrNotDefinite, "diagonal entry 6 is 0"},
		"negative diagonal":     {grid(diagonal(5, -4)), Options{Symmetric: true}, ErrNotDefinite, "diagonal entry 6 is -4"},
		"zero diagonal, LU":     {grid(diagonal(5, 0)), Options{}, ErrSingular, "diagonal entry 6 is 0"},
		"NaN":                   {grid(func(m *csr.Matrix) { m.Val[100] = math.NaN() }), Options{Symmetric: true}, nil, "not finite"},
		"infinite":              {grid(func(m *csr.Matrix) { m.Val[100] = math.Inf(-1) }), Options{}, nil, "not finite"},
		"vector of NaN":         {grid(same), Options{Symmetric: true, Multigrid: MultigridOptions{NearNull: near(math.NaN())}}, nil, "vector 1 of the near-null space"},
		"infinite vector":       {grid(same), Options{Symmetric: true, Multigrid: MultigridOptions{NearNull: near(math.Inf(1))}}, nil, "vector 1 of the near-null space"},
		"huge vector":           {grid(same), Options{Symmetric: true, Multigrid: MultigridOptions{NearNull: near(1e200)}}, nil, "vector 1 of the near-null space"},
		"short vector":          {grid(same), Options{Symmetric: true, Multigrid: MultigridOptions{NearNull: [][]float64{make(vector, 900), make(vector, 899)}}}, nil, "vector 2 of the near-null space has 899 elements"},
		"no divisor":            {grid(same), Options{Symmetric: true, BlockSize: 7}, nil, "900 unknowns are not nodes of 7"},
		"indefinite":            {grid(func(m *csr.Matrix) { add(m, -1) }), Options{Symmetric: true}, ErrNotDefinite, ""},
		"near-null space of 0s": {generated(t, "poisson2d", generate.Params{"n": 60}), Options{Symmetric: true, Multigrid: MultigridOptions{NearNull: [][]float64{make(vector, 3600)}}}, nil, "coarsening stopped at 3600 unknowns"},
	} {
		p, err := New(context.Background(), AMG, c.m, c.opt, nil)
		switch {
		case err == nil:
			t.Errorf("%s: no error but %v", name, p)
		case c.is != nil && !errors.Is(err, c.is), !strings.Contains(err.Error(), c.said), strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: %v", name, err)
		}
	}
}

// add adds v to the diagonal of m.
func add(m *csr.Matrix, v float64) {
	for i := range m.Rows {
		cols, vals := m.Row(i)
		if k, found := slices.BinarySearch(cols, int32(i)); found {
			vals[k] += v
		}
	}
}

// Unknowns without a connection, matrices that are small or singular, and vectors
// of the near-null space that vanish somewhere are no faults.
func TestMultigridOddities(t *testing.T) {
	for name, m := range positive(t) {
		if name == "badly scaled" { // callers scale
			continue
		}
		p := mustNew(t, AMG, m, Options{Symmetric: true}, nil)
		x, b := make(vector, m.Rows), random(m.Rows, 1)
		p.Apply(x, b)
		closeTo(t, name, times(m, x), b, 1e-8) // the inverse, since there is one level
	}
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
	if k := amgIterations(t, lonely, Options{}, pool); k > 30 {
		t.Errorf("%d iterations with unknowns that stand alone", k)
	}
	clear(null[0][800:])
	half := append(null, slices.Clone(null[0]))
	for i := range half[1] {
		half[1][i] = 1 - half[0][i]
	}
	m, _ := diffusion(t, "poisson2d", 40, 0)
	if k := amgIterations(t, m, Options{Multigrid: MultigridOptions{NearNull: half}}, pool); k > 30 {
		t.Errorf("%d iterations with vectors that vanish in one half", k)
	}
}
