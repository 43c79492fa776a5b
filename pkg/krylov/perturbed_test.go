package krylov

import (
	"context"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// weak solves with another, nearby matrix: corrections then err by a factor.
type weak struct {
	op     hostOperator
	method hostMethod
}

func (w weak) Correct(ctx context.Context, d, r, _ []float64, goal Goal) Result {
	return w.method.Solve(ctx, w.op, d, r, hostOptions{Tol: 1e-3, MaxIter: goal.MaxIter, Monitor: goal.Monitor})
}

func (weak) Escalate(Reason) bool { return false }

// Refinement with every method on a perturbed matrix gets to the solution of
// the true one, as it should in reduced precision.
func TestRefinementWithPerturbedMatrix(t *testing.T) {
	pool := newPool(t, 1)
	a := grid(10, 0)
	perturbed := a.Clone()
	for k := range perturbed.Val {
		perturbed.Val[k] *= 1 + 1e-3*math.Sin(float64(k))
	}
	b, space := random(1, a.Rows), linop.NewHost(a.Rows, pool)
	for _, m := range methods {
		x := make([]float64, a.Rows)
		f := NewRefinement[[]float64, linop.Float64](space)
		r := f.Solve(context.Background(), linop.Accurate{CSR: linop.NewCSR(a, pool)},
			weak{linop.NewCSR(perturbed, pool), m.make(space)}, x, b,
			hostOptions{Tol: 1e-14, Measure: relative(b)})
		if res := trueResidual(t, a, x, b); r.Reason != Converged || res > 1.0001e-14 || r.Outer < 3 {
			t.Errorf("%s: %v after %d steps, residual %g", m.name, r.Reason, r.Outer, res)
		}
	}
}

// relative is ||r|| / ||b||.
func relative(b []float64) Measure[[]float64] {
	norm := func(v []float64) float64 {
		s := 0.0
		for _, e := range v {
			s += e * e
		}
		return math.Sqrt(s)
	}
	return func(_, r []float64) float64 { return norm(r) / norm(b) }
}

func (weak) Patience(reduction float64) int { return DefaultPatience(reduction) }
