package refine

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/quantize"
	"github.com/mpsolve/mpsolve/internal/solver/attempt"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Raise stores the matrix more accurately. It returns false if the matrix is in FP64 already.
func (c *Correction[V, S]) Raise(reason krylov.Reason) bool {
	if c.Plain() {
		return false
	}
	if err := c.use(attempt.NextStorage(c.Matrix.About().Storage, reason)); err != nil {
		return false // only a device can fail: what was stored once can be stored more accurately
	}
	c.Log(fmt.Sprintf("%s stopped (%s): continuing with %v", c.Attempts.Now(), reason, c.Matrix.About().Storage))
	return true
}

// use stores the method's matrix in another storage.
func (c *Correction[V, S]) use(t solve.Storage) error {
	c.Matrix.Release()
	matrix, err := backend.StoreScaled(c.At, c.Scaled, t)
	if err == nil {
		c.Matrix, c.Timed.Operator = matrix, matrix
	}
	c.Scaled.Drop(c.Matrix.About())
	return err
}

// rescale switches to the scaling for a preconditioner.
func (c *Correction[V, S]) rescale(v choice.Variant) error {
	if !c.Scaled.Suit(v.Kind) {
		return nil
	}
	c.Scaling = backend.NewScaling(c.At, c.Scaled)
	return c.use(c.Matrix.About().Storage)
}

// FollowUse stores the method's matrix for a preconditioner that is set up after others. The accuracy becomes
// PreconditionedEpsilon where the preconditioner leaves few iterations, and FP64 where storing takes longer than these iterations.
// A matrix that had stayed in FP64 is stored where more iterations are expected.
func (c *Correction[V, S]) FollowUse(v choice.Variant) error {
	now := c.Matrix.About().Storage
	switch {
	case c.Open && v.Kind == precond.AMG:
		if options.Plain(now) {
			return nil
		}
		c.Log(fmt.Sprintf(choice.StoredPlain, choice.WhyCycles))
		return c.usePrecision(attempt.Precision{Plain: true})
	case c.Spared && c.Plain() && c.Attempts.State.Fallback > 0 && !v.Complete():
		epsilon, why := options.DefaultEpsilon, choice.WhyCoarse
		if choice.FewIterations(v.Kind) {
			epsilon, why = options.PreconditionedEpsilon, choice.WhyFine
		}
		if len(c.Attempts.Ready) > 0 && c.Attempts.Tight(c.Attempts.Held()) {
			c.Attempts.Release()
		}
		c.Log(fmt.Sprintf("epsilon %s: %s", quantize.FormatEpsilon(epsilon), why))
		return c.usePrecision(attempt.Precision{Epsilon: epsilon})
	case !c.Chosen || options.Plain(now) || now.Epsilon <= options.PreconditionedEpsilon || !choice.FewIterations(v.Kind):
		return nil
	}
	c.Log(fmt.Sprintf("epsilon %s: %s", quantize.FormatEpsilon(options.PreconditionedEpsilon), choice.WhyFine))
	return c.usePrecision(attempt.Precision{Epsilon: options.PreconditionedEpsilon})
}

// usePrecision stores the method's matrix with a precision, unless it has this precision.
func (c *Correction[V, S]) usePrecision(p attempt.Precision) error {
	t := attempt.StorageAt(c.First, p)
	if options.SameStorage(c.Matrix.About().Storage, t) {
		return nil
	}
	return c.use(t)
}
