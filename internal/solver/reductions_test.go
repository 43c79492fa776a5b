package solver

import (
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// An iteration sums over the ranks as often as its recurrence needs, and no message says besides that the ranks go on. Some sums are repeated,
// since they have more limbs than those before.
func TestReductionsOfIterationsConcurrent(t *testing.T) {
	const short, long, repeated = 20, 60, 0.25
	for _, c := range []struct {
		method solve.Method
		kind   precond.Kind
		want   float64
	}{
		{solve.CG, precond.None, 2},
		{solve.CG, precond.Jacobi, 2},
		{solve.BiCGStab, precond.Jacobi, 3},
		{solve.MINRES, precond.None, 3},
		{solve.MINRES, precond.Jacobi, 4},
		{solve.GMRES, precond.Jacobi, 2},
	} {
		each := float64(reductions(t, c.method, c.kind, long)-reductions(t, c.method, c.kind, short)) / (long - short)
		if each > c.want+repeated || each < c.want-repeated {
			t.Errorf("%s with %s: %g reductions an iteration, want %g", c.method, c.kind, each, c.want)
		}
	}
}

// reductions returns the number of sums and maxima of a solve on two ranks that ends after so many iterations.
func reductions(t *testing.T, method solve.Method, kind precond.Kind, iterations int) (n int64) {
	m := grid(100, 0, 0)
	dist.Run(2, func(c dist.Comm) {
		timed := dist.NewTimed(c)
		a, err := dist.Spread(timed, m, 3)
		if err != nil {
			t.Error(err)
			return
		}
		s, err := NewDistributed(t.Context(), a, solve.Options{
			Method: method, Precond: solve.Precond{Kind: kind}, Krylov: solve.Krylov{Restart: 100, NoRefine: true},
			Accuracy: solve.Accuracy{Tol: 1e-15}, Limits: solve.Limits{MaxIter: iterations},
		})
		if err != nil {
			t.Error(err)
			return
		}
		defer s.Close()
		before := timed.Traffic
		r, err := s.Solve(t.Context(), ownElements(a, rhs(m, 1)), nil)
		if err != nil || r.Reason != krylov.IterationLimit || r.Iterations != iterations {
			t.Errorf("%s: %v after %d iterations, %v", method, r.Reason, r.Iterations, err)
		}
		if c.Rank() == 0 {
			n = timed.Traffic.Minus(before).Reductions
		}
	})
	return n
}
