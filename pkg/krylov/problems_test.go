package krylov

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"gonum.org/v1/gonum/mat"
)

// letters are the reasons that the table of problems expects: one letter per
// method, in the order of the table of methods. '-' stands for any reason that
// is not a success: rounding decides which.
var letters = map[rune]Reason{
	'C': Converged, 'Z': ZeroRHS, 'L': IterationLimit, 'B': Breakdown,
	'S': Stagnation, 'N': NotFinite, 'D': Divergence, 'I': Indefinite,
}

// problems are systems that methods meet or should survive meeting.
func problems() []problem {
	inf, nan := math.Inf(1), math.NaN()
	nilpotent := band(8, 0, 0, 1)
	return []problem{
		// cg, bicgstab, minres + gmres 1, 5, 40, full, 5', full', growing + cgs, bicg, idr, tfqmr, lsqr
		{"poisson", grid(12, 0), random(1, 144), "CCC" + "CCCCCCC" + "CCCCC"},
		{"poisson, b = 1", grid(12, 0), constant(144, 1), "CCC" + "CCCCCCC" + "CCCCC"},
		{"diagonal", diagonal(1, 2, 3, 4, 5, 6, 7, 8), random(2, 8), "CCC" + "CCCCCCC" + "CCCCC"},
		{"identity", diagonal(1, 1, 1, 1), random(3, 4), "CCC" + "CCCCCCC" + "CCCCC"},
		{"1 x 1", diagonal(3), []float64{5}, "CCC" + "CCCCCCC" + "CCCCC"},
		{"1 x 1, negative", diagonal(-3), []float64{5}, "ICC" + "CCCCCCC" + "CCCCC"},
		{"hilbert", hilbert(8), constant(8, 1), "CCC" + "SSCCSCC" + "-CCCC"},
		{"large", scaledBy(1e150, grid(8, 0)), random(5, 64), "CCC" + "CCCCCCC" + "CCCCC"},
		{"small", scaledBy(1e-150, grid(8, 0)), random(5, 64), "CCC" + "CCCCCCC" + "CCCCC"},
		{"matrix of 1e300", scaledBy(1e300, grid(8, 0)), random(5, 64), "CNN" + "NNNNNNN" + "CC-CN"},
		{"overflow", scaledBy(1e200, grid(8, 0)), times(1e200, random(5, 64)), "NNN" + "NNNNNNN" + "NNNNN"},
		{"b = 1e-158", grid(8, 0), times(1e-158, random(5, 64)), "NNN" + "NNNNNNN" + "NNNNN"},
		{"b = 1e-200", grid(8, 0), times(1e-200, random(5, 64)), "NNN" + "NNNNNNN" + "NNNNN"},
		{"indefinite", diagonal(1, 2, -3, 4), constant(4, 1), "ICC" + "CCCCCCC" + "CCCCC"},
		{"indefinite grid", shifted(grid(12, 0), -2.5), random(6, 144), "ICC" + "SSCCSCC" + "CCCCC"},
		{"negative definite", scaledBy(-1, grid(8, 0)), random(7, 64), "ICC" + "CCCCCCC" + "CCCCC"},
		{"singular, consistent", neumann(20), centred(20), "CCC" + "CCCCCCC" + "CCCCC"},
		{"singular, inconsistent", neumann(20), unit(20, 3), "---" + "SSSSSSS" + "----B"},
		{"skew", band(10, -1, 0, 1), random(8, 10), "---" + "SCCCCCC" + "--C-C"},
		{"rotation", dense([]float64{0, 1}, []float64{-1, 0}), []float64{1, 0}, "IB-" + "SCCCCCC" + "BBCBC"},
		{"shift", shift(60), unit(60, 0), "IB-" + "SSSCSCC" + "BBCBC"},
		{"nilpotent, b in the range", nilpotent, unit(8, 0), "IB-" + "SSSSSSS" + "BBBBC"},
		{"nilpotent, b elsewhere", nilpotent, unit(8, 7), "IB-" + "SSSSSSS" + "BB-BB"},
		{"zero", entries(3, func(func(int, int, float64)) {}), []float64{1, 2, 3}, "IBB" + "SSSSSSS" + "BBBBB"},
		{"jordan", band(30, 0, 1, 1), constant(30, 1), "-C-" + "CCCCCCC" + "CCCCC"},
		{"convection", grid(12, 0.4), random(9, 144), "-C-" + "CCCCCCC" + "CCCCC"},
		{"strong convection", grid(12, 3), random(9, 144), "-C-" + "CCCCCCC" + "CCCCC"},
		{"NaN in A", dense([]float64{1, nan}, []float64{0, 1}), []float64{1, 1}, "NNN" + "NNNNNNN" + "NNNNN"},
		{"Inf in A", dense([]float64{inf, 1}, []float64{1, 1}), []float64{1, 1}, "NNN" + "NNNNNNN" + "NNNNN"},
		{"NaN in b", diagonal(1, 1), []float64{1, nan}, "NNN" + "NNNNNNN" + "NNNNN"},
		{"Inf in b", diagonal(1, 1), []float64{-inf, 1}, "NNN" + "NNNNNNN" + "NNNNN"},
		{"b = 0", grid(4, 0), constant(16, 0), "ZZZ" + "ZZZZZZZ" + "ZZZZZ"},
		{"eigenvector", band(9, -1, 2, -1), sine(9), "CCC" + "CCCCCCC" + "CCCCC"},
		{"invariant subspace", diagonal(1, 2, 3, 4, 5, 6, 7, 8), []float64{1, 1, 0, 0, 0, 0, 0, 1}, "CCC" + "CCCCCCC" + "CCCCC"},
	}
}

type problem struct {
	name string
	a    *csr.Matrix
	b    []float64
	want string
}

// exact is the number of iterations after which methods without short cycles have the
// solution, since it lies in the first Krylov spaces.
var exact = map[string]int{"identity": 1, "1 x 1": 1, "eigenvector": 1, "invariant subspace": 3, "shift": 60, "diagonal": 8}

// Every method on every problem: the reason is the expected one, on an asynchronous space
// too, the residual that it claims is true, and only what is solved is called so.
func TestProblems(t *testing.T) {
	const tol = 1e-8
	want := map[string]int{}
	for k, v := range methods {
		want[v.name] = k
	}
	eachMethod(t, func(t *testing.T, v variant, async bool, solve solver) {
		for _, p := range problems() {
			x := make([]float64, len(p.b))
			r := solve(t, context.Background(), v.name, p.a, x, p.b, hostOptions{Tol: tol, MaxIter: 3000})
			want := rune(p.want[want[v.name]])
			if want == '-' && r.Reason >= 0 || want != '-' && r.Reason != letters[want] {
				t.Errorf("%s: reason %v (%d iterations, residual %g), want %c", p.name, r.Reason, r.Iterations, r.Residual, want)
			}
			if most := exact[p.name]; most > 0 && r.Reason == Converged && !async && v.method != "idr" && !v.restarted() && v.gmres.MaxRestart == 0 && r.Iterations > most {
				t.Errorf("%s: %d iterations, want %d", p.name, r.Iterations, most)
			}
			residual := trueResidual(t, p.a, x, p.b)
			checkHonest(t, r, residual, tol)
			if v.method == "gmres" && residual > 1+1e-15 && !math.IsInf(residual, 0) {
				t.Errorf("%s: residual %g: x = 0 is better", p.name, residual)
			}
		}
	})
}

// A singular column of the Hessenberg matrix reduces nothing; the monitor must
// not be told otherwise.
func TestSingularColumnIsNoProgress(t *testing.T) {
	var last Event
	x := make([]float64, 8)
	solveWith(t, "gmres full", band(8, 0, 0, 1), x, unit(8, 0), hostOptions{Monitor: func(e Event) { last = e }})
	if last.Residual != 1 || last.Iteration == 0 {
		t.Errorf("the last event is %+v, want residual 1", last)
	}
}

// Small systems on which a scalar of BiCGStab vanishes, worked out by hand.
func TestBiCGStabBreakdowns(t *testing.T) {
	for _, c := range []struct {
		name       string
		a          *csr.Matrix
		want       Reason
		iterations int
		residual   float64
	}{
		// A r·r = 0 for the first r: alpha has no denominator.
		{"alpha", dense([]float64{0, 1}, []float64{1, 0}), Breakdown, 0, 1},
		// alpha = 1, t = (0, -1/2), A t = 0: omega has no denominator, and x takes half a step.
		{"omega 0/0", dense([]float64{1, 0}, []float64{0.5, 0}), Breakdown, 0, 0.5},
		// alpha = 1, t = (0, -1), A t = (1, 0): t·At = 0, so omega = 0.
		{"omega", dense([]float64{1, -1}, []float64{1, 0}), Breakdown, 1, 1},
		// t = 0 after half a step: solved.
		{"half a step", dense([]float64{2, 0}, []float64{0, 3}), Converged, 1, 0},
		// alpha = 1, t = (0, -1, -1), At = (0, -1, -2), omega = 3/5 and r = (0, -2/5, 1/5),
		// orthogonal to s = e1: rho = 0, and the method starts again from r.
		{"rho", dense([]float64{1, 0, 0}, []float64{1, 1, 0}, []float64{1, 0, 2}), Converged, 3, 0},
	} {
		for k, solve := range []solver{solveHost, solveAsync} {
			b, x := unit(c.a.Rows, 0), make([]float64, c.a.Rows)
			r := solve(t, context.Background(), "bicgstab", c.a, x, b, hostOptions{})
			if r.Reason != c.want || r.Iterations != c.iterations {
				t.Errorf("%s, solver %d: %v after %d iterations, want %v after %d", c.name, k, r.Reason, r.Iterations, c.want, c.iterations)
			}
			res := trueResidual(t, c.a, x, b)
			if math.Abs(res-c.residual) > 1e-10 {
				t.Errorf("%s, solver %d: residual %g, want %g", c.name, k, res, c.residual)
			}
			checkHonest(t, r, res, DefaultTol)
		}
	}
}

// CG on an indefinite matrix whose curvature stays positive for long: the
// residual grows by more than divergenceTol.
func TestDivergence(t *testing.T) {
	a := diagonal(1, -1+1e-13)
	x := make([]float64, 2)
	if r := solveWith(t, "cg", a, x, []float64{1, 1}, hostOptions{}); r.Reason != Divergence || r.Residual < divergenceTol {
		t.Errorf("%v with residual %g", r.Reason, r.Residual)
	}
}

// counting is the space of the host, with the number of vectors that it has made.
type counting struct {
	linop.Host
	vectors int
}

func (c *counting) New() []float64 {
	c.vectors++
	return c.Host.New()
}

// The table is right about the names of the methods, and about their memory.
func TestKinds(t *testing.T) {
	const n = 64
	pool := newPool(t, 1)
	second := band(n, -1, 2, -1)
	a := linop.NewCSR(second, pool)
	for _, k := range Methods {
		for _, opt := range preconditionings(second, pool) {
			for _, gmres := range []GMRESOptions{{}, {Restart: 5}, {Restart: 2, MaxRestart: 7}, {Restart: math.MaxInt}} {
				space := &counting{Host: linop.NewHost(n, pool)}
				m, err := New[[]float64, linop.Float64](k.Name, space, MethodOptions{GMRES: gmres})
				if err != nil || m.Name() != k.Name {
					t.Fatalf("%s: %v, %v", k.Name, m, err)
				}
				opt.Tol, opt.MaxIter, opt.Measure = 1e-290, 200, func(_, _ []float64) float64 { return 1 }
				m.Solve(t.Context(), a, space.Host.New(), random(1, n), opt)
				want := k.Vectors(n, Use{MethodOptions{GMRES: gmres}, opt.Precond != nil, opt.Flexible})
				if _, own := opt.Precond.(*scaled32); own && k.Name == "cg" {
					want-- // z is the preconditioner's
				}
				if space.vectors != want {
					t.Errorf("%s, %+v: %d vectors, the table says %d", k.Name, gmres, space.vectors, want)
				}
			}
		}
		if found, ok := KindOf(k.Name); !ok || found.Summary != k.Summary || k.Summary == "" {
			t.Errorf("KindOf(%q) = %+v, %v", k.Name, found, ok)
		}
	}
	if _, ok := KindOf("sor"); ok {
		t.Error("KindOf finds what there is not")
	}
	if _, err := New[[]float64, linop.Float64]("sor", linop.NewHost(1, pool), MethodOptions{}); err == nil {
		t.Error("New makes a method that there is not")
	}
}

// classes make matrices of a random one that has about three nonzeros a row.
var classes = []struct {
	name   string
	make   func(rng *rand.Rand, a *mat.Dense)
	solved []string // methods that must solve all of them
}{
	{"spd", func(_ *rand.Rand, a *mat.Dense) { // I + A Aᵀ
		a.Mul(a, mat.DenseCopyOf(a.T()))
		addDiagonal(a, func(int) float64 { return 1 })
	}, []string{"cg", "bicgstab", "minres", "gmres full", "gmres full cgs2", "gmres growing", "cgs", "bicg", "idr", "tfqmr", "lsqr"}},
	{"dominant", func(_ *rand.Rand, a *mat.Dense) {
		addDiagonal(a, func(i int) float64 { return 0.1 + 2.1*mat.Norm(a.RowView(i), 1) })
	}, []string{"bicgstab", "gmres 5", "gmres 40", "gmres full", "gmres 5 cgs2", "gmres full cgs2", "gmres growing", "cgs", "bicg", "idr", "tfqmr", "lsqr"}},
	{"general", func(rng *rand.Rand, a *mat.Dense) {
		addDiagonal(a, func(int) float64 { return rng.NormFloat64() })
	}, nil},
}

func addDiagonal(a *mat.Dense, d func(i int) float64) {
	for i := range a.RawMatrix().Rows {
		a.Set(i, i, a.At(i, i)+d(i))
	}
}

// Converged means solved, for every method on matrices of any kind; methods
// solve what their theory promises.
func TestConvergedMeansSolved(t *testing.T) {
	const tol = 1e-8
	for _, f := range classes {
		converged := 0
		for seed := range uint64(60) {
			rng := rand.New(rand.NewPCG(seed, 5))
			n := 1 + rng.IntN(60)
			full := mat.NewDense(n, n, nil)
			full.Apply(func(_, _ int, _ float64) float64 {
				if rng.IntN(n) >= 3 {
					return 0
				}
				return rng.NormFloat64()
			}, full)
			f.make(rng, full)
			a := fromMat(full)
			b := random(seed, n)
			for _, m := range methods {
				x := make([]float64, n)
				r := solveWith(t, m.name, a, x, b, hostOptions{Tol: tol, MaxIter: 2000})
				res := trueResidual(t, a, x, b)
				if r.Reason.Converged() && !(res <= 10*tol) {
					t.Errorf("%s, seed %d, n = %d, %s: %v with residual %g", f.name, seed, n, m.name, r.Reason, res)
				}
				if r.Reason.Converged() {
					converged++
					continue
				}
				if slices.Contains(f.solved, m.name) {
					t.Errorf("%s, seed %d, n = %d, %s: %v", f.name, seed, n, m.name, r.Reason)
				}
			}
		}
		if converged < 60 {
			t.Errorf("%s: only %d solves converged; the test shows little", f.name, converged)
		}
	}
}
