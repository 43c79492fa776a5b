package solve

import (
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// raise stores the matrix more accurately, and returns false if it is in FP64 already.
func (c *correction[V, S]) raise(reason krylov.Reason) bool {
	if c.plain() {
		return false
	}
	if err := c.use(c.matrix.about().storage.next(reason)); err != nil {
		return false // only a device can fail: what was stored once can be stored more accurately
	}
	c.log(fmt.Sprintf("%s stopped (%s): continuing with %v", c.attempts.now(), reason, c.matrix.about().storage))
	return true
}

// use stores the matrix that the method multiplies with in another way.
func (c *correction[V, S]) use(t Storage) error {
	c.matrix.release()
	matrix, err := storeScaled(c.at, c.scaled, t)
	if err == nil {
		c.matrix, c.timed.Operator = matrix, matrix
	}
	c.scaled.drop(c.matrix.about())
	return err
}

// rescale takes the scaling for a preconditioner.
func (c *correction[V, S]) rescale(v variant) error {
	if !c.scaled.suit(v.kind) {
		return nil
	}
	c.scaling = newScaling(c.at, c.scaled)
	return c.use(c.matrix.about().storage)
}

// followUse stores the method's matrix for a preconditioner that is set up after others: with
// PreconditionedEpsilon where it leaves few iterations, in FP64 where storing takes longer than
// these, and after all where it had stayed in FP64 and more are expected.
func (c *correction[V, S]) followUse(v variant) error {
	now := c.matrix.about().storage
	switch {
	case c.open && v.kind == precond.AMG:
		if now.plain() {
			return nil
		}
		c.log(fmt.Sprintf(storedPlain, whyCycles))
		return c.usePrecision(precision{Plain: true})
	case c.spared && c.plain() && c.attempts.state.Rung > 0 && !v.complete():
		epsilon, why := DefaultEpsilon, whyCoarse
		if fewIterations(v.kind) {
			epsilon, why = PreconditionedEpsilon, whyFine
		}
		if len(c.attempts.ready) > 0 && c.attempts.tight(c.attempts.held()) {
			c.attempts.release()
		}
		c.log(fmt.Sprintf("epsilon %s: %s", adaptive.FormatEpsilon(epsilon), why))
		return c.usePrecision(precision{Epsilon: epsilon})
	case !c.chosen || now.plain() || now.Epsilon <= PreconditionedEpsilon || !fewIterations(v.kind):
		return nil
	}
	c.log(fmt.Sprintf("epsilon %s: %s", adaptive.FormatEpsilon(PreconditionedEpsilon), whyFine))
	return c.usePrecision(precision{Epsilon: PreconditionedEpsilon})
}

// usePrecision stores the method's matrix with a precision, if it does not have that.
func (c *correction[V, S]) usePrecision(p precision) error {
	t := c.first.at(p)
	if c.matrix.about().storage.same(t) {
		return nil
	}
	return c.use(t)
}
