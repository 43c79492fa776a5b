package krylov

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// updating are the methods that update r along with x.
var updating = []string{"cg", "bicgstab", "minres", "cgs", "bicg", "idr", "tfqmr", "lsqr"}

// undeceived are those whose r stays with b - A x in TestSingularIsNotSolved.
var undeceived = []string{"cgs", "tfqmr", "lsqr"}

// products counts those with an operator.
type products struct {
	linop.CSR
	applied, residuals int
}

func (p *products) ApplyDot(dst, src, w []float64) linop.Float64 {
	p.applied++
	return p.CSR.ApplyDot(dst, src, w)
}

func (p *products) Residual(r, b, x []float64) {
	p.residuals++
	p.CSR.Residual(r, b, x)
}

func solveCounted(t *testing.T, name string, m *csr.Matrix, x, b []float64, opt hostOptions) (Result, *products) {
	t.Helper()
	pool := newPool(t, 1)
	a := &products{CSR: linop.NewCSR(m, pool)}
	return onHost(t, name, linop.NewHost(m.Rows, pool)).Solve(context.Background(), a, x, b, opt), a
}

// Convergence costs one product to confirm, and none for callers that do it
// themselves.
func TestConfirmingTakesOneProduct(t *testing.T) {
	m, b := grid(12, 0), random(1, 144)
	for _, name := range updating {
		var iterations, applied [2]int
		for residuals := range 2 {
			x := make([]float64, len(b))
			r, a := solveCounted(t, name, m, x, b, hostOptions{Tol: 1e-9, Unconfirmed: residuals == 0})
			iterations[residuals], applied[residuals] = r.Iterations, a.applied
			if r.Reason != Converged || a.residuals != residuals {
				t.Errorf("%s: %v, %d residuals recomputed, want %d", name, r.Reason, a.residuals, residuals)
			}
		}
		if iterations[0] != iterations[1] || applied[0] != applied[1] {
			t.Errorf("%s: %d iterations and %d products, with and without confirming", name, iterations, applied)
		}
	}
}

// From a huge guess, what is updated loses the digits of b: the method goes on from
// the true residual until that is small.
func TestGoesOnFromTrueResidual(t *testing.T) {
	const tol = 1e-10
	m, b := grid(12, 0), random(1, 144)
	for _, name := range updating {
		for _, size := range []float64{1, 1e4, 1e8} {
			x := times(size, random(2, 144))
			r, a := solveCounted(t, name, m, x, b, hostOptions{Tol: tol, Guess: true})
			if r.Reason != Converged {
				t.Errorf("%s, guess of %g: %v after %d iterations", name, size, r.Reason, r.Iterations)
			}
			checkHonest(t, r, trueResidual(t, m, x, b), tol)
			if a.residuals > 4 || size == 1e8 && a.residuals < 3 {
				t.Errorf("%s, guess of %g: %d residuals recomputed", name, size, a.residuals)
			}
		}
	}
}

// A tolerance that b - A x cannot meet in float64 is not claimed.
func TestToleranceOutOfReach(t *testing.T) {
	m, b := grid(12, 0), random(1, 144)
	for _, name := range updating {
		x := make([]float64, len(b))
		r, a := solveCounted(t, name, m, x, b, hostOptions{Tol: 1e-19})
		if r.Reason != Drift || a.residuals > 4 {
			t.Errorf("%s: %v, %d residuals recomputed", name, r.Reason, a.residuals)
		}
		if res := trueResidual(t, m, x, b); res > 1e-14 || r.Measure > 1e-14 || r.Measure <= nearly*1e-19 {
			t.Errorf("%s: residual %g, measure %g", name, res, r.Measure)
		}
	}
}

// Singular systems whose b is not in the range: x grows without bound until r, which
// is updated, has nothing to do with b - A x, and often gets small. Then it is taken
// for a solution by those who do not confirm it, and by nobody else.
func TestSingularIsNotSolved(t *testing.T) {
	const tol = 1e-4
	for _, name := range updating {
		deceived := 0
		for seed := range uint64(50) {
			for _, n := range []int{3, 5, 10} {
				weights := random(100+seed, n-1)
				for i, w := range weights {
					weights[i] = math.Exp(w)
				}
				m, b, x := path(weights...), random(seed, n), make([]float64, n)
				r := solveWith(t, name, m, x, b, hostOptions{Tol: tol, MaxIter: 3000})
				if res := trueResidual(t, m, x, b); r.Reason.Converged() && res > nearly*tol {
					t.Errorf("%s, %d points, seed %d: %v with residual %g", name, n, seed, r.Reason, res)
				}
				r = solveWith(t, name, m, x, b, hostOptions{Tol: tol, MaxIter: 3000, Unconfirmed: true})
				if r.Reason.Converged() && trueResidual(t, m, x, b) > nearly*tol {
					deceived++
				}
			}
		}
		if deceived == 0 && !slices.Contains(undeceived, name) {
			t.Errorf("%s: no residual that is updated is wrong: the test shows nothing", name)
		}
	}
}

// claims is the identity, with residuals of these sizes relative to b whatever x is.
type claims struct {
	linop.CSR
	size func(residual int) float64
	made *int
}

func (a claims) Residual(r, b, _ []float64) {
	*a.made++
	for i := range r {
		r[i] = a.size(*a.made) * b[i]
	}
}

// A residual that is recomputed may be twice the tolerance; one that always halves lets
// BiCGStab start again 20 times.
func TestConfirmingHasLimits(t *testing.T) {
	const tol = 1e-16
	pool := newPool(t, 1)
	for _, c := range []struct {
		name, method string
		size         func(residual int) float64
		want         Reason
		residuals    int
	}{
		{"just in", "cg", func(int) float64 { return 1.9 * tol }, Converged, 1},
		{"just out", "cg", func(int) float64 { return 2.1 * tol }, Drift, 2},
		{"quartered", "cg", func(k int) float64 { return math.Pow(4, -float64(k)) }, Converged, 27},
		{"quartered", "bicgstab", func(k int) float64 { return math.Pow(4, -float64(k)) }, Breakdown, 21},
	} {
		made, x, b := 0, make([]float64, 3), []float64{1, 2, 3}
		a := claims{linop.NewCSR(diagonal(1, 1, 1), pool), c.size, &made}
		r := onHost(t, c.method, linop.NewHost(3, pool)).Solve(context.Background(), a, x, b, hostOptions{Tol: tol})
		if r.Reason != c.want || made != c.residuals {
			t.Errorf("%s, %s: %v after %d residuals, want %v after %d", c.name, c.method, r.Reason, made, c.want, c.residuals)
		}
	}
}
