package solver

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// The zero Options on systems of every kind: chosen by the stated rules, solved
// to the default tolerance by an independent measure, and explained.
func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		m      *csr.Matrix
		first  solve.Method
		scale  solve.Scale
		last   string
		says   []string
		silent string // must not be said
	}{
		{"poisson", grid(20, 0, 0), solve.CG, solve.ScaleSym, "cg", []string{"method cg: the matrix is symmetric with a positive diagonal", "scaling sym"}, "continuing"},
		{"negative definite", rescaled(grid(20, 0, 0), same(-1), same(1)), solve.CG, solve.ScaleSym, "cg", []string{"cg on -A"}, "continuing"},
		{"convection", grid(72, 0.4, 1), solve.GMRES, solve.ScaleBoth, "bicgstab", []string{"not symmetric", "scaling both", "jacobi: tried first, while it promises to take less than gmres with lu"}, "continuing"},
		{"convection, indefinite", grid(72, 0.3, -0.1), solve.GMRES, solve.ScaleBoth, "gmres", []string{"precond lu: it is expected to take least"}, "continuing"},
		{"indefinite, positive diagonal", grid(20, 0, -2.5), solve.CG, solve.ScaleSym, "gmres", []string{"precond chol: not positive definite", "trying gmres with lu"}, ""},
		{"indefinite, negative diagonal", rescaled(grid(20, 0, -2.5), same(-1), same(1)), solve.CG, solve.ScaleSym, "gmres", []string{"cg on -A", "trying gmres with lu"}, ""},
		{"indefinite by an element", grid(20, 0, -3.2), solve.GMRES, solve.ScaleSym, "gmres", []string{"the square of an element is not below the product of its diagonal elements"}, "continuing"},
		{"saddle point", dense([]float64{4, 1, 1}, []float64{1, 3, -1}, []float64{1, -1, 0}), solve.GMRES, solve.ScaleSym, "gmres", []string{"diagonal is not of one sign"}, "continuing"},
		{"zero diagonal", dense([]float64{0, 2, 1}, []float64{2, 0, 1}, []float64{1, 1, 0}), solve.GMRES, solve.ScaleSym, "gmres", []string{"scaling sym"}, "continuing"},
		{"2 x 2", dense([]float64{0.5, 0.25}, []float64{0.25, 0.5}), solve.CG, solve.ScaleSym, "cg", []string{"nothing to do"}, ""},
		{"badly scaled, symmetric", rescaled(grid(12, 0, 0), uneven(4), uneven(4)), solve.CG, solve.ScaleSym, "cg", nil, ""},
		{"badly scaled rows", rescaled(grid(12, 0.2, 0), uneven(8), same(1)), solve.GMRES, solve.ScaleBoth, "gmres", nil, "continuing"},
		{"badly scaled columns", rescaled(grid(12, 0.2, 0), same(1), uneven(8)), solve.GMRES, solve.ScaleBoth, "gmres", nil, "continuing"},
		{"entries about 1e300", rescaled(grid(12, 0.2, 0), same(1e300), same(1)), solve.GMRES, solve.ScaleBoth, "gmres", nil, "continuing"},
		{"entries about 1e-300", rescaled(grid(12, 0.2, 0), same(1e-300), same(1)), solve.GMRES, solve.ScaleBoth, "gmres", nil, "continuing"},
		{"spd about 1e-300", rescaled(grid(12, 0, 0), same(1e-300), same(1)), solve.CG, solve.ScaleSym, "cg", nil, "continuing"},
		{"spd about 1e300", rescaled(grid(12, 0, 0), same(1e300), same(1)), solve.CG, solve.ScaleSym, "cg", nil, "continuing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log logged
			s := newSolver(t, c.m, solve.Options{})
			if s.Method != c.first || s.Scale != c.scale {
				t.Errorf("chose %s and scaling %s, want %s and %s", s.Method, s.Scale, c.first, c.scale)
			}
			r := solved(t, c.m, rhs(c.m, 1), nil, log.options(solve.Options{}))
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

// Every method with every scaling and stopping criterion on badly scaled systems. With
// the defaults of method and scaling all of them are solved.
func TestCombinations(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{
		"rows":       rescaled(grid(6, 0.3, 0), uneven(8), same(1)),
		"columns":    rescaled(grid(6, 0.3, 0), same(1), uneven(8)),
		"symmetric":  rescaled(grid(6, 0, 0), uneven(4), uneven(4)),
		"1e300":      rescaled(grid(6, 0.3, 0), same(1e300), same(1)),
		"1e-300":     rescaled(grid(6, 0.3, 0), same(1e-300), same(1)),
		"spd 1e300":  rescaled(grid(6, 0, 0), same(1e300), same(1)),
		"spd 1e-300": rescaled(grid(6, 0, 0), same(1e-300), same(1)),
	} {
		for _, stop := range rules.Stops {
			for _, scale := range rules.Scales {
				for _, method := range rules.Methods {
					t.Run(fmt.Sprint(name, " ", stop, " ", scale, " ", method), func(t *testing.T) {
						run := checked
						if method == solve.Auto && scale == solve.ScaleAuto {
							run = solved
						}
						run(t, m, rhs(m, 1), nil, solve.Options{Method: method, Scale: scale, Accuracy: solve.Accuracy{Stop: stop, Tol: 1e-9}, Limits: solve.Limits{MaxIter: 1500}})
					})
				}
			}
		}
	}
}

// Systems near the ends of what float64 holds are solved.
func TestHardSystems(t *testing.T) {
	run := func(name string, m *csr.Matrix, b []float64, opt solve.Options) {
		t.Run(fmt.Sprint(name, " ", opt.Stop, " ", opt.Method), func(t *testing.T) { solved(t, m, b, nil, opt) })
	}
	for _, d := range []float64{1e-20, 1e-170, 1e-300} { // no measure of the rows: scaling by it would overflow
		for _, m := range []*csr.Matrix{
			dense([]float64{d, 1}, []float64{1, d}),
			dense([]float64{d, 1, 0}, []float64{1, d, 2}, []float64{0, 2, 1}),
			dense([]float64{d, 1e300}, []float64{1e300, d}),
		} {
			run(fmt.Sprint("diagonal ", d), m, rhs(m, 1), solve.Options{})
		}
	}
	increasing, large := entries(16, func(add func(i, j int, v float64)) {
		for i := range 16 {
			add(i, i, 2+float64(i))
		}
	}), make([]float64, 16)
	for i := range large {
		large[i] = math.MaxFloat64 / 3
	}
	for _, stop := range rules.Stops {
		run("2-norm of b beyond float64", increasing, large, solve.Options{Accuracy: solve.Accuracy{Stop: stop}, Method: solve.GMRES})
	}
	hilbert := testsupport.Hilbert(7)
	for _, method := range []solve.Method{solve.CG, solve.GMRES} {
		run("to the last digits", hilbert, rhs(hilbert, 1), solve.Options{Method: method, Accuracy: solve.Accuracy{Stop: solve.StopCW, Tol: 4e-16}})
	}
	for _, m := range []*csr.Matrix{grid(8, 0, 0), grid(8, 0.3, 0), rescaled(grid(8, 0.1, 0), same(1e-200), same(1))} {
		for _, size := range []float64{1e-290, 1e-200, 1e-160, 1e-100, 1, 1e100, 1e200, 1e290} {
			b := random(4, m.Rows)
			for i := range b {
				b[i] *= size * m.Val[0]
			}
			if math.Abs(b[0]) >= 1e-300 { // otherwise no number with all its digits
				run(fmt.Sprintf("entries of %g, x of %g", m.Val[0], size), m, b, solve.Options{})
			}
		}
	}
}

// Random matrices whose entries spread over many orders of magnitude: of those that float64
// can hold (2^±10) nearly all are solved.
func TestHonestOnRandomMatrices(t *testing.T) {
	for _, spread := range []int{10, 60, 300} {
		count, total := 0, 0
		for seed := range uint64(60) {
			rng := rand.New(rand.NewPCG(seed, uint64(spread)))
			n := 2 + rng.IntN(30)
			value := func() float64 { return math.Ldexp(rng.NormFloat64(), rng.IntN(2*spread)-spread) }
			m := entries(n, func(add func(i, j int, v float64)) {
				for i := range n {
					add(i, i, value())
					for range 3 {
						add(i, rng.IntN(n), value())
					}
				}
			})
			for _, stop := range rules.Stops {
				r := checked(t, m, random(seed, n), nil, solve.Options{Accuracy: solve.Accuracy{Stop: stop}, Limits: solve.Limits{MaxIter: 2000}})
				if r.Reason == krylov.Singular || r.Reason == krylov.Inconsistent {
					continue // nothing to run, to working precision
				}
				if total++; r.Reason.Converged() {
					count++
				}
			}
		}
		if spread == 10 && 100*count < 98*total {
			t.Errorf("%d of %d solved", count, total)
		}
	}
}

// Tolerances so small that they cannot be met are not claimed.
func TestToleranceOutOfReach(t *testing.T) {
	m := rescaled(grid(8, 0.3, 0), uneven(3), uneven(3))
	b := random(7, m.Rows)
	for _, stop := range rules.Stops {
		for _, tol := range []float64{1e-15, 1e-16, 1e-18} {
			r := mustSolve(t, m, b, nil, solve.Options{Accuracy: solve.Accuracy{Stop: stop, Tol: tol}, Limits: solve.Limits{MaxIter: 2000}})
			e := measureOf(t, stop, m, r.X, b)
			if r.Reason.Converged() && e > tol*(1+1e-9) || r.Reason == krylov.Running || r.Iterations > 2000 {
				t.Errorf("stop %s, tolerance %g: %v after %d iterations with error %g", stop, tol, r.Reason, r.Iterations, e)
			}
		}
	}
}

// Zero is the solution for b = 0; a subnormal right-hand side is not zero, and no x may
// call it so.
func TestZeroRHS(t *testing.T) {
	m := grid(5, 0.1, 0)
	b := make([]float64, m.Rows)
	for _, stop := range rules.Stops {
		for _, x0 := range [][]float64{nil, random(1, m.Rows)} {
			r := mustSolve(t, m, b, x0, solve.Options{Accuracy: solve.Accuracy{Stop: stop}})
			if r.Reason != krylov.ZeroRHS || r.Iterations != 0 || rules.ErrorOf(stop, r.Errors) != 0 || !sameBits(r.X, b) {
				t.Errorf("stop %s: %v after %d iterations, %+v, x = %g", stop, r.Reason, r.Iterations, r.Errors, r.X)
			}
		}
	}
	b[3] = 0x1p-1070
	if r := checked(t, m, b, nil, solve.Options{Accuracy: solve.Accuracy{Tol: 0.5}}); r.Reason == krylov.ZeroRHS {
		t.Errorf("%v for a tiny right-hand side", r.Reason)
	}
}

// Singular systems end in a reason, or in an x that solves them. An x so large that any
// matrix is near one that it solves is no solution.
func TestSingularSystems(t *testing.T) {
	m := testsupport.Path(slices.Repeat([]float64{1}, 29)...)
	for _, method := range rules.Methods {
		opt := solve.Options{Method: method, Accuracy: solve.Accuracy{Stop: solve.StopRel}}
		solved(t, m, rhs(m, 1), nil, opt)
		if r := checked(t, m, random(2, 30), nil, opt); r.Reason.Converged() || r.Errors.RelativeResidual > 1 {
			t.Errorf("%s: %v, relative residual %g", method, r.Reason, r.Errors.RelativeResidual)
		}
	}
	r := mustSolve(t, testsupport.Path(1, 1), []float64{1, 2, 4}, []float64{1e30, 1e30, 1e30}, solve.Options{})
	least := []float64{-13. / 9, -1. / 9, 14. / 9} // squares of the residual
	for i, want := range least {
		if r.Reason != krylov.Inconsistent || r.Evidence == nil || math.Abs(r.X[i]-want) > 1e-14 {
			t.Fatalf("%v with evidence %v, x = %g, want %g", r.Reason, r.Evidence, r.X, least)
		}
	}
}
