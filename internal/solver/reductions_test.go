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
	m := grid(100, 0, 0)
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
		opt := solve.Options{Method: c.method, Precond: solve.Precond{Kind: c.kind}, Krylov: solve.Krylov{Restart: 100}}
		sent := trafficOf(t, m, 2, 3, opt, short, long)[0]
		each := float64(sent[2].Reductions-sent[1].Reductions) / (long - short)
		if each > c.want+repeated || each < c.want-repeated {
			t.Errorf("%s with %s: %g reductions an iteration, want %g", c.method, c.kind, each, c.want)
		}
	}
}
