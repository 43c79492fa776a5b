package refine

import (
	"context"
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Further is Refine with the measure max |r_i| / w_i. It keeps the method and the preconditioner in use, and raises the
// precision where needed. It serves the work after a solve: going on with x, and estimating its error.
func (f *Refinement[V, S]) Further(ctx context.Context, x, b, w []float64, opt krylov.Options[vector]) (krylov.Result, error) {
	return f.settled(ctx, x, b, w, backend.StopWeighted, opt)
}

// Roughly solves A d = r once to the measure max |r_i| / w_i, by the method and the preconditioner in use, and measures the residual in the
// arithmetic of the vectors. It is for a d whose residual is not small beside A d, and keeps d even if the residual has grown.
func (f *Refinement[V, S]) Roughly(ctx context.Context, d, r, w []float64, opt krylov.Options[vector]) (result krylov.Result, err error) {
	goal := krylov.Goal{From: math.Inf(1), To: roughReach * opt.Tol, MaxIter: opt.MaxIter}
	var measure float64
	result, err = f.once(ctx, d, r, w, backend.StopWeighted, goal, func(vd, vr V) {
		left := f.Correction.R
		rounded[V, S]{f.Exact, f.At}.Residual(left, vr, vd)
		measure = f.Correction.Measure.Of(vd, left)
	})
	result.Measure = measure
	return result, err
}

// roughReach is how far below the tolerance a method aims, since the recomputed residual differs from its own.
const roughReach = 0.5

// rounded is an operator whose residuals are rounded in the arithmetic of the vectors.
type rounded[V any, S linop.Scalar[S]] struct {
	linop.Operator[V, S]
	space linop.Space[V, S]
}

// roundable is an operator with accurate and with rounded residuals.
type roundable[V any, S linop.Scalar[S]] struct {
	linop.Operator[V, S]
	by        rounded[V, S]
	roundings float64
}

var _ krylov.RoundedOperator[vector] = roundable[vector, scalar]{}

// RoundedResidual implements krylov.RoundedOperator.
func (a roundable[V, S]) RoundedResidual(r, b, x V) { a.by.Residual(r, b, x) }

// Roundings implements krylov.RoundedOperator.
func (a roundable[V, S]) Roundings() float64 { return a.roundings }

// Operator returns the operator of the residuals of a solve. In a row of n entries a rounded residual is off by at most (n+1) u
// (|A||x| + |b|)_i ([Higham02], section 3.5). Row-wise, normwise and componentwise errors are relative to the same magnitudes.
func (f *Refinement[V, S]) Operator(s *choice.System) linop.Operator[V, S] {
	if s.Opt.Stop == solve.StopRel {
		return f.Exact
	}
	return roundable[V, S]{f.Exact, rounded[V, S]{f.Exact, f.At}, float64(s.Facts.LongestRow+1) * f.At.Roundoff()}
}

// Residual computes r = b - A x as a product and a difference.
func (a rounded[V, S]) Residual(r, b, x V) {
	a.Apply(r, x)
	a.space.Xpay(b, a.space.Scalar(-1), r)
}

// Rowwise is Further with the row-wise error as the measure, given the row sums of |A|.
func (f *Refinement[V, S]) Rowwise(ctx context.Context, x, b, sums []float64, opt krylov.Options[vector]) (krylov.Result, error) {
	return f.settled(ctx, x, b, sums, solve.StopRow, opt)
}

// settled refines with a weighted measure, by the method and the preconditioner in use.
func (f *Refinement[V, S]) settled(ctx context.Context, x, b, w []float64, stop solve.Stop, opt krylov.Options[vector]) (krylov.Result, error) {
	vx, vb, vw := f.At.FromHost(x), f.At.FromHost(b), f.At.FromHost(w)
	defer f.At.GiveBack(vx, vb, vw)
	defer f.settle(ctx, stop, vb, vw)()
	result := f.Steps.Solve(ctx, f.Exact, sameMethod[V, S]{f.Correction}, vx, vb, krylov.Options[V]{
		Tol: opt.Tol, MaxIter: opt.MaxIter, Guess: opt.Guess, Measure: f.Correction.Measure.Of, Agree: f.At.Agree(),
	})
	if f.At.ToHost(x, vx); stop == backend.StopWeighted {
		f.keep(vx)
	}
	return result, f.At.Fault()
}

// Correct solves A d = r once to a row-wise error, given the row sums of |A|, by the method and the preconditioner in use. It is for
// refinement by the caller. If goal.Further says that r is the residual of the last correction, r is that residual times 2^-shift.
func (f *Refinement[V, S]) Correct(ctx context.Context, d, r, sums []float64, shift int, goal krylov.Goal) (krylov.Result, error) {
	f.Correction.exponent += shift
	return f.once(ctx, d, r, sums, solve.StopRow, goal, func(V, V) {})
}

// once solves A d = r once to a weighted measure, and then calls after with d and r.
func (f *Refinement[V, S]) once(
	ctx context.Context, d, r, w []float64, stop solve.Stop, goal krylov.Goal, after func(d, r V),
) (krylov.Result, error) {
	clear(d)
	vd, vr, vw, zero := f.At.FromHost(d), f.At.FromHost(r), f.At.FromHost(w), f.At.New()
	defer f.At.GiveBack(vd, vr, vw)
	f.At.Zero(zero)
	defer f.settle(ctx, stop, vr, vw)()
	goal.Agree = f.At.Agree()
	result := f.Correction.Correct(ctx, vd, vr, zero, goal)
	after(vd, vr)
	f.At.ToHost(d, vd)
	return result, f.At.Fault()
}

// settle makes corrections keep the method and the preconditioner in use, with a weighted measure, until the function that it returns is called.
func (f *Refinement[V, S]) settle(ctx context.Context, stop solve.Stop, b, w V) (end func()) {
	c, weighted := f.Correction, &backend.Measure[V, S]{At: f.At, Stop: stop, Weights: w}
	weighted.Begin(b)
	c.Ctx, c.Measure, c.settled = ctx, weighted, true
	return func() { c.Measure, c.settled = f.Measure, false }
}

// Preconditioned sets d = M^-1 r by the preconditioner M of A in use.
func (f *Refinement[V, S]) Preconditioned(_ context.Context, d, r []float64) error {
	vd, vr, c := f.At.FromHost(d), f.At.FromHost(r), f.Correction
	defer f.At.GiveBack(vd, vr)
	e := c.Scaling.Residual(c.Rhs, vr)
	c.Attempts.Preconditioner().Apply(c.Z, c.Rhs)
	c.Scaling.Correction(vd, c.Z, e)
	f.At.ToHost(d, vd)
	return f.At.Fault()
}

// Raise stores the matrix more accurately. It returns false if the matrix is in FP64 already.
func (f *Refinement[V, S]) Raise(reason krylov.Reason) bool { return f.Correction.Raise(reason) }

// Residual sets r = b - A x, accurately.
func (f *Refinement[V, S]) Residual(r, x, b []float64) error {
	vx, vb, vr := f.At.FromHost(x), f.At.FromHost(b), f.At.FromHost(r)
	defer f.At.GiveBack(vx, vb, vr)
	f.Exact.Residual(vr, vb, vx)
	f.At.ToHost(r, vr)
	return f.At.Fault()
}

// sameMethod is a correction that keeps its method and its preconditioner.
type sameMethod[V any, S linop.Scalar[S]] struct{ *Correction[V, S] }

// Escalate implements krylov.Corrector.
func (c sameMethod[V, S]) Escalate(reason krylov.Reason) bool { return c.Raise(reason) }

// Tighter is the ratio of the tolerance of the solve to the tolerance of the verdict: small enough that rounding in the measure cannot
// make them disagree.
const Tighter = 1 - 0x1p-30

// Helps reports whether the guess x with the residual r is better than zero. If r is much larger than b, or not finite, x becomes zero: roundings in the size
// of such an x would remain in the solution. Over domains it is collective.
func Helps(at linop.Host, x, r, b vector, log func(line string)) bool {
	if at.AbsMax(r) <= rules.WorstGuess*at.AbsMax(b) {
		return true
	}
	clear(x)
	log("guess: its residual is much larger than b; the solve starts from zero")
	return false
}
