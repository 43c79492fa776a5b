package solver

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// That a matrix is not definite is met once, with a matrix in reduced precision: one product
// with the matrix as given settles it, and no precision is raised for it.
func TestIndefiniteMetOnce(t *testing.T) {
	m := grid(20, 0, -2.5)
	var log logged
	r := solved(t, m, rhs(m, 1), nil, log.options(solve.Options{Precond: unpreconditioned, Storage: storageOf("AFX", 0x1p-12)}))
	met := 0
	for _, line := range log.lines {
		if strings.Contains(line, "not positive definite") {
			met++
		}
	}
	if met != 1 || log.says("(not positive definite): continuing with AFX") || r.Method != "gmres" {
		t.Errorf("met %d times, solved by %s: %q", met, r.Method, log.lines)
	}
}

// A definite matrix that is not definite any more as it is stored stays with conjugate
// gradients: the check with the matrix as given tells the two apart.
func TestDefiniteMatrixStoredIndefinite(t *testing.T) {
	m := grid(20, 0, -0.04) // 3.96 on the diagonal, which is 3.9375 in units of 1/16
	least := smallestOfGrid(20) - 0.04
	if !(least > 0 && least < 0.01) {
		t.Fatalf("smallest eigenvalue %g", least)
	}
	var log logged
	storage := storageOf("AFX", 0.006)
	storage.Layout = adaptive.Bucketed // on all processors
	r := solved(t, m, rhs(m, 1), nil, log.options(solve.Options{Method: solve.CG, Precond: unpreconditioned, Storage: storage}))
	if r.Method != "cg" || !log.says("not positive definite") {
		t.Errorf("solved by %s: %q", r.Method, log.lines)
	}
	for _, line := range log.lines {
		if strings.Contains(line, "not positive definite") && !strings.Contains(line, "continuing with AFX") {
			t.Errorf("said %q", line)
		}
	}
}

// Attempts are listed in order, with their cost.
func TestAttempts(t *testing.T) {
	m := grid(72, 0, -2.5)
	r := solved(t, m, rhs(m, 1), nil, solve.Options{})
	a := r.Attempts
	if len(a) < 2 || a[0].Method != "cg" || a[0].Reason != krylov.Indefinite.String() {
		t.Fatalf("%+v", a)
	}
	last, iterations := a[len(a)-1], 0
	for _, a := range a {
		iterations += a.Iterations
		if a.Work <= 0 || a.Reason == "" || !strings.HasPrefix(a.Precond, "none") && a.Setup <= 0 {
			t.Errorf("%+v", a)
		}
	}
	if last.Method != r.Method || last.Precond != r.Precond.Text || last.Reason != krylov.Converged.String() || iterations != r.Iterations {
		t.Errorf("%d iterations, the last %+v; the result %d by %s with %s", iterations, last, r.Iterations, r.Method, r.Precond.Text)
	}
}

// Systems on which the first choice fails or takes far too long are solved by another fallback in
// few iterations.
func TestFallbacksSolve(t *testing.T) {
	const n = 40
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		most int // iterations
	}{
		{"Helmholtz", grid(n, 0, -0.7), 200},
		{"zeros on the diagonal", offDiagonal(grid(n, 0.3, 0)), 100},
		{"saddle point", saddlePoint(n), 100},
		{"biharmonic", squared(grid(n, 0, 0)), 300},
		{"one dense row and column", bordered(grid(n, 0, 0)), 200},
	} {
		var log logged
		r := solved(t, c.m, rhs(c.m, 1), nil, log.options(solve.Options{}))
		if r.Iterations > c.most {
			t.Errorf("%s: %d iterations by %s with %s: %q", c.name, r.Iterations, r.Method, r.Precond.Text, log.lines)
		}
	}
}

// Of large matrices with few nonzeros and a small diagonal, complete factors come first where
// they are cheap, as in a chain, and after two others at the earliest where they are not, as in a mesh in space.
func TestNetworksFirst(t *testing.T) {
	const n = rules.SparseRows
	chain := entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, i, 0.1)
			add(i, (i+1)%n, 0.9)
			add((i+1)%n, i, -0.7-0.2*float64(i%3))
		}
	})
	r := solved(t, chain, rhs(chain, 1), nil, solve.Options{})
	if r.Precond.Kind != precond.LU || len(r.Attempts) != 1 {
		t.Errorf("chain: %d iterations, %+v", r.Iterations, r.Attempts)
	}
	var log logged
	m := rescaled(box(36, -0.1), func(i int) float64 { return 1 + 0.1*float64(i%2) }, same(1))
	r = solved(t, m, rhs(m, 1), nil, solve.Options{})
	kinds := map[string]bool{}
	for _, a := range r.Attempts {
		if kind, _, _ := strings.Cut(a.Precond, ","); kind != string(precond.LU) {
			kinds[kind] = true
		} else if len(kinds) < 2 {
			t.Errorf("mesh in space: %+v", r.Attempts)
		}
	}
	newSolver(t, grid(200, 0.1, 1), log.options(solve.Options{}))
	if log.says("precond lu") {
		t.Errorf("dominant grid: %q", log.lines)
	}
}

// Where incomplete factors are of little use, complete factors come after a probe run at most, if their count promises little work; the
// fallbacks of M-matrices begin with multigrid.
func TestCompleteFactorsEarly(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	for kind, c := range map[string]struct {
		with generate.Params
		by   precond.Kind
	}{
		"stokes2d":     {generate.Params{"n": 100}, precond.LU},
		"mixeddarcy2d": {generate.Params{"n": 120}, precond.LU},
		"leastsquares": {generate.Params{"n": 160}, precond.LU},
		"poisson2d":    {generate.Params{"n": 200}, precond.AMG},
	} {
		m, err := generate.Generate(kind, c.with)
		if err != nil {
			t.Fatal(err)
		}
		if m.NNZ() <= rules.SmallNonzeros {
			t.Errorf("%s: %d nonzeros are small", kind, m.NNZ())
		}
		r := solved(t, m, random(1, m.Rows), nil, solve.Options{})
		if r.Precond.Kind != c.by || len(r.Attempts) > 2 {
			t.Errorf("%s: %+v", kind, r.Attempts)
		}
	}
	m := network(50_000)
	if r := solved(t, m, random(1, m.Rows), nil, solve.Options{}); r.Precond.Kind != precond.LU || len(r.Attempts) > 2 {
		t.Errorf("network: %+v", r.Attempts)
	}
}

// network is a ring of resistors over six decades with a few far connections, some of which conduct in one direction only.
func network(n int) *csr.Matrix {
	r := rand.New(rand.NewPCG(5, 5))
	return testsupport.Entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, i, 1e-3)
			for k := range r.IntN(5) {
				j := (i + 1 + r.IntN(60)) % n
				if r.IntN(500) == 0 {
					j = r.IntN(n)
				}
				g := math.Pow(10, 6*r.Float64()-4)
				add(i, i, g)
				add(i, j, -g)
				if k%2 == 0 {
					add(j, j, g)
					add(j, i, -g)
				}
			}
		}
	})
}

// A preconditioner that does not fit beside those of earlier attempts takes their place, also
// for another right-hand side, and x is as accurate as without a limit.
func TestReleasedForMemory(t *testing.T) {
	m := grid(60, 0, -0.7)
	opt := solve.Options{Method: solve.GMRES, Krylov: solve.Krylov{Restart: 40}, Precond: solve.Precond{DropTol: precond.DefaultDropTol}} // incomplete factors come first
	free := solved(t, m, rhs(m, 1), nil, opt)
	if free.Precond.Kind != precond.LU || len(free.Attempts) < 2 {
		t.Fatalf("%+v", free.Attempts)
	}
	var log logged
	opt.MaxMemory = newSolver(t, m, opt).SolveBytes() + free.Precond.Cost.Bytes*3/2
	s := newSolver(t, m, log.options(opt))
	for range 2 {
		log.lines = nil
		r, err := s.Solve(t.Context(), rhs(m, 1), nil)
		if err != nil || !log.says("precond released") || r.Digits.Believed < free.Digits.Believed || r.Precond.Kind != precond.LU {
			t.Errorf("%v, %s with %s: %q", err, r.Reason, r.Precond.Text, log.lines)
		}
	}
}

// A requested preconditioner has no budget and no fallback.
func TestRequestedHasNoBudget(t *testing.T) {
	m := squared(grid(30, 0, 0))
	var log logged
	r := mustSolve(t, m, rhs(m, 1), nil, log.options(solve.Options{Method: solve.CG, Precond: solve.Precond{Kind: precond.Jacobi}}))
	if r.Precond.Kind != precond.Jacobi || len(r.Attempts) != 1 || log.says(refine.TooSlow) {
		t.Errorf("%+v, log %q", r.Attempts, log.lines)
	}
}

// A correction that resumes at a position of another does what that does from there, to the
// bit: preconditioner, precision and budgets are the same.
func TestResume(t *testing.T) {
	m := grid(145, 0.1, 0) // multigrid comes first if it is symmetric
	symmetric := grid(145, 0, 0)
	for _, m := range []*csr.Matrix{m, symmetric} {
		for fallbacks := range 3 {
			for _, raise := range []bool{false, true} {
				a, b := correctionOf(t, m), correctionOf(t, m)
				if err := a.Begin(t.Context()); err != nil {
					t.Fatal(err)
				}
				for range fallbacks {
					a.Slow = true
					a.From, a.Reached = 1, 1
					if !a.Escalate(krylov.Stagnation) {
						t.Fatal("no other fallback")
					}
				}
				a.Slow = false
				if raise && !a.Escalate(krylov.Slow) {
					t.Fatal("no more accurate matrix")
				}
				at := a.Position()
				if err := b.Resume(t.Context(), at); err != nil {
					t.Fatal(err)
				}
				if got := b.Position(); !reflect.DeepEqual(got.State, at.State) {
					t.Errorf("fallback %d: resumed at %+v, want %+v", fallbacks, b.Position(), at)
				}
				r, x := random(5, m.Rows), make([]float64, m.Rows)
				a.Measure.Begin(r)
				b.Measure.Begin(r)
				da, db := make([]float64, m.Rows), make([]float64, m.Rows)
				goal := krylov.Goal{From: 1, To: 1e-9, MaxIter: 2000}
				ra, rb := a.Correct(t.Context(), da, slices.Clone(r), x, goal), b.Correct(t.Context(), db, slices.Clone(r), x, goal)
				if !sameBits(da, db) || ra.Reason != rb.Reason || ra.Iterations != rb.Iterations || ra.Iterations == 0 {
					t.Errorf("fallback %d (%v), raised %v: %v after %d iterations, resumed %v after %d", fallbacks, a.Attempts.Now(), raise, ra.Reason, ra.Iterations, rb.Reason, rb.Iterations)
				}
				if pa, pb := a.Position(), b.Position(); !slices.Equal(pa.State.Fallbacks, pb.State.Fallbacks) {
					t.Errorf("fallback %d: after a correction %+v, resumed %+v", fallbacks, pa, pb)
				}
			}
		}
	}
}

func correctionOf(t *testing.T, m *csr.Matrix) *refine.Correction[vector, scalar] {
	t.Helper()
	return newSolver(t, m, solve.Options{}).Refiner.(*refine.Refinement[vector, scalar]).Correction
}

// squared is m m.
func squared(m *csr.Matrix) *csr.Matrix {
	return entries(m.Rows, func(add func(i, j int, v float64)) {
		for i := range m.Rows {
			cols, vals := m.Row(i)
			for a, k := range cols {
				more, by := m.Row(int(k))
				for b, j := range more {
					add(i, int(j), vals[a]*by[b])
				}
			}
		}
	})
}

// offDiagonal is m with its rows in an order that leaves zeros on the diagonal.
func offDiagonal(m *csr.Matrix) *csr.Matrix {
	return entries(m.Rows, func(add func(i, j int, v float64)) {
		for i := range m.Rows {
			cols, vals := m.Row((7*i + 3) % m.Rows)
			for k, j := range cols {
				add(i, int(j), vals[k])
			}
		}
	})
}

// saddlePoint is (A B^T; B 0) for the Laplacian A on k x k points and the differences B of
// neighbours in every fourth row.
func saddlePoint(k int) *csr.Matrix {
	a := grid(k, 0, 0)
	n := k * k
	return entries(n+n/4, func(add func(i, j int, v float64)) {
		for i := range n {
			cols, vals := a.Row(i)
			for e, j := range cols {
				add(i, int(j), vals[e])
			}
		}
		for c := range n / 4 {
			for e, j := range []int{4 * c, 4*c + 1, (4*c + 2*k) % n} {
				v := []float64{1, -1, 0.5}[e]
				add(n+c, j, v)
				add(j, n+c, v)
			}
		}
	})
}

// bordered is m with a dense row and a dense column.
func bordered(m *csr.Matrix) *csr.Matrix {
	n := m.Rows
	row, col := random(1, n), random(2, n)
	return entries(n+1, func(add func(i, j int, v float64)) {
		for i := range n {
			cols, vals := m.Row(i)
			for e, j := range cols {
				add(i, int(j), vals[e])
			}
			add(n, i, row[i])
			add(i, n, col[i])
		}
	})
}

// smallestOfGrid is the smallest eigenvalue of the Laplacian on k x k points.
func smallestOfGrid(k int) float64 { return 4 - 4*math.Cos(math.Pi/float64(k+1)) }

// Where conjugate gradients are the only method allowed, an indefinite matrix ends them with
// that reason; that no factorisation can be set up is no error.
func TestIndefiniteForRequestedMethod(t *testing.T) {
	n := 40
	m := testsupport.Entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, i, 1-2*float64(i%2))
			if i > 0 {
				add(i, i-1, 3)
				add(i-1, i, 3)
			}
		}
	})
	r := mustSolve(t, m, rhs(m, 1), nil, solve.Options{Method: solve.CG})
	if r.Reason != krylov.Indefinite || r.Method != "cg" {
		t.Errorf("%v by %s", r.Reason, r.Method)
	}
}
