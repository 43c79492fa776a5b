package krylov

import (
	"context"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
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
