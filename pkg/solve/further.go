package solve

import (
	"context"
	"unsafe"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// further is refine with another measure, max |r_i| / w_i, and with the method and the
// preconditioner in use, which it does not change. The precision is raised where that is
// needed. It serves what follows a solve: going on with x, and estimating its error.
func (f *refinement[V, S]) further(ctx context.Context, x, b, w []float64, opt krylov.Options[vector]) (krylov.Result, error) {
	return f.settled(ctx, f.exact, x, b, w, stopWeighted, opt)
}

// roughly is further with residuals in the arithmetic of the vectors, for an x with which these are
// not small beside A x.
func (f *refinement[V, S]) roughly(ctx context.Context, x, b, w []float64, opt krylov.Options[vector]) (krylov.Result, error) {
	return f.settled(ctx, rounded[V, S]{f.exact, f.at}, x, b, w, stopWeighted, opt)
}

// rounded is an operator whose residuals are not accurate ones.
type rounded[V any, S linop.Scalar[S]] struct {
	linop.Operator[V, S]
	space linop.Space[V, S]
}

// roundable is an operator that has both.
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

// operator is that of the residuals of a solve: those of rows of n entries are rounded by (n+1) u of
// |A||x| + |b| at most ([Higham02], section 3.5), which row-wise, normwise and componentwise errors are
// relative to.
func (f *refinement[V, S]) operator(s *Solver) linop.Operator[V, S] {
	if s.opt.Stop == StopRel {
		return f.exact
	}
	return roundable[V, S]{f.exact, rounded[V, S]{f.exact, f.at}, float64(s.Facts.LongestRow+1) * f.at.Roundoff()}
}

// Residual computes r = b - A x as a product and a difference.
func (a rounded[V, S]) Residual(r, b, x V) {
	a.Apply(r, x)
	a.space.Xpay(b, a.space.Scalar(-1), r)
}

// rowwise is further with the row-wise error for measure, given the row sums of |A|.
func (f *refinement[V, S]) rowwise(ctx context.Context, x, b, sums []float64, opt krylov.Options[vector]) (krylov.Result, error) {
	return f.settled(ctx, f.exact, x, b, sums, StopRow, opt)
}

// settled refines with residuals of a, with these weights of a measure, and with what is in use.
func (f *refinement[V, S]) settled(
	ctx context.Context, a linop.Operator[V, S], x, b, w []float64, stop Stop, opt krylov.Options[vector],
) (krylov.Result, error) {
	vx, vb, vw := f.at.upload(x), f.at.upload(b), f.at.upload(w)
	defer f.at.free(vx, vb, vw)
	c := f.correction
	weighted := &measure[V, S]{at: f.at, stop: stop, weights: vw}
	weighted.begin(vb)
	c.ctx, c.measure, c.settled = ctx, weighted, true
	defer func() { c.measure, c.settled = f.measure, false }()
	f.last = [2]*float64{}
	result := f.steps.Solve(ctx, a, sameMethod[V, S]{c}, vx, vb, krylov.Options[V]{
		Tol: opt.Tol, MaxIter: opt.MaxIter, Guess: opt.Guess, Measure: weighted.of, Agree: f.at.agree(),
	})
	f.returns(x, vx)
	return result, f.at.err()
}

// correct solves A d = r once, for refinement elsewhere, to a row-wise error, given the row sums of |A|, with what is in use. If the goal says that r is what the
// last correction left, it is that times 2^-shift.
func (f *refinement[V, S]) correct(ctx context.Context, d, r, sums []float64, shift int, goal krylov.Goal) (krylov.Result, error) {
	clear(d)
	vd, vr, zero := f.at.upload(d), f.at.upload(r), f.at.New()
	defer f.at.free(vd, vr)
	c := f.correction
	f.at.Zero(zero)
	vs := f.at.upload(sums)
	defer f.at.free(vs)
	byRows := &measure[V, S]{at: f.at, stop: StopRow, weights: vs}
	byRows.begin(vr)
	c.ctx, c.measure, c.settled = ctx, byRows, true
	defer func() { c.measure, c.settled = f.measure, false }()
	f.last = [2]*float64{}
	c.exponent += shift
	goal.Agree = f.at.agree()
	result := c.Correct(ctx, vd, vr, zero, goal)
	f.at.download(d, vd)
	return result, f.at.err()
}

// raise stores the matrix more accurately; false if it is in FP64 already.
func (f *refinement[V, S]) raise(reason krylov.Reason) bool { return f.correction.raise(reason) }

// residual sets r = b - A x, accurately.
func (f *refinement[V, S]) residual(r, x, b []float64) error {
	vx, vb, vr := f.at.upload(x), f.at.upload(b), f.at.upload(r)
	defer f.at.free(vx, vb, vr)
	f.exact.Residual(vr, vb, vx)
	f.at.download(r, vr)
	return f.at.err()
}

// leftOver is residual of what the last solve of A x = b ended with, if that is this x: then it is at
// hand.
func (f *refinement[V, S]) leftOver(r, x, b []float64) error {
	if f.last != addresses(x, b) {
		return f.residual(r, x, b)
	}
	f.at.download(r, f.steps.Residual())
	return f.at.err()
}

// addresses are where two vectors lie.
func addresses(x, b []float64) [2]*float64 {
	return [2]*float64{unsafe.SliceData(x), unsafe.SliceData(b)}
}

// sameMethod is a correction that keeps its method and its preconditioner.
type sameMethod[V any, S linop.Scalar[S]] struct{ *correction[V, S] }

// Escalate implements krylov.Corrector.
func (c sameMethod[V, S]) Escalate(reason krylov.Reason) bool { return c.raise(reason) }
