package krylov

import (
	"context"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// A Corrector solves A d = r approximately, for refinement: in another
// precision, scaled, by any method.
type Corrector[V any] interface {
	// Correct sets d so that x + d meets the goal, r being b - A x.
	Correct(ctx context.Context, d, r, x V, goal Goal) Result

	// Escalate is called when corrections no longer help, with the reason, and
	// switches to something stronger (more precision, another method). It returns
	// false when nothing is left.
	Escalate(reason Reason) bool

	// Patience returns how many steps in a row may multiply the measure by no less
	// than reduction before Escalate is called; a negative number if that is progress.
	Patience(reduction float64) int
}

// DefaultPatience is the Patience of an ordinary Corrector: a step should halve the
// measure; one that does not is tried once more.
func DefaultPatience(reduction float64) int {
	if reduction <= 0.5 {
		return -1
	}
	return 1
}

// Goal is what a correction is to reach.
type Goal struct {
	From, To float64 // the measure of x, and the one wanted of x + d
	MaxIter  int     // at least 1
	Monitor  Monitor // may be nil

	Agree func(Reason) Reason // of Options; may be nil
}

// Refinement is iterative refinement ([Higham02], chapter 12):
//
//	r = b - A x,  A d = r approximately,  x += d
//
// until the measure of x, r meets the tolerance. The residual is always
// recomputed from A, x and b, so it cannot drift; only the corrections come
// from a Krylov method. Memory: 3 n-vectors besides x and b.
type Refinement[V any, S linop.Scalar[S]] struct {
	space      linop.Space[V, S]
	r, d, best V

	MaxSteps int // refinement steps; 0: no limit, 1: the method alone
}

// NewRefinement returns a refinement with its work vectors in space.
func NewRefinement[V any, S linop.Scalar[S]](space linop.Space[V, S]) *Refinement[V, S] {
	return &Refinement[V, S]{space: space, r: space.New(), d: space.New(), best: space.New()}
}

// reach is how far below the tolerance a correction aims, since the recomputed
// residual differs from the one that the method sees.
const reach = 0.5

// Solve refines x (zero, or the guess that opt announces) until opt.Measure,
// which must not be nil, is at most opt.Tol. On return x is the best
// approximation found and Result.Measure its true measure.
func (f *Refinement[V, S]) Solve(
	ctx context.Context, a linop.Operator[V, S], corrector Corrector[V], x, b V, opt Options[V],
) Result {
	opt = opt.withDefaults()
	one := f.space.Scalar(1)
	var total Result
	if opt.Guess {
		a.Residual(f.r, b, x)
	} else {
		f.space.Zero(x)
		f.space.Copy(f.r, b)
	}
	if isZero(f.space, b, f.space.Dot(b, b), f.best) {
		f.space.Zero(x)
		total.Reason = ZeroRHS
		return total
	}
	total.Measure = opt.Measure(x, f.r)
	for slow := 0; ; {
		reason := Running
		switch {
		case total.Measure <= opt.Tol:
			reason = Converged
		case !finite(total.Measure):
			reason = NotFinite
		}
		if opt.Agree != nil {
			reason = opt.Agree(reason)
		}
		if reason != Running {
			total.Reason = reason
			return total
		}
		if f.MaxSteps > 0 && total.Outer == f.MaxSteps {
			if total.Reason.Converged() {
				total.Reason = Drift
			}
			return total
		}
		total.Outer++
		before := total.Measure
		inner := corrector.Correct(ctx, f.d, f.r, x, Goal{
			From: before, To: reach * opt.Tol,
			MaxIter: opt.MaxIter - total.Iterations,
			Monitor: f.observe(opt.Monitor, total),
			Agree:   opt.Agree,
		})
		total.Iterations += inner.Iterations
		total.Projections += inner.Projections
		total.Orthogonalization += inner.Orthogonalization
		total.Residual = inner.Residual
		total.Reason = inner.Reason

		f.space.Copy(f.best, x)
		f.space.Axpy(one, f.d, x)
		a.Residual(f.r, b, x)
		total.Measure = opt.Measure(x, f.r)
		if !(total.Measure < before) { // no better: take it back
			f.space.Copy(x, f.best)
			a.Residual(f.r, b, x)
			total.Measure = before
		}
		if total.Iterations >= opt.MaxIter && !inner.Reason.final() {
			inner.Reason = IterationLimit
		}
		if inner.Reason.final() && total.Measure > opt.Tol {
			total.Reason = inner.Reason
			return total
		}
		if f.MaxSteps > 0 && total.Outer == f.MaxSteps {
			continue // no step is left that a stronger method could do
		}
		patience := corrector.Patience(total.Measure / before)
		progress := patience < 0
		if progress && inner.Reason.retry() {
			slow = 0
			continue
		}
		if slow++; inner.Reason.Converged() && slow <= patience {
			continue
		}
		if reason = inner.Reason; reason.Converged() {
			reason = Slow
		}
		if total.Measure > opt.Tol && !corrector.Escalate(reason) {
			if !progress || reason != Stagnation {
				if reason == Slow {
					reason = Stagnation
				}
				total.Reason = reason
				return total
			} // else a fresh residual may get it further
		}
		slow = 0
	}
}

// observe passes the inner method's events on as events of the whole solve.
func (f *Refinement[V, S]) observe(monitor Monitor, total Result) Monitor {
	if monitor == nil {
		return nil
	}
	return func(e Event) {
		e.Outer = total.Outer
		e.Iteration += total.Iterations
		e.Estimate = total.Measure * e.Residual
		monitor(e)
	}
}
