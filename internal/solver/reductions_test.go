package solver

import (
	"testing"

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
		{solve.CG, precond.None, 1},
		{solve.CG, precond.Jacobi, 1},
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
func reductions(t *testing.T, method solve.Method, kind precond.Kind, iterations int) int64 {
	_, solved := trafficOf(t, grid(100, 0, 0), 2, 3, iterations, solve.Options{Method: method, Precond: solve.Precond{Kind: kind}, Krylov: solve.Krylov{Restart: 100}})
	return solved[0].Reductions
}
