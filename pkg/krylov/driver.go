package krylov

import (
	"context"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// An iteration is the formulas of a method, which leaves it to its driver when to stop.
type iteration[V any, S linop.Scalar[S]] interface {
	// start begins at the residual r.
	start() Reason

	// step updates x and r and returns the scalars that it is judged by. The Reason is
	// Running; or Converged, where half a step will do; or why there is no step.
	step() (scalars[S], Reason)

	// check looks at the scalars of a step that has not converged. The Reason is Running;
	// or again, to start again from r; or why the next step is impossible.
	check(s scalars[S], rnorm float64) Reason

	// direction prepares the next step.
	direction() Reason

	keeper[V, S]
}

// scalars are r·r after a step and what check looks at besides.
type scalars[S any] struct{ rr, rho, omega S }

// A driver solves A x = b by an iteration: it judges convergence, confirms it, and starts
// the iteration again where that fails. On an asynchronous space checks are deferred.
type driver[V any, S linop.Scalar[S]] struct {
	space    linop.Space[V, S]
	r        V // b - A x
	pre      preconditioned[V, S]
	deferred deferral[V, S]
	c        convergence[V]

	a    linop.Operator[V, S] // of the solve in progress, as are x and b
	x, b V
	rr   S // r·r

	trueR  V // for drifts, once it has looked
	looked bool

	restarts int // that are left

	ended float64 // ||r|| at which the last solve converged after a step; 0: it did not
}

func newDriver[V any, S linop.Scalar[S]](space linop.Space[V, S], deferred deferral[V, S]) driver[V, S] {
	return driver[V, S]{space: space, r: space.New(), pre: preconditioned[V, S]{space: space, shared: shared(space)}, deferred: deferred}
}

// solve runs an iteration, which is started again `restarts` times at most. The method
// stagnates after `window` iterations without a new least residual.
func (d *driver[V, S]) solve(
	ctx context.Context, it iteration[V, S], a linop.Operator[V, S], x, b V, opt Options[V], window, restarts int,
) Result {
	reason := d.begin(ctx, a, x, b, opt, window)
	d.deferred.begin(opt.Flexible || opt.Prompt)
	for d.restarts = restarts; reason == Running; d.restarts-- {
		if d.restarts < 0 {
			return d.end(Breakdown)
		}
		if reason = d.run(it); reason == NotFinite && !d.deferred.immediate() {
			reason = d.rewind()
			d.restarts++
		}
	}
	return d.end(reason)
}

// begin computes the first residual r = b - A x (x = 0 unless a guess is given). A Reason
// other than Running means that there is nothing to do: b = 0 has the solution x = 0, the
// guess may be good enough, and a norm may be out of range. A window of 0 is none.
func (d *driver[V, S]) begin(ctx context.Context, a linop.Operator[V, S], x, b V, opt Options[V], window int) Reason {
	d.a, d.x, d.b, d.pre.by = a, x, b, opt.Precond
	if _, ok := d.space.(linop.Async[V, S]); ok {
		opt.Checkpoint = nil
	}
	bb := d.space.Dot(b, b)
	if isZero(d.space, b, bb, d.r) {
		d.space.Zero(x)
		d.c.begin(ctx, opt, window, 1, 0)
		return ZeroRHS
	}
	switch {
	case opt.Resume != nil:
		d.c.begin(ctx, opt, window, norm(bb), norm(bb))
		return Running
	case opt.Guess:
		d.residual()
	default:
		d.space.Zero(x)
		d.space.Copy(d.r, b)
		d.rr = bb
	}
	bnorm, rnorm := norm(bb), norm(d.rr)
	if reason := d.c.first(ctx, opt, window, bnorm, rnorm); reason != Running {
		return reason
	}
	return d.c.judge(x, d.r, rnorm)
}

// end returns the result of a solve and drops what belongs to the caller.
func (d *driver[V, S]) end(reason Reason) Result {
	var none V
	result := d.c.result
	d.a, d.x, d.b, d.pre.by, d.c = nil, none, none, nil, convergence[V]{}
	result.Reason = reason
	return result
}

// residual recomputes r, and returns its norm.
func (d *driver[V, S]) residual() (rnorm float64) {
	d.a.Residual(d.r, d.b, d.x)
	d.rr = d.space.Dot(d.r, d.r)
	return norm(d.rr)
}

// applyT computes dst = A^T src.
func (d *driver[V, S]) applyT(dst, src V) { d.a.(linop.Transposer[V, S]).ApplyT(dst, src) }

// flexible reports whether the preconditioner is taken for another map each time.
func (d *driver[V, S]) flexible() bool { return d.c.opt.Flexible }

// run iterates from r until there is a reason to end, or, if that is Running, to start
// again.
func (d *driver[V, S]) run(it iteration[V, S]) (reason Reason) {
	if d.c.opt.Resume == nil {
		reason = it.start()
	} else {
		d.resume(it)
	}
	d.ended = 0
	d.deferred.save(d.x, d.c.result.Iterations)
	for reason == Running {
		if reason = d.pause(it); reason != Running {
			break
		}
		var s scalars[S]
		if s, reason = it.step(); reason != Running {
			break
		}
		d.rr = s.rr
		var judged bool
		if judged, reason = d.judge(it, s); reason != Running {
			if judged && reason == Converged {
				d.ended = norm(s.rr)
			}
			break
		}
		if reason = it.direction(); !judged {
			d.deferred.async.Forget(s.rr)
		}
	}
	switch reason {
	case Converged:
		return d.confirm()
	case again:
		return Running
	}
	return reason
}

// judge counts a step and says whether to go on, by its scalars or, on an asynchronous
// space, by those of the step before; judged is false if that is deferred.
func (d *driver[V, S]) judge(it iteration[V, S], s scalars[S]) (judged bool, reason Reason) {
	c := &d.c
	c.result.Iterations++
	last := !d.deferred.immediate() && c.agree(c.limit()) != Running
	s, at, reason := d.deferred.due(s, d.x, c.result.Iterations, last)
	if at == 0 || reason != Running {
		return false, reason
	}
	rnorm := norm(s.rr)
	if !finite(rnorm) && !d.deferred.immediate() {
		return true, NotFinite
	}
	if reason = c.observe(at, rnorm); reason != Running {
		return true, reason
	}
	d.deferred.trust(d.x, at)
	if reason = c.judge(d.x, d.r, rnorm); reason != Running {
		return true, reason
	}
	if d.drifts() {
		return true, c.agree(Drift)
	}
	return true, it.check(s, rnorm)
}

// gap is the share of the true residual that the one of the recurrence may be off by.
const gap = 0.1

// drifts reports whether r is not the residual of x any more, where it is time to look.
func (d *driver[V, S]) drifts() bool {
	every := d.c.opt.Gap
	if every == 0 || d.c.result.Iterations%every != 0 || !d.deferred.immediate() {
		return false
	}
	if !d.looked {
		d.trueR, d.looked = d.space.New(), true
	}
	d.a.Residual(d.trueR, d.b, d.x)
	rr := d.space.Dot(d.trueR, d.trueR)
	return norm(d.space.AxpyDot(d.space.Scalar(-1), d.r, d.trueR, d.trueR)) > gap*norm(rr)
}

// check is the check of an iteration that has nothing to examine.
func (*driver[V, S]) check(scalars[S], float64) Reason { return Running }

// direction is the direction of an iteration that has nothing to prepare.
func (*driver[V, S]) direction() Reason { return Running }

// confirm is called where r, which is updated along with x, meets the tolerance: it
// recomputes r = b - A x, one product. The Reason is Converged if that meets the tolerance
// too, or nearly; Drift if it is hardly better than the one before that did not; Running
// if the method should start again from r.
func (d *driver[V, S]) confirm() Reason {
	c := &d.c
	if c.opt.Unconfirmed {
		return Converged
	}
	rnorm, claimed := d.residual(), c.claimed
	c.restart(d.x, d.r, rnorm)
	reason := Drift
	switch {
	case !finite(rnorm):
		reason = NotFinite
	case c.measure <= nearly*c.opt.Tol:
		reason = Converged
	case rnorm == 0:
		reason = Breakdown
	case c.measure <= claimed/2:
		reason = c.limit()
	}
	return c.agree(reason)
}

// rewind goes back to the x of the last sound check. The steps that follow are judged one
// by one, so that the Reason is the one that the host finds.
func (d *driver[V, S]) rewind() Reason {
	at := d.deferred.rewind(d.x)
	rnorm := d.residual()
	if !finite(rnorm) {
		d.c.result.Iterations = at
		return NotFinite
	}
	d.c.rewind(at)
	return d.c.judge(d.x, d.r, rnorm)
}

// positive returns v, by which an iteration is about to divide or which it divides, and
// `otherwise` if it is not positive. On an asynchronous space that is a fault instead.
func (d *driver[V, S]) positive(v S, otherwise Reason) (S, Reason) {
	if !d.deferred.immediate() {
		return d.deferred.async.Positive(v), Running
	}
	return v, usable(v.Float(), v.Float() > 0, otherwise)
}

// nonzero is Breakdown if v, by which an iteration is about to divide, is zero. On an
// asynchronous space that is a fault instead.
func (d *driver[V, S]) nonzero(v S) Reason {
	if !d.deferred.immediate() {
		return Running
	}
	return usable(v.Float(), v.Float() != 0, Breakdown)
}

// usable is Running if v is finite and ok, and otherwise the reason not to go on.
func usable(v float64, ok bool, otherwise Reason) Reason {
	switch {
	case !finite(v):
		return NotFinite
	case !ok:
		return otherwise
	}
	return Running
}

// norm is the norm of a vector v, given v·v.
func norm[S linop.Scalar[S]](vv S) float64 { return vv.Sqrt().Float() }

// leastNorm is the norm below which squares of elements may vanish.
const leastNorm = 0x1p-500

// isZero reports whether v = 0, given v·v, which is zero for tiny v as well.
func isZero[V any, S linop.Scalar[S]](space linop.Space[V, S], v V, vv S, work V) bool {
	if vv.Float() != 0 {
		return false
	}
	space.Copy(work, v)
	space.Scale(space.Scalar(0x1p600), work)
	return space.Dot(work, work).Float() == 0
}

func finite(x float64) bool { return x-x == 0 }

// replacing reports whether r replaces the residual at which the last solve ended, and is
// near enough to it for what that solve knew to hold. What the two differ by is no part of the
// Krylov space; where it adds to the norm, it is better to start anew.
func (d *driver[V, S]) replacing() bool {
	scale := d.c.opt.Replaces
	return scale != 0 && !d.c.opt.Guess && d.ended != 0 && d.deferred.immediate() && norm(d.rr) <= deviation*scale*d.ended
}

// deviation is the growth of a residual that is replaced up to which its successor goes on.
const deviation = 1.1
