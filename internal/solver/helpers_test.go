package solver

import (
	"math"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// Builders shared with other packages.
var (
	entries  = testsupport.Entries
	dense    = testsupport.Dense
	grid     = testsupport.Grid
	random   = testsupport.Random
	sameBits = testsupport.SameBits
)

// rescaled returns D_r A D_c for factors of rows and columns.
func rescaled(m *csr.Matrix, row, col func(i int) float64) *csr.Matrix {
	m = m.Clone()
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			vals[k] *= row(i) * col(int(j))
		}
	}
	return m
}

func same(v float64) func(int) float64 { return func(int) float64 { return v } }

// uneven runs from 10^-e to 10^e in no order.
func uneven(e float64) func(int) float64 {
	return func(i int) float64 { return math.Pow(10, e*math.Sin(float64(3*i+1))) }
}

// rhs is A x for a random x of size `size`.
func rhs(m *csr.Matrix, size float64) []float64 {
	x, b := random(8, m.Cols), make([]float64, m.Rows)
	for i := range x {
		x[i] *= size
	}
	m.MulVec(b, x)
	return b
}

// logged keeps the log of a solver, and has its options.
type logged struct{ lines []string }

func (l *logged) options(opt solve.Options) solve.Options {
	opt.Log = func(line string) { l.lines = append(l.lines, line) }
	return opt
}

func (l *logged) says(text string) bool { return strings.Contains(strings.Join(l.lines, "\n"), text) }

// newSolver makes a solver that is closed after the test.
func newSolver(t testing.TB, m *csr.Matrix, opt solve.Options) *Solver {
	t.Helper()
	s, err := New(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// mustSolve makes a solver, solves once and closes it.
func mustSolve(t testing.TB, m *csr.Matrix, b, x0 []float64, opt solve.Options) solve.Result {
	t.Helper()
	s, err := New(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Solve(t.Context(), b, x0)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checked is mustSolve for a result that claims what the stopping criterion allows: converged if and only if that is within the
// tolerance. It is also the error reported.
func checked(t testing.TB, m *csr.Matrix, b, x0 []float64, opt solve.Options) solve.Result {
	t.Helper()
	r := mustSolve(t, m, b, x0, opt)
	opt = rules.WithDefaults(opt, m.Rows)
	e := measureOf(t, opt.Stop, m, r.X, b)
	claim := r.Reason.Converged()
	switch r.Reason {
	case krylov.Singular, krylov.Inconsistent: // the tolerance met, but nothing explained
		j, err := verify.Judge(m, r.X, b, opt.Tol, nil)
		if err != nil || j.Unexplained <= verify.MaxUnexplained(opt.Tol) {
			t.Errorf("stop %s: %v with %g of b unexplained, %v", opt.Stop, r.Reason, j.Unexplained, err)
		}
		claim = e <= opt.Tol
	case krylov.TooFewDigits:
		claim = true
	}
	if claim != (e <= opt.Tol) {
		t.Errorf("stop %s: %v after %d iterations with error %g", opt.Stop, r.Reason, r.Iterations, e)
	}
	if got := rules.ErrorOf(opt.Stop, r.Errors); got != e {
		t.Errorf("stop %s: error reported as %g, it is %g", opt.Stop, got, e)
	}
	return r
}

// solved is checked for a system that is to be solved.
func solved(t testing.TB, m *csr.Matrix, b, x0 []float64, opt solve.Options) solve.Result {
	t.Helper()
	r := checked(t, m, b, x0, opt)
	if r.Reason != krylov.Converged {
		t.Errorf("stop %s: not solved: %v after %d iterations, %+v", opt.Stop, r.Reason, r.Iterations, r.Errors)
	}
	return r
}

// sameOutcome compares all but times.
func sameOutcome(a, b solve.Result) bool {
	return sameBits(a.X, b.X) && a.Reason == b.Reason && a.Errors == b.Errors && a.Method == b.Method &&
		a.Outer == b.Outer && a.Iterations == b.Iterations && a.SpMVs == b.SpMVs
}

// measureOf is a stopping criterion by package verify, whose tests compare it with long
// arithmetic.
func measureOf(t testing.TB, stop solve.Stop, m *csr.Matrix, x, b []float64) float64 {
	t.Helper()
	e, err := verify.Compute(m, x, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rules.ErrorOf(stop, e)
}

// unpreconditioned leaves the method to itself.
var unpreconditioned = solve.Precond{Kind: precond.None}

// formatSet returns a set that exists.
func formatSet(name string) adaptive.Set {
	s, err := adaptive.LookupSet(name)
	if err != nil {
		panic(err)
	}
	return s
}
