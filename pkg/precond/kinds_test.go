package precond

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// kinds are all that can be set up for matrices whose diagonal has one sign.
var kinds = slices.DeleteFunc(Kinds()[1:], func(k Kind) bool { return k == Schur })

// M^-1 is symmetric to rounding and positive definite at every accuracy.
func TestSymmetricPositiveDefinite(t *testing.T) {
	pool := newPool(t, 2)
	check := func(name string, m *csr.Matrix, k Kind, opt Options) {
		opt.Symmetric = true
		p := mustNew(t, k, m, opt, pool)
		b, n := denseOf(p, m.Rows), m.Rows
		tol := 0x1p-44
		if _, ok := p.(*fusedCycle); ok {
			tol = 0x1p-10 // prolongator and restriction are rounded apart
		}
		for i := range n {
			for j := range n {
				if d := math.Abs(b[i][j] - b[j][i]); d > tol*math.Sqrt(b[i][i]*b[j][j]) {
					t.Fatalf("%s, %v, epsilon %g: entries (%d, %d) are %g and %g", name, p, opt.Epsilon, i, j, b[i][j], b[j][i])
				}
			}
		}
		if !denseCholesky(slices.Concat(b...), n) {
			t.Errorf("%s, %v, epsilon %g: not positive definite", name, p, opt.Epsilon)
		}
	}
	for name, m := range positive(t) {
		for _, k := range kinds {
			for _, epsilon := range []float64{0x1p-8, 0, adaptive.MinEpsilon} {
				if k != ILUT && k != LU && k != CG32 && (k != AMG || name != "badly scaled") { // which callers of AMG scale
					check(name, m, k, Options{Epsilon: epsilon})
				}
			}
		}
	}
	for name, m := range multigridProblems(t) {
		for _, smoother := range []string{smootherSPAI0, smootherChebyshev, smootherL1Jacobi} {
			for degree := 1; degree <= 3; degree++ {
				if !testing.Short() || degree == 1 {
					check(name, m, AMG, Options{Degree: degree, Multigrid: MultigridOptions{Smoother: smoother}})
				}
			}
		}
	}
}

// An application has the same bits for any number of threads and allocates nothing.
func TestSameBitsForAnyThreads(t *testing.T) {
	body, modes := elastic(t, 12)
	every, runs := 1, 20
	if testing.Short() {
		every = 3 // others share their loops
	}
	if host.RaceDetector {
		runs = 1
	}
	for name, c := range map[string]struct {
		m     *csr.Matrix
		kinds []Kind
		opt   Options
	}{
		"large":      {laplace(t, 200), kinds, Options{Symmetric: true, Incomplete: Incomplete{Fill: 2}}},                                                            // subdomains, and ranges of aggregates
		"elasticity": {wide(generated(t, "elasticity3d", generate.Params{"n": 6})), kinds[:len(kinds)-1], Options{Symmetric: true, Incomplete: Incomplete{Fill: 2}}}, // which callers of AMG scale
		"rigid body": {body, []Kind{AMG}, Options{Symmetric: true, Multigrid: MultigridOptions{NearNull: modes, KCycle: true}}},
		"convection": {generated(t, "convdiff3d", generate.Params{"n": 14}), []Kind{AMG, ILU0, ILUT, LU}, Options{Multigrid: MultigridOptions{KCycle: true}}},
	} {
		for i, k := range c.kinds {
			if i%every > 0 || testing.Short() && name == "large" && k == LU { // of which the others are large enough
				continue
			}
			var want vector
			for _, threads := range []int{1, 3, 8} {
				if threads == 8 && (testing.Short() || name == "large") {
					continue
				}
				p := mustNew(t, k, c.m, c.opt, newPool(t, threads))
				if f, ok := p.(*incomplete); ok && name == "large" && f.bounds == nil && k != LU && k != Cholesky && k != LDL {
					t.Errorf("%s: no subdomains", k)
				}
				x, b := make(vector, c.m.Rows), random(c.m.Rows, 1)
				p.Apply(x, b)
				if want == nil {
					want = slices.Clone(x)
				}
				if n := testing.AllocsPerRun(runs, func() { p.Apply(x, b) }); n != 0 { // the runtime allocates now and then for threads that wait
					t.Errorf("%s of %s, %d threads: %v allocations", k, name, threads, n)
				}
				if !slices.Equal(x, want) {
					t.Errorf("%s of %s: other bits with %d threads", k, name, threads)
				}
			}
		}
	}
}

// ILU(0) has no subdomains where it is to have none.
func TestUndivided(t *testing.T) {
	m := laplace(t, 260)
	for _, undivided := range []bool{false, true} {
		p := mustNew(t, ILU0, m, Options{Incomplete: Incomplete{Undivided: undivided}}, nil).(*incomplete)
		if (p.bounds == nil) != undivided || (p.row == nil) != undivided {
			t.Errorf("undivided %v: subdomains %v", undivided, p.bounds)
		}
	}
}

// Matrices whose separator would be large, and small ones, have no subdomains.
func TestSplitRefuses(t *testing.T) {
	for _, m := range []*csr.Matrix{generated(t, "poisson3d", generate.Params{"n": 33}), laplace(t, 100), {}} {
		if order, bounds := split(m, nil); order != nil || bounds != nil {
			t.Errorf("%d rows are split at %v", m.Rows, bounds)
		}
	}
}

// Values take at most half of FP64 at reduced accuracy, besides those that are in FP64 in
// any case, as those of complete factors, and a matrix that is stored already takes nothing.
func TestCost(t *testing.T) {
	grid, _ := diffusion(t, "poisson3d", 12, 0)
	body, _ := elastic(t, 8)
	for name, m := range map[string]*csr.Matrix{"poisson": grid, "elasticity": body} {
		for _, k := range kinds {
			pool := newPool(t, 2)
			opt := Options{Symmetric: true, Incomplete: Incomplete{Fill: 2}}
			reduced := mustNew(t, k, m, opt, pool).Cost()
			opt.Epsilon = adaptive.MinEpsilon
			p := mustNew(t, k, m, opt, pool)
			full, always := p.Cost(), int64(0)
			switch q := p.(type) {
			case *incomplete, *chebyshev:
				always = int64(8 * m.Rows)
			case *multigrid:
				n := int64(q.cycles.(*cycle[float64]).coarse.n)
				always = 8 * n * n
			}
			if _, ok := p.(*complete); ok || k == LU || k == CG32 { // neither fronts nor factors of few entries are rounded, and FP32 always is
				if reduced != full {
					t.Errorf("%s of %s: %+v, at full accuracy %+v", k, name, reduced, full)
				}
				continue
			}
			if full.ValueBytes != 8*full.Values || reduced.Bytes >= full.Bytes ||
				2*(reduced.ValueBytes-always) > full.ValueBytes-always {
				t.Errorf("%s of %s: %+v, at full accuracy %+v", k, name, reduced, full)
			}
			if k != Chebyshev {
				continue
			}
			opt.Operator = linop.NewCSR(m, pool)
			q := mustNew(t, k, m, opt, pool)
			if got, want := q.Cost().Bytes, full.Bytes-m.Bytes(); got != want {
				t.Errorf("%s of %s: %d bytes with a stored matrix, want %d", k, name, got, want)
			}
			x, y, b := make(vector, m.Rows), make(vector, m.Rows), random(m.Rows, 1)
			p.Apply(x, b)
			q.Apply(y, b)
			if !slices.Equal(x, y) {
				t.Errorf("%s of %s: another map with a stored matrix", k, name)
			}
		}
	}
}

func TestMemoryLimit(t *testing.T) {
	m := laplace(t, 40)
	for _, k := range kinds {
		opt := Options{Symmetric: true, Incomplete: Incomplete{Fill: 3}}
		need := mustNew(t, k, m, opt, nil).Cost().Bytes
		for _, limit := range []int64{1000, need / 2, need - 1} {
			opt.MaxBytes = limit
			if _, err := New(t.Context(), k, m, opt, nil); !errors.Is(err, ErrMemory) {
				t.Errorf("%s, limit %d of %d bytes: %v", k, limit, need, err)
			}
		}
		opt.MaxBytes = 1 << 30
		mustNew(t, k, m, opt, nil)
	}
}

// afterChecks is a context that is done after a number of checks.
type afterChecks struct {
	context.Context
	left *int
}

func (c afterChecks) Done() <-chan struct{} {
	done := make(chan struct{})
	if *c.left--; *c.left < 0 {
		close(done)
	}
	return done
}

func (c afterChecks) Err() error {
	select {
	case <-c.Done():
		return context.Canceled
	default:
		return nil
	}
}

// Setting up ends when the context is done: always before it begins, and of what takes
// long on the way as well.
func TestInterruption(t *testing.T) {
	m := laplace(t, 60)
	for _, k := range kinds {
		for checks := range 3 {
			if checks > 0 && !slices.Contains([]Kind{ILU0, IC0, ILUT, ICT, LU, Cholesky, LDL, AMG}, k) {
				continue
			}
			if _, err := New(afterChecks{t.Context(), &checks}, k, m, Options{Symmetric: true}, nil); !errors.Is(err, ErrInterrupted) {
				t.Errorf("%s, after %d checks: %v", k, checks, err)
			}
		}
	}
	if _, err := New(t.Context(), AMG, m, Options{Symmetric: true, Limits: Limits{MaxWork: 1}}, nil); !errors.Is(err, ErrWork) {
		t.Errorf("too much work: %v", err)
	}
}

// Not a number in A is an error, in r it comes through.
func TestNaN(t *testing.T) {
	for _, k := range kinds {
		p := mustNew(t, k, laplace(t, 5), Options{Symmetric: true}, nil)
		x, r := make(vector, 25), random(25, 1)
		r[7] = math.NaN()
		if p.Apply(x, r); !math.IsNaN(x[7]) {
			t.Errorf("%s hides NaN: %v", k, x)
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for entry := range 3 {
				m := laplace(t, 5)
				m.Val[entry] = bad
				if _, err := New(t.Context(), k, m, Options{Symmetric: true}, nil); err == nil || !strings.Contains(err.Error(), "row 1 has") {
					t.Errorf("%s takes a matrix with %g: %v", k, bad, err)
				}
			}
		}
	}
}

// Reduced accuracy costs at most 5 % more iterations in the median.
func TestIterations(t *testing.T) {
	pool := newPool(t, 2)
	more := map[Kind][]float64{}
	try := func(name string, m *csr.Matrix) {
		plain := pcg(t, Jacobi, m, Options{Epsilon: adaptive.MinEpsilon}, pool)
		for _, k := range []Kind{Jacobi, BlockJacobi, Chebyshev, FSAI} {
			full := pcg(t, k, m, Options{Epsilon: adaptive.MinEpsilon}, pool)
			reduced := pcg(t, k, m, Options{}, pool)
			more[k] = append(more[k], float64(reduced)/float64(full))
			t.Logf("%s: %s takes %d iterations, in FP64 %d", name, k, reduced, full)
			if reduced > plain+plain/20+2 {
				t.Errorf("%s: %s takes %d iterations, Jacobi %d", name, k, reduced, plain)
			}
		}
	}
	try("poisson2d", laplace(t, 60))
	try("poisson3d", generated(t, "poisson3d", generate.Params{"n": 16}))
	try("anisotropic2d", generated(t, "anisotropic2d", generate.Params{"n": 40}))
	if !testing.Short() {
		t.Run("real", func(t *testing.T) {
			for _, name := range []string{
				"bcsstk14", "bcsstk11", "bcsstk06", "bcsstk08", "bcsstk09", "bcsstk19", "Trefethen_2000",
				"1138_bus", "685_bus", "nos5", "nos1", "nos4", "sherman1", "gear_integer_general_coordinate_100",
				"local_disc_galerkin_diffusion",
			} {
				m := testsupport.Matrix(t, name)
				if sign := csr.Examine(m, nil).DiagonalSign(); sign < 0 {
					m.Negate(nil)
				} else if sign == 0 {
					continue
				}
				m, _ = equilibratedProblem(t, m, nil)
				try(name, m)
			}
		})
	}
	for k, ratios := range more {
		slices.Sort(ratios)
		median := ratios[len(ratios)/2]
		t.Logf("%s: %.3f times as many iterations in the median, %.3f at most", k, median, ratios[len(ratios)-1])
		if median > 1.05 {
			t.Errorf("%s: %.3f times as many iterations in the median", k, median)
		}
	}
}

// BenchmarkKinds sets up and applies every kind, at the default accuracy and in FP64.
func BenchmarkKinds(b *testing.B) {
	pool := newPool(b, 0)
	for name, m := range map[string]*csr.Matrix{
		"poisson3d":    generated(b, "poisson3d", generate.Params{"n": 40}),
		"elasticity3d": generated(b, "elasticity3d", generate.Params{"n": 25}),
	} {
		for _, k := range kinds {
			for accuracy, epsilon := range map[string]float64{"default": 0, "factor.FP64": adaptive.MinEpsilon} {
				opt := Options{Symmetric: true, Epsilon: epsilon, Incomplete: Incomplete{Fill: 3, DropTol: 1e-3}}
				b.Run(name+"/"+string(k)+"/"+accuracy+"/setup", func(b *testing.B) {
					for b.Loop() {
						mustNew(b, k, m, opt, pool)
					}
				})
				b.Run(name+"/"+string(k)+"/"+accuracy+"/apply", func(b *testing.B) {
					p := mustNew(b, k, m, opt, pool)
					x, y := make(vector, m.Rows), random(m.Rows, 1)
					for b.Loop() {
						p.Apply(x, y)
					}
				})
			}
		}
	}
}
