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

	// Converged: the measure is at most the tolerance, or for all methods but
	// GMRES, when the residual is recomputed, at most twice the tolerance.
	Converged Reason = 1
	// ZeroRHS: b = 0, whose solution is x = 0.
	ZeroRHS Reason = 2

	// LeastSquares: x makes ||b - A x||_2 least, which is not zero, see Options.LeastSquares.
	LeastSquares Reason = 3

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
	// Divergence: the residual grew by a factor of more than 1e10.
	Divergence Reason = -7
	// Indefinite: conjugate gradients met p·Ap <= 0, so A is not positive
	// definite.
	Indefinite Reason = -8
	// Drift: the method's own recurrence claims the tolerance but the residual
	// recomputed from A, x and b does not confirm it.
	Drift Reason = -9
	// Singular: the backward error is within the tolerance, but only because x is huge:
	// its residual is not small against b. A is singular to working precision.
	Singular Reason = -10
	// Slow: refinement steps reduce the measure, but by too little.
	Slow Reason = -11
	// IndefinitePreconditioner: conjugate gradients or MINRES met r·M^-1 r <= 0 for
	// an r that is not zero, so M is not positive definite.
	IndefinitePreconditioner Reason = -12
	// Inconsistent: A is numerically singular and b is not in its range: there is a y
	// with y^T A = 0 to rounding and y^T b far from it.
	Inconsistent Reason = -13
	// PrecisionExhausted: the tolerance is below what the rounding of x to float64
	// leaves, and the measure is near that limit.
	PrecisionExhausted Reason = -14
	// TooFewDigits: the measure is met, but fewer digits of x can be believed than
	// were asked for.
	TooFewDigits Reason = -15
	// NotSymmetric: a method for symmetric matrices failed on a matrix that is not symmetric.
	NotSymmetric Reason = -16
	// OutOfMemory: solving takes more memory than the limit.
	OutOfMemory Reason = -17
)

// again is the Reason of an iteration that has to start again; no solve ends with it.
const again Reason = -100

// reasons holds the name of each Reason, and one line of advice for a solve of which only the Reason is known.
var reasons = map[Reason]struct{ name, advice string }{
	Running:                  {"running", ""},
	Converged:                {"converged", ""},
	ZeroRHS:                  {"zero right-hand side", ""},
	LeastSquares:             {"least squares", ""},
	IterationLimit:           {"iteration limit", "allow more iterations (Options.MaxIter), or try another preconditioner (Options.Precond)"},
	TimeLimit:                {"time limit", "allow more time; x is the best found so far and can be used as initial guess"},
	Interrupted:              {"interrupted", "x is the best found so far and can be used as initial guess"},
	Breakdown:                {"breakdown", "try another method (Options.Method)"},
	Stagnation:               {"stagnation", "try another preconditioner (Options.Precond) or method (Options.Method)"},
	NotFinite:                {"NaN or Inf", "numbers left the range of float64; try another scaling (Options.Scale) or method (Options.Method)"},
	Divergence:               {"divergence", "this method does not suit the matrix; try Options.Method = gmres"},
	Indefinite:               {"not positive definite", "conjugate gradients need a positive definite matrix; try Options.Method = minres or Options.Method = gmres"},
	Drift:                    {"residual drift", "rounding separated the recurrence of the method from the true residual; try Options.NoRefine = false"},
	Singular:                 {"numerically singular", "x is nearly a null vector of the matrix; a constraint or boundary condition may be missing, try Options.Digits = 1 for an x that is not"},
	Slow:                     {"slow refinement", "the stored matrix is not accurate enough; try a smaller Options.Storage.Epsilon"},
	IndefinitePreconditioner: {"preconditioner not positive definite", "try another preconditioner (Options.Precond), or Options.Method = gmres"},
	Inconsistent:             {"inconsistent", "the system has no solution; its equations contradict each other"},
	PrecisionExhausted:       {"precision exhausted", "the tolerance is below what x in float64 can reach; try a larger Options.Tol"},
	TooFewDigits:             {"too few digits", "ask for fewer digits (Options.Digits)"},
	NotSymmetric:             {"not symmetric", "this method needs a symmetric matrix; try Options.Method = gmres"},
	OutOfMemory:              {"out of memory", "allow more memory (Options.MaxMemory)"},
}

// String returns the reason in a few words.
func (r Reason) String() string {
	if e, ok := reasons[r]; ok {
		return e.name
	}
	return fmt.Sprintf("reason %d", int(r))
}

// Advice returns one line of advice after a solve with this Reason, empty when it converged. Options have the names of
// package solve, which knows more about a solve and gives better advice.
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
