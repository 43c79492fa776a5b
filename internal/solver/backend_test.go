package solver

import (
	"math"
	"math/big"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Refinement on the backend of double-double vectors: x has twice the digits of float64, and
// nothing of it has gone through float64.
func TestDoubleDoubleBackend(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	for _, m := range []*csr.Matrix{rescaled(grid(8, 0, 0), uneven(2), uneven(2)), rescaled(grid(8, 0.3, 0), uneven(3), same(-1))} {
		s := newSolver(t, m, solve.Options{Precond: unpreconditioned})
		at := backend.NewHostDD(backend.NewHost(m, pool))
		f, err := refine.New(t.Context(), &s.Problem, at)
		if err != nil {
			t.Fatal(err)
		}
		x, b := at.New(), at.FromHost(random(1, m.Rows))
		for i := range b.Hi {
			b.Set(i, b.At(i).Add(dd.From(0x1p-70))) // more than float64 holds
		}
		r, err := f.Solve(t.Context(), x, b, krylov.Options[dd.Vec]{Tol: 1e-25, MaxIter: 5000})
		if err != nil || r.Reason != krylov.Converged {
			t.Errorf("%+v, %v", r, err)
		}
		if worst := rowErrorDD(m, x, b); !(worst <= 2e-25) {
			t.Errorf("row-wise error %g", worst)
		}
	}
}

// rowErrorDD is the row-wise backward error of x, in 400-bit arithmetic.
func rowErrorDD(m *csr.Matrix, x, b dd.Vec) (worst float64) {
	largest := special.AbsMax(x.Hi)
	for i := range m.Rows {
		sum, scale := bigDD(b.At(i)), math.Abs(b.Hi[i])
		cols, vals := m.Row(i)
		for k, j := range cols {
			sum.Sub(sum, new(big.Float).Mul(bigDD(dd.From(vals[k])), bigDD(x.At(int(j)))))
			scale += math.Abs(vals[k]) * largest
		}
		v, _ := sum.Abs(sum).Float64()
		worst = max(worst, v/scale)
	}
	return worst
}

func bigDD(v dd.DD) *big.Float {
	s := new(big.Float).SetPrec(400).SetFloat64(v.Hi)
	return s.Add(s, big.NewFloat(v.Lo))
}
