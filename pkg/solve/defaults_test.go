package solve

import (
	"fmt"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// The zero Options on systems of every kind: chosen by the stated rules, solved
// to the default tolerance by an independent measure, and explained.
func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		m      *csr.Matrix
		first  Method
		scale  Scale
		last   string
		says   []string
		silent string // must not be said
	}{
		{"poisson", grid(20, 0, 0), CG, ScaleSym, "cg", []string{"method cg: the matrix is symmetric with a positive diagonal", "scaling sym"}, "continuing"},
		{"negative definite", rescaled(grid(20, 0, 0), same(-1), same(1)), CG, ScaleSym, "cg", []string{"cg on -A"}, "continuing"},
		{"convection", grid(20, 0.4, 0), GMRES, ScaleBoth, "gmres", []string{"not symmetric", "scaling both"}, "continuing"},
		{"indefinite, positive diagonal", grid(20, 0, -2.5), CG, ScaleSym, "gmres", []string{"cg stopped (not positive definite): continuing with gmres"}, ""},
		{"indefinite, negative diagonal", rescaled(grid(20, 0, -2.5), same(-1), same(1)), CG, ScaleSym, "gmres", []string{"cg on -A", "continuing with gmres"}, ""},
		{"saddle point", dense([]float64{4, 1, 1}, []float64{1, 3, -1}, []float64{1, -1, 0}), GMRES, ScaleSym, "gmres", []string{"diagonal is not of one sign"}, "continuing"},
		{"zero diagonal", dense([]float64{0, 2}, []float64{2, 0}), GMRES, ScaleSym, "gmres", []string{"scaling sym"}, "continuing"},
		{"1 x 1", dense([]float64{-7}), CG, ScaleSym, "cg", []string{"cg on -A"}, "continuing"},
		{"identity", dense([]float64{0.5, 0}, []float64{0, 0.5}), CG, ScaleSym, "cg", []string{"nothing to do"}, ""},
		{"badly scaled, symmetric", rescaled(grid(12, 0, 0), uneven(4), uneven(4)), CG, ScaleSym, "cg", nil, "continuing"},
		{"badly scaled rows", rescaled(grid(12, 0.2, 0), uneven(8), same(1)), GMRES, ScaleBoth, "gmres", nil, "continuing"},
		{"badly scaled columns", rescaled(grid(12, 0.2, 0), same(1), uneven(8)), GMRES, ScaleBoth, "gmres", nil, "continuing"},
		{"entries about 1e300", rescaled(grid(12, 0.2, 0), same(1e300), same(1)), GMRES, ScaleBoth, "gmres", nil, "continuing"},
		{"entries about 1e-300", rescaled(grid(12, 0.2, 0), same(1e-300), same(1)), GMRES, ScaleBoth, "gmres", nil, "continuing"},
		{"spd about 1e-300", rescaled(grid(12, 0, 0), same(1e-300), same(1)), CG, ScaleSym, "cg", nil, "continuing"},
		{"spd about 1e300", rescaled(grid(12, 0, 0), same(1e300), same(1)), CG, ScaleSym, "cg", nil, "continuing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log logged
			s := newSolver(t, c.m, log.options(Options{}))
			if s.Method != c.first || s.Scale != c.scale {
				t.Errorf("chose %s and scaling %s, want %s and %s", s.Method, s.Scale, c.first, c.scale)
			}
			b := rhs(c.m, 1)
			r, err := s.Solve(t.Context(), b, nil)
			if err != nil {
				t.Fatal(err)
			}
			e := bigMeasure(StopRow, c.m, r.X, b)
			if r.Reason != krylov.Converged || !(e <= krylov.DefaultTol) {
				t.Errorf("%v with row-wise error %g", r.Reason, e)
			}
			if math.Abs(r.Errors.Row-e) > 1e-6*e+1e-25 {
				t.Errorf("reports row-wise error %g, it is %g", r.Errors.Row, e)
			}
			if r.Method != c.last || r.Outer < 1 || r.Iterations < 1 || r.SpMVs < r.Iterations {
				t.Errorf("%s, %d steps, %d iterations, %d products; want %s", r.Method, r.Outer, r.Iterations, r.SpMVs, c.last)
			}
			for _, text := range c.says {
				if !log.says(text) {
					t.Errorf("the log does not say %q: %q", text, log.lines)
				}
			}
			if c.silent != "" && log.says(c.silent) {
				t.Errorf("the log says %q: %q", c.silent, log.lines)
			}
		})
	}
}

// Right-hand sides of any magnitude.
func TestMagnitudeOfRHS(t *testing.T) {
	for _, m := range []*csr.Matrix{grid(8, 0, 0), grid(8, 0.3, 0), rescaled(grid(8, 0.1, 0), same(1e-200), same(1))} {
		for _, size := range []float64{1e-290, 1e-200, 1e-160, 1e-100, 1, 1e100, 1e200, 1e290} {
			b := random(4, m.Rows)
			for i := range b {
				b[i] *= size * m.Val[0]
			}
			if b[0] == 0 || math.Abs(b[0]) < 1e-300 {
				continue // not a number with all its digits
			}
			r := mustSolve(t, m, b, nil, Options{})
			if e := bigMeasure(StopRow, m, r.X, b); r.Reason != krylov.Converged || !(e <= krylov.DefaultTol) {
				t.Errorf("entries of %g, x of %g: %v with row-wise error %g", m.Val[0], size, r.Reason, e)
			}
		}
	}
}

func TestZeroRHS(t *testing.T) {
	m := grid(5, 0.1, 0)
	for _, stop := range Stops {
		for _, x0 := range [][]float64{nil, random(1, m.Rows)} {
			r := mustSolve(t, m, make([]float64, m.Rows), x0, Options{Stop: stop})
			if r.Reason != krylov.ZeroRHS || r.Iterations != 0 || stop.pick(r.Errors) != 0 {
				t.Errorf("stop %s: %v after %d iterations, %+v", stop, r.Reason, r.Iterations, r.Errors)
			}
			for _, v := range r.X {
				if v != 0 {
					t.Fatalf("stop %s: x is not zero", stop)
				}
			}
		}
	}
}

// A subnormal right-hand side is not zero: no answer may call it so.
func TestTinyRHSIsNotZero(t *testing.T) {
	m := grid(4, 0, 0)
	b := make([]float64, m.Rows)
	b[3] = 0x1p-1070
	r := mustSolve(t, m, b, nil, Options{Tol: 0.5})
	if e := bigMeasure(StopRow, m, r.X, b); r.Reason == krylov.ZeroRHS || r.Reason.Converged() != (e <= 0.5) {
		t.Errorf("%v with row-wise error %g", r.Reason, e)
	}
}

// Singular systems end in a reason, or in an x that solves them.
func TestSingularSystems(t *testing.T) {
	path := entries(30, func(add func(i, j int, v float64)) {
		for i := range 29 {
			add(i, i, 1)
			add(i+1, i+1, 1)
			add(i, i+1, -1)
			add(i+1, i, -1)
		}
	})
	consistent := rhs(path, 1)
	inconsistent := random(2, 30)
	for _, c := range []struct {
		b      []float64
		solved bool
	}{{consistent, true}, {inconsistent, false}} {
		for _, method := range Methods {
			t.Run(fmt.Sprint(method, c.solved), func(t *testing.T) {
				r := mustSolve(t, path, c.b, nil, Options{Method: method, Stop: StopRel})
				e := bigMeasure(StopRel, path, r.X, c.b)
				if r.Reason.Converged() != c.solved || c.solved != (e <= krylov.DefaultTol) {
					t.Errorf("%v with relative residual %g", r.Reason, e)
				}
				if !c.solved && e > 1 {
					t.Errorf("x is worse than zero: %g", e)
				}
			})
		}
	}
}
