package krylov

import (
	"context"
	"math"

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
	Further  bool    // r is what the last correction left, recomputed, and nothing else has changed
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
	at         refining[V]

	MaxSteps int // refinement steps; 0: no limit, 1: the method alone
}

// Residual is b - A x of the x with which the last Solve returned, unless that was for b = 0. It is
// overwritten by the next.
func (f *Refinement[V, S]) Residual() V { return f.r }

// refining is where refinement is.
type refining[V any] struct {
	x        V
	total    Result // of the steps done
	slow     int    // steps that tried the Corrector's patience
	progress bool   // of the last step
	further  bool   // see Goal; not kept in a State, since the step in progress does not need it
	escalate Reason // what Escalate is called for next; Running: Correct is next
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
// approximation found and Result.Measure its true measure. With opt.Resume it goes
// on from what State returned; opt.Checkpoint has no effect, see State.
func (f *Refinement[V, S]) Solve(
	ctx context.Context, a linop.Operator[V, S], corrector Corrector[V], x, b V, opt Options[V],
) Result {
	opt = opt.withDefaults()
	reason := f.begin(a, x, b, opt)
	for reason == Running {
		if f.at.escalate == Running {
			if reason = f.judge(opt); reason == Running {
				reason = f.step(ctx, a, corrector, b, opt)
			}
		}
		if reason == Running && f.at.escalate != Running {
			reason = f.escalate(corrector)
		}
	}
	total := f.at.total
	f.at = refining[V]{}
	total.Reason = reason
	return total
}

// begin computes r for the first x, or goes back to where a solve was interrupted.
func (f *Refinement[V, S]) begin(a linop.Operator[V, S], x, b V, opt Options[V]) Reason {
	f.at = refining[V]{x: x}
	switch {
	case opt.Resume != nil:
		f.restore(opt.Resume)
		return Running
	case opt.Guess:
		a.Residual(f.r, b, x)
	default:
		f.space.Zero(x)
		f.space.Copy(f.r, b)
	}
	if isZero(f.space, b, f.space.Dot(b, b), f.best) {
		f.space.Zero(x)
		return ZeroRHS
	}
	f.at.total.Measure = opt.Measure(x, f.r)
	return Running
}

// judge says whether to go on with another step.
func (f *Refinement[V, S]) judge(opt Options[V]) Reason {
	total := &f.at.total
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
	if reason == Running && f.MaxSteps > 0 && total.Outer == f.MaxSteps {
		if reason = total.Reason; reason.Converged() {
			reason = Drift
		}
	}
	return reason
}

// step corrects x, and decides what to do next.
func (f *Refinement[V, S]) step(
	ctx context.Context, a linop.Operator[V, S], corrector Corrector[V], b V, opt Options[V],
) Reason {
	x, total := f.at.x, &f.at.total
	before, size, left := total.Measure, f.norm(x), f.norm(f.r)
	inner := corrector.Correct(ctx, f.d, f.r, x, Goal{
		From: before, To: reach * opt.Tol,
		MaxIter: opt.MaxIter - total.Iterations,
		Further: f.at.further,
		Monitor: f.observe(opt.Monitor, *total),
		Agree:   opt.Agree,
	})
	total.Outer++
	total.Iterations += inner.Iterations
	total.Projections += inner.Projections
	total.Basis.Elements += inner.Basis.Elements
	total.Basis.Bytes += inner.Basis.Bytes
	total.Basis.Read += inner.Basis.Read
	total.Orthogonalization += inner.Orthogonalization
	total.Residual = inner.Residual
	total.Reason = inner.Reason

	f.space.Copy(f.best, x)
	f.space.Axpy(f.space.Scalar(1), f.d, x)
	total.Measure = f.residual(a, b, opt)
	blown := size > 0 && f.norm(x)/size*total.Measure > inflated*before && f.norm(f.r) > inflated*left
	f.at.further = total.Measure < before && !blown
	if !f.at.further { // no better: take it back
		f.space.Copy(x, f.best)
		a.Residual(f.r, b, x)
		total.Measure = before
	}
	if total.Iterations >= opt.MaxIter && !inner.Reason.final() {
		inner.Reason = IterationLimit
	}
	if inner.Reason.final() && total.Measure > opt.Tol {
		return inner.Reason
	}
	if f.MaxSteps > 0 && total.Outer == f.MaxSteps {
		return Running // no step is left that a stronger method could do
	}
	f.next(corrector, inner.Reason, total.Measure/before, opt.Tol)
	return Running
}

// inflated is by how much a step may enlarge the residual, and its measure beside the size of the x before. The larger x is, the
// smaller are backward errors: a correction by a matrix with large errors, which makes x huge, would look like a success.
const inflated = 1000

func (f *Refinement[V, S]) norm(v V) float64 { return norm(f.space.Dot(v, v)) }

// A RoundedOperator has residuals in the arithmetic of the vectors as well, which take one product, where
// accurate ones take several.
type RoundedOperator[V any] interface {
	// RoundedResidual sets r = b - A x but for roundings.
	RoundedResidual(r, b, x V)
	// Roundings is what these change in Options.Measure, at most.
	Roundings() float64
}

// accurate is the multiple of its roundings from which a measure is accurate enough to go on with.
const accurate = 1000

// residual recomputes r, accurately unless roundings are far below its measure, and do not decide
// whether that meets the tolerance. It returns the measure.
func (f *Refinement[V, S]) residual(a linop.Operator[V, S], b V, opt Options[V]) (measure float64) {
	x := f.at.x
	if by, ok := a.(RoundedOperator[V]); ok {
		by.RoundedResidual(f.r, b, x)
		m, e := opt.Measure(x, f.r), by.Roundings()
		if finite(m) && m >= accurate*e && math.Abs(m-opt.Tol) > e {
			return m
		}
	}
	a.Residual(f.r, b, x)
	return opt.Measure(x, f.r)
}

// next decides whether the same corrections go on after one that ended with a reason and
// multiplied the measure by reduction.
func (f *Refinement[V, S]) next(corrector Corrector[V], reason Reason, reduction, tol float64) {
	patience := corrector.Patience(reduction)
	f.at.progress = patience < 0
	if f.at.progress && reason.retry() {
		f.at.slow = 0
		return
	}
	if f.at.slow++; reason.Converged() && f.at.slow <= patience {
		return
	}
	if reason.Converged() {
		reason = Slow
	}
	if f.at.slow = 0; f.at.total.Measure > tol {
		f.at.escalate = reason
	}
}

// escalate lets the corrector switch to something stronger; the Reason is why there is
// nothing to go on with.
func (f *Refinement[V, S]) escalate(corrector Corrector[V]) Reason {
	reason := f.at.escalate
	f.at.further = false
	ok := corrector.Escalate(reason)
	f.at.escalate = Running
	switch {
	case ok || f.at.progress && reason == Stagnation: // a fresh residual may get it further
		return Running
	case reason == Slow:
		return Stagnation
	}
	return reason
}

// observe passes the inner method's events on as events of the whole solve, of the step
// after those of total.
func (f *Refinement[V, S]) observe(monitor Monitor, total Result) Monitor {
	if monitor == nil {
		return nil
	}
	return func(e Event) {
		e.Outer = total.Outer + 1
		e.Iteration += total.Iterations
		e.Estimate, e.Measured = total.Measure*e.Residual, total.Measure
		monitor(e)
	}
}
