package refine

import (
	"context"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Further is Refine with the measure max |r_i| / w_i. It keeps the method and the preconditioner in use, and raises the
// precision where needed. It serves the work after a solve: going on with x, and estimating its error.
func (f *Refinement[V, S]) Further(ctx context.Context, x, b, w []float64, opt krylov.Options[vector]) (krylov.Result, error) {
	return f.settled(ctx, f.Exact, x, b, w, backend.StopWeighted, opt)
}

// Roughly is Further with residuals in the arithmetic of the vectors. It is for an x whose residual is not small beside A x.
func (f *Refinement[V, S]) Roughly(ctx context.Context, x, b, w []float64, opt krylov.Options[vector]) (krylov.Result, error) {
	return f.settled(ctx, rounded[V, S]{f.Exact, f.At}, x, b, w, backend.StopWeighted, opt)
}

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
	return f.settled(ctx, f.Exact, x, b, sums, solve.StopRow, opt)
}

// settled refines with residuals of a and a weighted measure, by the method and the preconditioner in use.
func (f *Refinement[V, S]) settled(
	ctx context.Context, a linop.Operator[V, S], x, b, w []float64, stop solve.Stop, opt krylov.Options[vector],
) (krylov.Result, error) {
	vx, vb, vw := f.At.FromHost(x), f.At.FromHost(b), f.At.FromHost(w)
	defer f.At.GiveBack(vx, vb, vw)
	c := f.Correction
	weighted := &backend.Measure[V, S]{At: f.At, Stop: stop, Weights: vw}
	weighted.Begin(vb)
	c.Ctx, c.Measure, c.settled = ctx, weighted, true
	defer func() { c.Measure, c.settled = f.Measure, false }()
	f.last = [2]*float64{}
	result := f.Steps.Solve(ctx, a, sameMethod[V, S]{c}, vx, vb, krylov.Options[V]{
		Tol: opt.Tol, MaxIter: opt.MaxIter, Guess: opt.Guess, Measure: weighted.Of, Agree: f.At.Agree(),
	})
	f.returns(x, vx)
	return result, f.At.Fault()
}

// Correct solves A d = r once to a row-wise error, given the row sums of |A|, by the method and the preconditioner in use. It is for
// refinement by the caller. If goal.Further says that r is the residual of the last correction, r is that residual times 2^-shift.
func (f *Refinement[V, S]) Correct(ctx context.Context, d, r, sums []float64, shift int, goal krylov.Goal) (krylov.Result, error) {
	clear(d)
	vd, vr, zero := f.At.FromHost(d), f.At.FromHost(r), f.At.New()
	defer f.At.GiveBack(vd, vr)
	c := f.Correction
	f.At.Zero(zero)
	vs := f.At.FromHost(sums)
	defer f.At.GiveBack(vs)
	byRows := &backend.Measure[V, S]{At: f.At, Stop: solve.StopRow, Weights: vs}
	byRows.Begin(vr)
	c.Ctx, c.Measure, c.settled = ctx, byRows, true
	defer func() { c.Measure, c.settled = f.Measure, false }()
	f.last = [2]*float64{}
	c.exponent += shift
	goal.Agree = f.At.Agree()
	result := c.Correct(ctx, vd, vr, zero, goal)
	f.At.ToHost(d, vd)
	return result, f.At.Fault()
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

// LeftOver is Residual. It copies the residual of the last solve of A x = b if that solve ended with this x.
func (f *Refinement[V, S]) LeftOver(r, x, b []float64) error {
	if f.last != addresses(x, b) {
		return f.Residual(r, x, b)
	}
	f.At.ToHost(r, f.Steps.Residual())
	return f.At.Fault()
}

// addresses returns the addresses of two vectors.
func addresses(x, b []float64) [2]*float64 {
	return [2]*float64{unsafe.SliceData(x), unsafe.SliceData(b)}
}

// sameMethod is a correction that keeps its method and its preconditioner.
type sameMethod[V any, S linop.Scalar[S]] struct{ *Correction[V, S] }

// Escalate implements krylov.Corrector.
func (c sameMethod[V, S]) Escalate(reason krylov.Reason) bool { return c.Raise(reason) }

// Tighter is the ratio of the tolerance of the solve to the tolerance of the verdict: small enough that rounding in the measure cannot
// make them disagree.
const Tighter = 1 - 0x1p-30
