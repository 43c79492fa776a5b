package refine

import (
	"context"
	"time"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// A Solution is the x of one right-hand side on its way to a Result. Vectors are in the order chosen.
type Solution struct {
	S    *Problem
	Ctx  context.Context
	X, B []float64

	Vectors          linop.Host    // operations on vectors like x
	Given            []float64     // b in the order of the matrix as given
	verify.Judgement               // of x
	Reason           krylov.Reason // why the solve ended
	Solved           krylov.Result // of refinement, with the work of everything that follows it
	Parts            []float64     // w_i such that max |r_i| / w_i <= Tol shows that x explains b in all blocks; nil: the blocks need no care
	Digits           solve.Digits
	Precise          *solve.Precise // x with more digits; nil: none was asked for, or could be begun with
	Evidence         *solve.Evidence
	Began            time.Time
	Spent            spent
}

// spent is the time that parts of a solve have taken.
type spent struct{ Verifying, Estimating time.Duration }

// Row returns the row of the matrix to which element i of a vector belongs.
func (a *Solution) Row(i int) int64 {
	if j := a.S.Job; j != nil {
		return j.Global(i)
	}
	return int64(i)
}
