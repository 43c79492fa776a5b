package krylov

import (
	"context"
	"math"
)

// convergence decides when a method stops. The norm of the residual that the method
// updates is free and checked in every iteration; the measure costs a pass over the
// vectors, so it is taken only when the norm has fallen far enough that it could be below
// the tolerance.
type convergence[V any] struct {
	opt     Options[V]
	ctx     context.Context
	done    <-chan struct{}
	window  int     // iterations without a new least residual that are too many
	bnorm   float64 // ||b||: residuals are reported relative to it
	start   float64 // ||r|| at the start
	least   float64 // least ||r|| so far
	leastAt int     // and its iteration
	check   float64 // ||r|| at which to take the measure next
	measure float64 // the last value taken
	at      float64 // ||r|| when it was taken
	claimed float64 // the true measure when the tolerance was last thought met
	fresh   bool    // a cycle has begun anew
	seen    int     // the last iteration that was judged
	stop    Reason  // agreed on; Running: none yet
	result  Result
}

// begin prepares for a solve that starts with ||r|| = rnorm.
func (c *convergence[V]) begin(ctx context.Context, opt Options[V], window int, bnorm, rnorm float64) {
	*c = convergence[V]{
		opt: opt.withDefaults(), ctx: ctx, done: watched(ctx, opt), window: window,
		bnorm: bnorm, start: rnorm, least: rnorm, measure: 1, at: rnorm,
		claimed: math.Inf(1),
	}
	c.check = rnorm // so that a good guess is seen at once
	if c.opt.Measure == nil {
		c.measure = rnorm / bnorm
		c.check = c.opt.Tol * bnorm
	}
	c.result.Residual = rnorm / bnorm
	c.result.Measure = c.measure
}

// first is begin: NotFinite if a norm is not, or too small to be told from zero.
func (c *convergence[V]) first(ctx context.Context, opt Options[V], window int, bnorm, rnorm float64) Reason {
	c.begin(ctx, opt, window, bnorm, rnorm)
	least := bnorm
	if opt.Measure == nil {
		least *= c.opt.Tol
	}
	if !finite(rnorm) || !finite(bnorm) || least < leastNorm {
		return NotFinite
	}
	return Running
}

// step records one more iteration that ended with ||r|| = rnorm and says
// whether to stop for a reason other than convergence.
func (c *convergence[V]) step(rnorm float64) Reason {
	c.result.Iterations++
	return c.observe(c.result.Iterations, rnorm)
}

// observe is step for an iteration that has been counted.
func (c *convergence[V]) observe(iteration int, rnorm float64) Reason {
	c.seen = iteration
	c.result.Residual = rnorm / c.bnorm
	if rnorm < c.least {
		c.least, c.leastAt = rnorm, iteration
	}
	if c.opt.Monitor != nil {
		c.opt.Monitor(Event{
			Iteration: iteration,
			Residual:  c.result.Residual,
			Estimate:  c.estimate(rnorm),
			Restart:   c.fresh,
		})
		c.fresh = false
	}
	switch {
	case math.IsNaN(rnorm) || math.IsInf(rnorm, 0):
		return NotFinite
	case rnorm > divergenceTol*c.start:
		return Divergence
	}
	return Running
}

// limit says whether the solve must end although it could go on. Methods ask
// after they have found that they have not converged.
func (c *convergence[V]) limit() Reason { return c.limitAt(c.result.Iterations) }

// limitAt is limit after so many iterations.
func (c *convergence[V]) limitAt(iterations int) Reason {
	if c.stop != Running {
		return c.stop
	}
	select {
	case <-c.done:
		return Ended(c.ctx)
	default:
	}
	switch {
	case iterations >= c.opt.MaxIter:
		return IterationLimit
	case c.window > 0 && iterations-c.leastAt >= c.window:
		return Stagnation
	case c.opt.Watch != nil:
		return c.opt.Watch(Progress{iterations, c.result.Projections, c.estimate(c.least), c.result.Residual})
	}
	return Running
}

// agree returns the reason that all who share the solve agree on. A limit, or a reason
// that others had, is final: limit returns it from then on.
func (c *convergence[V]) agree(own Reason) Reason {
	if c.opt.Agree == nil {
		return own
	}
	common := c.opt.Agree(own)
	if common.final() || common != own && common < 0 {
		c.stop = common
	}
	return common
}

// reached reports whether the measure of x, r with ||r|| = rnorm is at most
// the tolerance; it takes the measure only if rnorm is low enough.
func (c *convergence[V]) reached(x, r V, rnorm float64) bool {
	return c.near(rnorm) && c.take(x, r, rnorm)
}

// near reports whether the measure at ||r|| = rnorm could be below the tolerance.
func (c *convergence[V]) near(rnorm float64) bool { return !(rnorm > c.check) }

// judge says whether to go on from x and r with ||r|| = rnorm. The limits hold for the
// last iteration; where an earlier one is judged, they wait for the next check.
func (c *convergence[V]) judge(x, r V, rnorm float64) Reason {
	reason := Running
	switch {
	case c.reached(x, r, rnorm):
		reason = Converged
	case rnorm == 0:
		reason = Breakdown
	case c.seen == c.result.Iterations:
		reason = c.limit()
	}
	return c.agree(reason)
}

// take takes the measure and sets the norm at which to take it again: where it
// would meet the tolerance if it fell in proportion to ||r||, but after one
// decade at most, since it need not.
func (c *convergence[V]) take(x, r V, rnorm float64) bool {
	m := rnorm / c.bnorm
	if c.opt.Measure != nil {
		m = c.opt.Measure(x, r)
	}
	c.measure, c.at, c.result.Measure = m, rnorm, m
	if m <= c.opt.Tol {
		return true
	}
	c.check = rnorm * min(0.9, max(0.25, c.opt.Tol/m))
	return false
}

// estimate predicts the measure at ||r|| = rnorm from the last one taken.
func (c *convergence[V]) estimate(rnorm float64) float64 { return c.measure * rnorm / c.at }

// target is the ||r|| at which the measure should meet the tolerance.
func (c *convergence[V]) target() float64 { return c.at * c.opt.Tol / c.measure }

// hopeless reports whether, at the rate of `reduction` per so many iterations,
// the tolerance is out of reach of the iterations that are left.
func (c *convergence[V]) hopeless(reduction float64, iterations int) bool {
	if reduction >= 1 {
		return true
	}
	needed := float64(iterations) * math.Log(c.opt.Tol/c.measure) / math.Log(reduction)
	return needed > hopeless*float64(c.opt.MaxIter-c.result.Iterations)
}

// restart goes on from r = b - A x, recomputed, with ||r|| = rnorm.
func (c *convergence[V]) restart(x, r V, rnorm float64) {
	c.result.Residual = rnorm / c.bnorm
	c.take(x, r, rnorm)
	c.claimed = c.measure
	c.least, c.leastAt = rnorm, c.result.Iterations
}

// rewind goes back to an iteration.
func (c *convergence[V]) rewind(iteration int) { c.result.Iterations, c.seen = iteration, iteration }

// nearly is the multiple of the tolerance that confirms that it has been met: what
// rounding leaves of a residual that is updated.
const nearly = 2
