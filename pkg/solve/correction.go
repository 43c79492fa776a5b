package solve

import (
	"context"
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// correction solves A d = r as the scaled system, by the methods, preconditioners and
// precisions that follow each other. It is the krylov.Corrector of refinement.
type correction[V any, S linop.Scalar[S]] struct {
	at       place[V, S]
	scaled   *scaledMatrix
	scaling  scaling[V]
	measure  *measure[V, S]
	matrix   matrix[V, S]       // the scaled one, in reduced precision
	first    Storage            // of it, to begin with
	timed    *linop.Timed[V, S] // the matrix, timed
	attempts *attempts[V, S]
	prepare  func(context.Context, *csr.Matrix, variant, stored) (precond.Preconditioner, error)
	innerTol float64
	log      func(string)
	madeWith map[variant]precision // the matrix in use when preconditioners were set up
	saver    *saver[V, S]          // takes checkpoints of the methods; nil: none are taken
	ctx      context.Context       // of the solve under way, which interrupts setting up as well

	rhs, z V // of the scaled system
	x, r   V // x + d and its residual, for the measure
}

// Correct implements krylov.Corrector.
func (c *correction[V, S]) Correct(ctx context.Context, d, r, x V, goal krylov.Goal) krylov.Result {
	e := c.scaling.residual(c.rhs, r)
	opt := krylov.Options[V]{
		Tol: goal.To, MaxIter: goal.MaxIter, Monitor: goal.Monitor, Agree: goal.Agree,
		Unconfirmed: true, // refinement recomputes the residual
		Measure: func(z, rhs V) float64 {
			c.scaling.col.addLdexp(c.x, x, z, e)
			c.scaling.unscaled.ldexp(c.r, rhs, 1, e)
			m := c.measure.of(c.x, c.r)
			if m > goal.To && !c.plain() {
				c.matrix.storageError(c.r, c.at.AbsMax(z), c.scaling.unscaled, e)
				if m <= storageFloor*c.measure.of(c.x, c.r) {
					return goal.To // as good as it gets
				}
			}
			return m
		},
	}
	if c.innerTol > 0 {
		opt.Tol = max(opt.Tol, c.innerTol*goal.From)
	}
	a := c.attempts.now()
	if p := c.attempts.preconditioner(); p != nil {
		opt.Precond, opt.Flexible = p, precond.Varies(p.made)
	}
	onTrial := !a.last && goal.MaxIter > trialIterations
	if onTrial {
		opt.MaxIter = trialIterations
	}
	c.saver.join(&opt)
	result := a.method.Solve(ctx, c.timed, c.z, c.rhs, opt)
	if onTrial && result.Reason == krylov.IterationLimit {
		result.Reason = krylov.Stagnation
		if result.Measure <= trialReduction*goal.From {
			result.Reason = krylov.Converged // as far as this step is to
		}
	}
	c.scaling.correction(d, c.z, e)
	return result
}

// A preconditioner after which another may be tried has trialIterations to reduce
// the measure by trialReduction.
const (
	trialIterations = 1000
	trialReduction  = 0.1
)

// storageFloor is the share of the storage error to which a correction is worth
// being solved for.
const storageFloor = 0.25

// plain reports whether the matrix is stored in FP64.
func (c *correction[V, S]) plain() bool { return c.matrix.about().storage.plain() }

// Escalate implements krylov.Corrector: the matrix is stored more accurately
// or, when it is in FP64, the next method takes over.
func (c *correction[V, S]) Escalate(reason krylov.Reason) bool {
	stopped := fmt.Sprintf("%s stopped (%s)", c.attempts.now(), reason)
	if !c.plain() && reason != krylov.IndefinitePreconditioner {
		if err := c.use(c.matrix.about().storage.next(reason)); err != nil {
			return false // only a device can fail: what was stored once can be stored more accurately
		}
		c.log(fmt.Sprintf("%s: continuing with %v", stopped, c.matrix.about().storage))
		return true
	}
	next := c.attempts.current + 1
	if next == len(c.attempts.list) || c.enter(next) != nil {
		return false
	}
	c.log(fmt.Sprintf("%s: continuing with %s", stopped, c.attempts.now()))
	return true
}

// Patience implements krylov.Corrector. With a matrix in reduced precision a
// step is to reduce the measure tenfold: two that do not, or one that does not
// even halve it, show that a more accurate matrix takes less work.
func (c *correction[V, S]) Patience(reduction float64) int {
	switch {
	case c.plain():
		return krylov.DefaultPatience(reduction)
	case reduction <= 0.1:
		return -1
	case reduction <= 0.5:
		return 1
	}
	return 0
}

// begin goes back to the first method and the first precision, so that what a
// right-hand side gets does not depend on those before it.
func (c *correction[V, S]) begin(ctx context.Context) error {
	c.ctx = ctx
	if err := c.enter(0); err != nil {
		return err
	}
	if c.matrix.about().storage.same(c.first) {
		return nil
	}
	return c.use(c.first)
}

// use stores the matrix that the method multiplies with in another way.
func (c *correction[V, S]) use(t Storage) error {
	c.matrix.release()
	matrix, err := c.at.store(c.scaled.matrix(), t)
	if err == nil {
		c.matrix, c.timed.Operator = matrix, matrix
	}
	c.scaled.drop(c.matrix.about())
	return err
}

// enter goes to attempt k, or to the first after it whose preconditioner can be set up.
func (c *correction[V, S]) enter(k int) error {
	err := c.attempts.enter(k, c.setUp)
	c.scaled.drop(c.matrix.about())
	return err
}

// setUp makes a preconditioner of the scaled matrix for the place.
func (c *correction[V, S]) setUp(v variant) (krylov.Preconditioner[V], precond.Preconditioner, error) {
	with, err := c.madeOf(v)
	if err != nil {
		return nil, nil, err
	}
	made, err := c.prepare(c.ctx, c.scaled.matrix(), v, with)
	if err != nil {
		return nil, nil, err
	}
	by, err := c.matrix.upload(made)
	return by, made, err
}
