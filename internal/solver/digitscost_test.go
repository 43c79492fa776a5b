package solver

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/solver/digits"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// An application of complete factors solves a system whatever its scaling and its sign, and so does a substitution.
func TestPreconditioned(t *testing.T) {
	negative := rescaled(grid(20, 0, 0), uneven(2), uneven(2))
	negative.Negate(nil)
	triangular := entries(50, func(add func(i, j int, v float64)) {
		for i := range 50 {
			add(i, i, 2)
			if i > 0 {
				add(i, i-1, 1)
			}
		}
	})
	for name, m := range map[string]*csr.Matrix{
		"definite": rescaled(grid(20, 0, 0), uneven(3), uneven(3)), "negative": negative,
		"general": rescaled(grid(20, 0.3, 0), uneven(5), uneven(2)), "triangular": triangular,
	} {
		s := newSolver(t, m, solve.Options{})
		if !s.Refiner.Usage().Complete {
			t.Errorf("%s: the preconditioner is not complete", name)
			continue
		}
		x, r, d := random(3, m.Rows), make([]float64, m.Rows), make([]float64, m.Rows)
		m.MulVec(r, x)
		if err := s.Refiner.Preconditioned(t.Context(), d, r); err != nil {
			t.Fatal(err)
		}
		for i, v := range d {
			if math.Abs(v-x[i]) > 1e-8*special.AbsMax(x) {
				t.Errorf("%s: element %d is %g, want %g", name, i, v, x[i])
				break
			}
		}
	}
}

// Where complete factors solve, digits take one application for the probe, one for a step, and one for a second probe in a small system.
// Where iterations do, they take a tenth of their number, up to what else the work of a solve is.
func TestDigitsAreCheap(t *testing.T) {
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		opt  solve.Options
		most func(iterations int) int
	}{
		{"tiny, with factors", grid(15, 0, 0), solve.Options{}, func(int) int { return 3 }},
		{"small, with factors", grid(50, 0, 0), solve.Options{Precond: solve.Precond{Kind: precond.Cholesky}}, func(int) int { return 2 }},
		{"with factors", grid(100, 0, 0), solve.Options{Precond: solve.Precond{Kind: precond.Cholesky}}, func(int) int { return 2 }},
		{"by iterations", grid(100, 0, 0), solve.Options{Precond: solve.Precond{Kind: precond.Jacobi}}, func(n int) int { return n/10 + rules.LookWork/10 }},
	} {
		b := make([]float64, c.m.Rows)
		for i := range b {
			b[i] = 1
		}
		c.opt.Threads = 1
		r := mustSolve(t, c.m, b, nil, c.opt)
		if n := r.Digits.Iterations; r.Reason != krylov.Converged || n < 1 || n > c.most(r.Iterations) {
			t.Errorf("%s: %v, %d iterations and %d for digits, want at most %d", c.name, r.Reason, r.Iterations, n, c.most(r.Iterations))
		}
	}
}

// Complete factors solve for the companion of a probe beside b. It tells what a probe for the x that has been found tells, or, by its larger weights, a little more.
func TestCompanion(t *testing.T) {
	for _, c := range []struct {
		name  string
		units float64 // decades
		even  bool    // x has one size in spite of the units
		most  float64 // by how much the companion may tell more
		kind  precond.Kind
	}{
		{"unknowns of like units", 0, false, 2, precond.Cholesky},
		{"unknowns of unlike units", 4, false, 8, precond.Cholesky},
		{"weights that were not to be foreseen", 4, true, 1.01, precond.Cholesky},
		{"no complete factors", 0, false, 0, precond.Jacobi},
	} {
		m := rescaled(grid(50, 0, 0), uneven(c.units), uneven(c.units))
		x, b := random(3, m.Rows), make([]float64, m.Rows)
		for i := range x {
			if x[i] *= 1e5; !c.even {
				x[i] /= uneven(c.units)(i)
			}
		}
		m.MulVec(b, x)
		s := newSolver(t, m, solve.Options{Precond: solve.Precond{Kind: c.kind}})
		r, err := s.Solve(t.Context(), b, nil)
		if err != nil {
			t.Fatal(err)
		}
		d, p := s.Refiner.Accompanied()
		if (d != nil) != (c.kind == precond.Cholesky) {
			t.Errorf("%s: accompanied: %v", c.name, d != nil)
		}
		if d == nil {
			continue
		}
		product := make([]float64, m.Rows)
		m.MulVec(product, d)
		for i, v := range product {
			if product[i] = v - p[i]; math.Abs(product[i]) > 1e-8*math.Abs(p[i])+1e-12*special.AbsMax(p) {
				t.Errorf("%s: row %d is %g, want %g", c.name, i, v, p[i])
				break
			}
		}
		asked := mustSolve(t, m, b, nil, solve.Options{Accuracy: solve.Accuracy{Digits: 6}, Precond: solve.Precond{Kind: c.kind}}) // by a probe for its x
		if ratio := r.Digits.Probe / asked.Digits.Probe; !(ratio > 0.9 && ratio <= c.most) {
			t.Errorf("%s: roundings are enlarged to %.2g, %.2g by a probe", c.name, r.Digits.Probe, asked.Digits.Probe)
		}
	}
}

// The companion is made once for complete factors. Later solves have the bits and digits of the first solve of a solver. New values have another companion.
func TestCompanionServesAgain(t *testing.T) {
	m := grid(50, 0, 0)
	opt := solve.Options{Precond: solve.Precond{Kind: precond.Cholesky}}
	s := newSolver(t, m, opt)
	solved := func(b []float64) (r solve.Result, d []float64) {
		r, err := s.Solve(t.Context(), b, nil)
		if err != nil {
			t.Fatal(err)
		}
		d, _ = s.Refiner.Accompanied()
		return r, d
	}
	_, first := solved(random(3, m.Rows))
	b := random(4, m.Rows)
	r, again := solved(b)
	if unsafe.SliceData(first) != unsafe.SliceData(again) {
		t.Error("the second solve has made another companion")
	}
	if alone := mustSolve(t, m, b, nil, opt); !slices.Equal(r.X, alone.X) || r.Digits != alone.Digits {
		t.Errorf("digits %+v, %+v in a solver of its own, or another x", r.Digits, alone.Digits)
	}
	if err := s.UpdateMatrix(t.Context(), varied(m, 0.3, 1)); err != nil {
		t.Fatal(err)
	}
	if _, updated := solved(b); slices.Equal(updated, first) {
		t.Error("the companion of the matrix before is that of the new one")
	}
}

// A probe explains the x of a regular system, however much larger than b it is, but not the x of a system that contradicts itself, though it meets
// the tolerance. None of its digits are believed.
func TestReach(t *testing.T) {
	regular := grid(110, 0, 0)
	singular := entries(regular.Rows, func(add func(i, j int, v float64)) { // zero for 1/d
		for i := range regular.Rows {
			cols, vals := regular.Row(i)
			sum, d := 0.0, 1+float64(i%7)
			for k, j := range cols {
				if int(j) != i {
					sum -= vals[k]
					add(i, int(j), vals[k]*d*(1+float64(j%7)))
				}
			}
			add(i, i, sum*d*d)
		}
	})
	for _, kind := range []precond.Kind{precond.Jacobi, precond.AMG} {
		for _, contradiction := range []float64{0, 1e-2, 1e-4, 1e-6} {
			m, b := regular, make([]float64, regular.Rows)
			for i := range b {
				b[i] = 1
			}
			if contradiction > 0 {
				m, b = singular, rhs(singular, 1)
				for i := range b {
					b[i] += contradiction / (1 + float64(i%7))
				}
			}
			s := newSolver(t, m, solve.Options{Precond: solve.Precond{Kind: kind}, Limits: solve.Limits{Threads: 1}})
			a := &solution{s: s, Solution: &refine.Solution{
				S: &s.Problem, Ctx: t.Context(), Vectors: linop.NewHost(len(b), s.Pool), X: make([]float64, len(b)), B: b, Given: b,
			}}
			if err := a.solve(false); err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, contradiction %g: %v, reach %.2g, unexplained %.1e, %+v", kind, contradiction, a.Reason, a.Reach, a.Unexplained, a.Digits)
			switch believed := a.Digits.Believed > 0; {
			case contradiction == 0 && (a.Reason != krylov.Converged || a.Reach < digits.LeastReach || a.suspect()):
				t.Errorf("%s: %v, reach %g, suspect %v", kind, a.Reason, a.Reach, a.suspect())
			case contradiction == 0 && !(a.Unexplained > special.UnconfirmedResidual*s.Opt.Tol):
				t.Errorf("%s: x is too small for the test: unexplained %g", kind, a.Unexplained)
			case contradiction > 0 && (a.Reason == krylov.Converged && !a.suspect() || believed):
				t.Errorf("%s, contradiction %g: %v, reach %g, digits %+v", kind, contradiction, a.Reason, a.Reach, a.Digits)
			}
		}
	}
}
