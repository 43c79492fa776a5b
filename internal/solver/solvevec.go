package solver

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/internal/solver/options"
)

// SolveVecTo solves A x = b and stores x in dst, like mat.Cholesky.SolveVecTo and other factorizations of gonum. An empty dst is
// resized; dst may be b. The error is a *solve.NotConvergedError if dst is not a solution to the tolerance. [Solver.Solve] also takes
// a context and an initial guess, and returns a full Result.
func (s *Solver) SolveVecTo(dst *mat.VecDense, b mat.Vector) error {
	if !dst.IsEmpty() && dst.Len() != s.M.Rows {
		return options.Invalid("the destination has %d elements, the matrix %d rows", dst.Len(), s.M.Rows)
	}
	rhs := make([]float64, b.Len())
	for i := range rhs {
		rhs[i] = b.AtVec(i)
	}
	r, err := s.Solve(context.Background(), rhs, nil)
	if err != nil {
		return err
	}
	if dst.IsEmpty() {
		dst.ReuseAsVec(s.M.Rows)
	}
	dst.CopyVec(mat.NewVecDense(len(r.X), r.X))
	return r.Err()
}
