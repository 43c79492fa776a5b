package solve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// correction solves A d = r as the scaled system
//
//	(s D_r A D_c) z = s D_r r / 2^e,  d = 2^e D_c z
//
// where 2^e is the magnitude of the right-hand side, so that no inner product over-
// or underflows.
type correction[V any, S linop.Scalar[S]] struct {
	at           place[V, S]
	attempts     []*attempt[V, S]
	current      int                                 // the one in use
	first        Storage                             // of the matrix, to begin with
	matrix       matrix[V, S]                        // s D_r A D_c, in reduced precision
	scaled       *linop.Timed[V, S]                  // the same, timed
	store        func(Storage) (matrix[V, S], error) // stores it in another precision
	precondition func(candidate) (*preconditioner[V], error)
	made         map[candidate]*preconditioner[V] // by precondition so far; nil: it failed
	settingUp    time.Duration                    // these
	innerTol     float64
	log          func(string)

	rhs, z V // of the scaled system
}

// Correct implements krylov.Corrector.
func (c *correction[V, S]) Correct(ctx context.Context, d, r, x V, goal krylov.Goal) krylov.Result {
	e := c.at.scale(c.rhs, r)
	opt := krylov.Options[V]{
		Tol: goal.To, MaxIter: goal.MaxIter, Monitor: goal.Monitor,
		Unconfirmed: true, // refinement recomputes the residual
		Measure: func(z, rhs V) float64 {
			m := c.at.corrected(x, z, rhs, e)
			if m > goal.To && c.matrix.storageError != nil && m <= storageFloor*c.matrix.storageError(z, e) {
				return goal.To // as good as it gets
			}
			return m
		},
	}
	if c.innerTol > 0 {
		opt.Tol = max(opt.Tol, c.innerTol*goal.From)
	}
	a := c.attempt()
	if p := c.made[a.candidate]; p != nil {
		opt.Precond, opt.Flexible = p, precond.Varies(p.made)
	}
	onTrial := !a.last && goal.MaxIter > trialIterations
	if onTrial {
		opt.MaxIter = trialIterations
	}
	result := a.method.Solve(ctx, c.scaled, c.z, c.rhs, opt)
	if onTrial && result.Reason == krylov.IterationLimit {
		result.Reason = krylov.Stagnation
		if result.Measure <= trialReduction*goal.From {
			result.Reason = krylov.Converged // as far as this step is to
		}
	}
	c.at.unscale(d, c.z, e)
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

// Escalate implements krylov.Corrector: the matrix is stored more accurately
// or, when it is in FP64, the next method takes over.
func (c *correction[V, S]) Escalate(reason krylov.Reason) bool {
	stopped := fmt.Sprintf("%s stopped (%s)", c.attempt(), reason)
	if !c.matrix.storage.plain() && reason != krylov.IndefinitePreconditioner {
		if err := c.use(c.matrix.storage.next(reason)); err != nil {
			return false // only a device can fail: what was stored once can be stored more accurately
		}
		c.log(fmt.Sprintf("%s: continuing with %v", stopped, c.matrix.storage))
		return true
	}
	if c.current == len(c.attempts)-1 || c.enter(c.current+1) != nil {
		return false
	}
	c.log(fmt.Sprintf("%s: continuing with %s", stopped, c.attempt()))
	return true
}

// enter goes to attempt k, or to the first after it whose preconditioner can be set
// up.
func (c *correction[V, S]) enter(k int) error {
	for ; ; k++ {
		a := c.attempts[k]
		p, known := c.made[a.candidate]
		if !known && a.kind != precond.None {
			var err error
			start := time.Now()
			p, err = c.precondition(a.candidate)
			c.settingUp += time.Since(start)
			if errors.Is(err, precond.ErrInterrupted) { // there will be no iterations either
				c.log(fmt.Sprintf("precond %v", err))
				k, err = c.unpreconditioned(), nil
				a = c.attempts[k]
			}
			if err != nil {
				if k == len(c.attempts)-1 || a.last {
					return err
				}
				c.made[a.candidate] = nil
				for c.attempts[k+1].kind == a.kind { // fails as well; another kind comes last
					k++
					c.made[c.attempts[k].candidate] = nil
				}
				c.log(fmt.Sprintf("precond %v: trying %s", err, c.attempts[k+1].candidate))
				continue
			}
			c.made[a.candidate] = p
		}
		if p != nil || a.kind == precond.None {
			c.current = k
			return nil
		}
	}
}

// unpreconditioned is the attempt without a preconditioner; it is added if there is
// none.
func (c *correction[V, S]) unpreconditioned() int {
	for k, a := range c.attempts {
		if a.kind == precond.None {
			return k
		}
	}
	c.attempts = append(c.attempts, &attempt[V, S]{c.attempt().method, candidate{kind: precond.None}, true})
	return len(c.attempts) - 1
}

// use stores the matrix that the method multiplies with in another way.
func (c *correction[V, S]) use(t Storage) error {
	c.at.release(c.matrix)
	matrix, err := c.store(t)
	if err == nil {
		c.matrix, c.scaled.Operator = matrix, matrix.Operator
	}
	return err
}

// Patience implements krylov.Corrector. With a matrix in reduced precision a
// step is to reduce the measure tenfold: two that do not, or one that does not
// even halve it, show that a more accurate matrix takes less work.
func (c *correction[V, S]) Patience(reduction float64) int {
	switch {
	case c.matrix.storage.plain():
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
func (c *correction[V, S]) begin() error {
	if err := c.enter(0); err != nil {
		return err
	}
	if c.matrix.storage.same(c.first) {
		return nil
	}
	return c.use(c.first)
}

func (c *correction[V, S]) attempt() *attempt[V, S] { return c.attempts[c.current] }
