package krylov

import (
	"context"
	"errors"
	"fmt"
)

// Reason says why a method stopped: positive when it converged, negative when
// it did not, zero while it runs.
type Reason int

const (
	// Running is the zero Reason.
	Running Reason = 0

	// Converged: the measure is at most the tolerance, or for CG, BiCGStab and
	// MINRES, when the residual is recomputed, at most twice that.
	Converged Reason = 1
	// ZeroRHS: b = 0, whose solution is x = 0.
	ZeroRHS Reason = 2

	// IterationLimit: Options.MaxIter was reached.
	IterationLimit Reason = -1
	// TimeLimit: the context's deadline passed.
	TimeLimit Reason = -2
	// Interrupted: the context was cancelled.
	Interrupted Reason = -3
	// Breakdown: a division by zero (or what rounding leaves of one) would have
	// followed; the Krylov space holds no better solution.
	Breakdown Reason = -4
	// Stagnation: many iterations without progress.
	Stagnation Reason = -5
	// NotFinite: NaN or Inf turned up in a vector or a scalar, or b is so small
	// that the squares of residuals vanish.
	NotFinite Reason = -6
	// Divergence: the residual grew by more than DivergenceTol.
	Divergence Reason = -7
	// Indefinite: conjugate gradients met p·Ap <= 0, so A is not positive
	// definite.
	Indefinite Reason = -8
	// Drift: the method's own recurrence claims the tolerance but the residual
	// recomputed from A, x and b does not confirm it.
	Drift Reason = -9
	// Singular: the backward error is within the tolerance, but only because x
	// is huge: the residual is no smaller than b, so x = 0 does as well. A is
	// singular to working precision and b is not in its range.
	Singular Reason = -10
	// Slow: refinement steps reduce the measure, but by too little.
	Slow Reason = -11
	// IndefinitePreconditioner: conjugate gradients or MINRES met r·M^-1 r <= 0 for
	// an r that is not zero, so M is not positive definite.
	IndefinitePreconditioner Reason = -12
)

// again is the Reason of an iteration that has to start again; no solve ends with it.
const again Reason = -100

// reasons holds the name of each Reason and one line of advice.
var reasons = map[Reason]struct{ name, advice string }{
	Running:                  {"running", ""},
	Converged:                {"converged", ""},
	ZeroRHS:                  {"zero right-hand side", ""},
	IterationLimit:           {"iteration limit", "allow more iterations, a longer restart, or another method"},
	TimeLimit:                {"time limit", "allow more time; x is the best found so far and can be used as initial guess"},
	Interrupted:              {"interrupted", "x is the best found so far and can be used as initial guess"},
	Breakdown:                {"breakdown", "the matrix may be singular; try another method or scaling"},
	Stagnation:               {"stagnation", "the system may be too ill-conditioned or indefinite for this method; try a longer restart or another method"},
	NotFinite:                {"NaN or Inf", "numbers left the range of float64; scale the matrix or use another method"},
	Divergence:               {"divergence", "this method does not suit the matrix; try gmres"},
	Indefinite:               {"not positive definite", "conjugate gradients need a positive definite matrix; use minres or gmres"},
	Drift:                    {"residual drift", "rounding errors separated the recurrence from the true residual; use refinement"},
	Slow:                     {"slow refinement", "the stored matrix is not accurate enough; store it with a smaller epsilon"},
	IndefinitePreconditioner: {"preconditioner not positive definite", "this method needs a symmetric positive definite preconditioner; use another one, or gmres"},
	Singular:                 {"numerically singular", "x is nearly a null vector of the matrix and its residual is no smaller than b; check the model (a constraint or boundary condition may be missing)"},
}

// String returns the reason in a few words.
func (r Reason) String() string {
	if e, ok := reasons[r]; ok {
		return e.name
	}
	return fmt.Sprintf("reason %d", int(r))
}

// Advice returns one line on what to do about it, empty when converged.
func (r Reason) Advice() string { return reasons[r].advice }

// Converged reports whether the method reached its goal.
func (r Reason) Converged() bool { return r > 0 }

// Ended returns the Reason of a solve that its context ended.
func Ended(ctx context.Context) Reason {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return TimeLimit
	}
	return Interrupted
}

// final reports whether nothing that the caller could switch to would help.
func (r Reason) final() bool {
	return r == IterationLimit || r == TimeLimit || r == Interrupted
}

// retry reports whether the same method may get further when it starts again
// from a better x.
func (r Reason) retry() bool { return r.Converged() || r == Breakdown }
