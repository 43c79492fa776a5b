package krylov

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
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

// drifting is an operator whose residuals are off by a multiple of b.
type drifting struct {
	linop.CSR
	space linop.Host
	off   linop.Float64
	looks int
}

func (d *drifting) Residual(r, b, x []float64) {
	d.looks++
	d.CSR.Residual(r, b, x)
	d.space.Axpy(d.off, b, r)
}

// A residual that is not the one of the recurrence ends a solve, where it is looked at; looking changes nothing else.
func TestGap(t *testing.T) {
	m, b := grid(20, 0), random(1, 400)
	for _, name := range updating {
		pool := newPool(t, 1)
		solve := func(opt hostOptions, off linop.Float64) (Result, []float64, *drifting) {
			space := linop.NewHost(m.Rows, pool)
			a, x := &drifting{CSR: linop.NewCSR(m, pool), space: space, off: off}, make([]float64, len(b))
			opt.Tol, opt.Unconfirmed = 1e-9, true
			return onHost(t, name, space).Solve(t.Context(), a, x, b, opt), x, a
		}
		const every = 4
		want, x, unseen := solve(hostOptions{}, 1)
		if want.Reason != Converged || unseen.looks != 0 {
			t.Errorf("%s: %v with %d looks that were not asked for", name, want.Reason, unseen.looks)
		}
		r, y, a := solve(hostOptions{Gap: every}, 0)
		if last := (want.Iterations - 1) / every; r != want || !sameBits(x, y) || a.looks != last {
			t.Errorf("%s: %+v, without looking %+v; %d looks, want %d", name, r, want, a.looks, last)
		}
		if r, _, a := solve(hostOptions{Gap: every}, 1); r.Reason != Drift || r.Iterations != every || a.looks != 1 {
			t.Errorf("%s: %v after %d iterations and %d looks", name, r.Reason, r.Iterations, a.looks)
		}
	}
}

// TestReplaces: conjugate gradients go on from a residual that is recomputed and scaled, so that
// a solve in two parts takes the iterations of one, and not those of a restart.
func TestReplaces(t *testing.T) {
	pool := newPool(t, 1)
	m := testsupport.Grid(60, 0, 0)
	space, a := linop.NewHost(m.Rows, pool), linop.NewCSR(m, pool)
	b := space.New()
	for i := range b {
		b[i] = float64(i%7) - 2
	}
	const tol, half, scale = 1e-10, 1e-3, 8
	whole := func(tol float64) (x []float64, m *cg[[]float64, linop.Float64], iterations int) {
		m, x = NewCG(space).(*cg[[]float64, linop.Float64]), space.New()
		r := m.Solve(t.Context(), a, x, b, Options[[]float64]{Tol: tol})
		if r.Reason != Converged {
			t.Fatal(r)
		}
		return x, m, r.Iterations
	}
	_, _, want := whole(tol)
	second := func(replaces float64) int {
		x, m, first := whole(half)
		r, d := space.New(), space.New()
		a.Residual(r, b, x)
		space.Scale(scale, r)
		result := m.Solve(t.Context(), a, d, r, Options[[]float64]{Tol: tol / half, Replaces: replaces})
		if result.Reason != Converged {
			t.Fatal(result)
		}
		space.Axpy(1./scale, d, x)
		if a.Residual(r, b, x); norm(space.Dot(r, r)) > 2*tol*norm(space.Dot(b, b)) {
			t.Errorf("replaces %g: the sum of both parts does not solve the system", replaces)
		}
		return first + result.Iterations
	}
	kept, anew, far := second(scale), second(0), second(scale/100.)
	if kept > want+want/20 {
		t.Errorf("%d iterations in two parts, %d in one", kept, want)
	}
	if anew < want+want/10 || far != anew {
		t.Errorf("%d iterations with a restart, %d from a residual far from the last, %d in one part", anew, far, want)
	}
}
