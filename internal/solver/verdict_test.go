package solver

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// beside returns m with one more row, a p = 1, and entries of size c that join p to the others.
func beside(m *csr.Matrix, a, c float64) *csr.Matrix {
	n := m.Rows
	return entries(n+1, func(add func(i, j int, v float64)) {
		for i := range n {
			cols, vals := m.Row(i)
			for k, j := range cols {
				add(i, int(j), vals[k])
			}
			if c != 0 && i%7 == 0 {
				add(i, n, c)
			}
		}
		add(n, n, a)
	})
}

// A huge unknown does not hide what is wrong with those that have nothing to do with it, nor
// those that have little.
func TestDecoupledUnknowns(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{
		"path": entries(100, func(add func(i, j int, v float64)) {
			for i := range 100 {
				add(i, i, 2)
				if i > 0 {
					add(i, i-1, -1)
					add(i-1, i, -1)
				}
			}
		}),
		"convection": grid(20, 0.4, 0),
		"plate":      grid(30, 0, 0),
	} {
		for _, a := range []float64{1e-6, 1e-13, 1e-30, 1e-200} {
			for _, c := range []float64{0, 1e-6, 1e-3} {
				t.Run(fmt.Sprint(name, " ", a, " ", c), func(t *testing.T) {
					m, n := beside(m, a, c*a), m.Rows
					b := slices.Repeat([]float64{1}, n+1)
					for i := range n {
						b[i] += float64(i % 5)
					}
					for _, digits := range []int{solve.NoDigits, 0} {
						r := solved(t, m, b, nil, solve.Options{Accuracy: solve.Accuracy{Digits: digits}})
						alone := mustSolve(t, m, b, nil, solve.Options{Accuracy: solve.Accuracy{Stop: solve.StopCW, Tol: 1e-14, Digits: solve.NoDigits}, Precond: solve.Precond{Kind: precond.ILUT}})
						size, wrong := 0.0, 0.0
						for i, v := range alone.X[:n] {
							size, wrong = max(size, math.Abs(v)), max(wrong, math.Abs(r.X[i]-v))
						}
						if !(wrong <= 1e-6*size) {
							t.Errorf("digits %d: %v, and the others are off by %.1e of their size", digits, r.Reason, wrong/size)
						}
					}
				})
			}
		}
	}
}

// Nor is it in the part of a system beside which another one has b of a different size.
func TestNoPartWorseThanZero(t *testing.T) {
	zero, kept := 0, 0
	for _, n := range []int{20, 60, 113} {
		path := entries(n, func(add func(i, j int, v float64)) {
			for i := range n {
				add(i, i, 2)
				if i > 0 {
					add(i, i-1, -1)
					add(i-1, i, -1)
				}
			}
		})
		m := beside(path, 1e-13, 0)
		b := slices.Repeat([]float64{1}, n+1)
		for limit := 1; limit <= 8; limit++ {
			r := mustSolve(t, m, b, nil, solve.Options{Scale: solve.ScaleNone, Limits: solve.Limits{MaxIter: limit}, Precond: solve.Precond{Kind: precond.Jacobi}, Storage: solve.Storage{Layout: adaptive.Diagonals}})
			if special.AbsMax(r.X) == 0 {
				zero++
				continue
			}
			kept++
			own, err := new(verify.Known).Unexplained(path, r.X[:n], b[:n], nil)
			if err != nil || r.Errors.RelativeResidual > 1 && own > 1 {
				t.Errorf("%d unknowns, %d iterations: %v with %+v, and %g of the path is unexplained (%v)", n, limit, r.Reason, r.Errors, own, err)
			}
		}
	}
	if zero == 0 || kept == 0 {
		t.Errorf("%d x were zero, %d were not", zero, kept)
	}
}

// The x of a solve that did not converge is never worse than zero.
func TestNeverWorseThanZero(t *testing.T) {
	for _, method := range rules.Methods {
		for k, m := range []*csr.Matrix{testsupport.Path(1, 1, 1e-9, 1, 1), grid(9, 0.9, -3.3), testsupport.Hilbert(14)} {
			for _, limit := range []int{1, 3, 10, 0} {
				for _, guess := range [][]float64{nil, slices.Repeat([]float64{1e9}, m.Rows)} {
					r := mustSolve(t, m, random(5, m.Rows), guess, solve.Options{Method: method, Scale: solve.ScaleNone, Limits: solve.Limits{MaxIter: limit}, Precond: solve.Precond{Kind: precond.None}})
					if !r.Reason.Converged() && r.Errors.RelativeResidual > 1 && r.Errors.Row >= 1 {
						t.Errorf("%s, matrix %d, limit %d: %v with ||r||/||b|| = %g", method, k, limit, r.Reason, r.Errors.RelativeResidual)
					}
				}
			}
		}
	}
	m := testsupport.Path(1, 1)
	opt := solve.Options{NullSpace: solve.NullSpace{Kind: solve.NullSpaceNone}}
	if r := mustSolve(t, m, []float64{1, 2, 4}, slices.Repeat([]float64{1e165}, 3), opt); r.Reason.Converged() || special.AbsMax(r.X) != 0 || len(r.Cautions) == 0 {
		t.Errorf("%v, x = %g, cautions %q", r.Reason, r.X, r.Cautions)
	}
}

// A tolerance that float64 cannot meet is reported, with a tolerance that it can meet.
func TestPrecisionExhausted(t *testing.T) {
	m := grid(8, 0.3, 0)
	b := random(7, m.Rows)
	for _, stop := range []solve.Stop{solve.StopRow, solve.StopNW, solve.StopCW, solve.StopRel} {
		r := mustSolve(t, m, b, nil, solve.Options{Accuracy: solve.Accuracy{Stop: stop, Tol: 1e-19}})
		var tol float64
		_, after, _ := strings.Cut(r.Advice, "try Options.Tol = ")
		if _, err := fmt.Sscan(after, &tol); err != nil || r.Reason != krylov.PrecisionExhausted {
			t.Errorf("stop %s: %v, %q", stop, r.Reason, r.Advice)
			continue
		}
		if again := mustSolve(t, m, b, nil, solve.Options{Accuracy: solve.Accuracy{Stop: stop, Tol: tol}}); !again.Reason.Converged() {
			t.Errorf("stop %s: %v with the tolerance %g that was advised, errors %+v", stop, again.Reason, tol, again.Errors)
		}
	}
}

// An x that is subnormal has few digits: that is said, not that the method failed. With a larger b there are as many as ever.
func TestPrecisionOfSubnormals(t *testing.T) {
	diagonal := testsupport.Entries(3, func(add func(i, j int, v float64)) {
		for i := range 3 {
			add(i, i, 3)
		}
	})
	for name, m := range map[string]*csr.Matrix{"3 I": diagonal, "grid": grid(3, 0, 0)} {
		b := slices.Repeat([]float64{1e-323}, m.Rows)
		r := mustSolve(t, m, b, nil, solve.Options{})
		if r.Reason != krylov.PrecisionExhausted || !strings.Contains(r.Advice, "multiply b") {
			t.Errorf("%s: %v, x = %g, %q", name, r.Reason, r.X, r.Advice)
		}
		for i := range b {
			b[i] *= 0x1p200
		}
		if r = mustSolve(t, m, b, nil, solve.Options{}); r.Reason != krylov.Converged {
			t.Errorf("%s, larger: %v, x = %g, %q", name, r.Reason, r.X, r.Advice)
		}
	}
	b := slices.Repeat([]float64{0x3p-1074}, 3) // x is 2^-1074
	if r := mustSolve(t, diagonal, b, nil, solve.Options{}); r.Reason != krylov.Converged {
		t.Errorf("%v, x = %g, %q", r.Reason, r.X, r.Advice)
	}
}

// Advice names a flag, and none that is in use or does not concern the solve.
func TestAdviceFits(t *testing.T) {
	hard := grid(12, 0.9, -2.2)
	for _, opt := range []solve.Options{
		{},
		{Method: solve.CG},
		{Method: solve.MINRES},
		{Method: solve.BiCGStab},
		{Method: solve.GMRES, Krylov: solve.Krylov{Restart: 3}},
		{Krylov: solve.Krylov{NoRefine: true}},
		{Precond: solve.Precond{Kind: precond.Jacobi}},
		{Scale: solve.ScaleNone},
	} {
		for _, limit := range []int{2, 0} {
			o := opt
			o.MaxIter, o.Tol = limit, 1e-14
			r := mustSolve(t, hard, random(1, hard.Rows), nil, o)
			if r.Reason.Converged() {
				if r.Advice != "" {
					t.Errorf("%+v: advice %q for a solve that converged", opt, r.Advice)
				}
				continue
			}
			bad := []string{}
			if !opt.NoRefine {
				bad = append(bad, "Options.NoRefine")
			}
			if r.Method != string(solve.GMRES) {
				bad = append(bad, "Options.Restart")
			}
			if opt.Method != "" {
				bad = append(bad, "Options.Method = "+string(opt.Method))
			}
			for _, text := range bad {
				if strings.Contains(r.Advice, text) {
					t.Errorf("method %s, %v: advice %q", r.Method, r.Reason, r.Advice)
				}
			}
			if !strings.Contains(r.Advice, "Options.") {
				t.Errorf("method %s, %v: advice %q names no option", r.Method, r.Reason, r.Advice)
			}
		}
	}
}

// Digits asked for are there, by the solution known, or the solve says that they are not.
func TestDigitsAskedFor(t *testing.T) {
	for _, n := range []int{4, 8, 12} {
		m := testsupport.Hilbert(n)
		x := make([]float64, n)
		for i := range x {
			x[i] = 1
		}
		b := make([]float64, n)
		m.MulVec(b, x)
		for _, want := range []int{1, 6, 12, 15} {
			r := mustSolve(t, m, b, nil, solve.Options{Accuracy: solve.Accuracy{Digits: want, Tol: 1e-4}})
			enough := r.Digits.State == solve.DigitsBelieved && r.Digits.Believed >= want
			if enough != r.Reason.Converged() || !enough && r.Reason != krylov.TooFewDigits {
				t.Errorf("Hilbert %d, %d digits: %v, %+v", n, want, r.Reason, r.Digits)
			}
		}
	}
	if r := mustSolve(t, grid(9, 0, 0), random(1, 81), nil, solve.Options{Accuracy: solve.Accuracy{Digits: solve.NoDigits}}); r.Digits.State != "" || r.Digits.Iterations != 0 {
		t.Errorf("digits that were not asked for: %+v", r.Digits)
	}
}

// In a large solve the digits take a quarter of the iterations at most, are right to about one,
// and are not said to be confirmed.
func TestDigitsOfLargeSolves(t *testing.T) {
	m := grid(360, 0, 0)
	b := random(2, m.Rows)
	amg := solve.Precond{Kind: precond.AMG}
	right := mustSolve(t, m, b, nil, solve.Options{Accuracy: solve.Accuracy{Digits: 14}, Precond: amg})
	for _, tol := range []float64{1e-6, 1e-10} {
		r := mustSolve(t, m, b, nil, solve.Options{Accuracy: solve.Accuracy{Tol: tol}, Precond: amg})
		wrong := 0.0
		for i, v := range right.X {
			wrong = max(wrong, math.Abs(v-r.X[i]))
		}
		digits := -math.Log10(wrong / special.AbsMax(right.X))
		if g := r.Digits; g.State != solve.DigitsEstimated || 4*g.Iterations > r.Iterations+4 || float64(g.Believed) > digits+1 || float64(g.Believed) < digits-2.5 {
			t.Errorf("tolerance %g: %+v after %d iterations, right are %.1f", tol, g, r.Iterations, digits)
		}
	}
}

// A nearly singular system whose right-hand side is in the range, and an ill-conditioned one
// beyond float64, are not said to have digits.
func TestNoDigitIsSaid(t *testing.T) {
	path := testsupport.Path(slices.Repeat([]float64{1}, 29)...)
	b := rhs(path, 1)
	if r := mustSolve(t, path, b, nil, solve.Options{NullSpace: solve.NullSpace{Kind: solve.NullSpaceNone}}); r.Digits.State == solve.DigitsBelieved {
		t.Errorf("singular and consistent: %v, %+v", r.Reason, r.Digits)
	}
	m := testsupport.Hilbert(20)
	if r := mustSolve(t, m, rhs(m, 1), nil, solve.Options{}); r.Digits.State == solve.DigitsBelieved {
		t.Errorf("Hilbert 20: %v, %+v", r.Reason, r.Digits)
	}
}
