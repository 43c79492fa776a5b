package refine

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Raise stores the matrix more accurately. It returns false if no element has an error.
func (c *Correction[V, S]) Raise(reason krylov.Reason) bool {
	if c.Plain() {
		return false
	}
	if err := c.use(choice.NextStorage(c.Matrix.About().Storage, reason)); err != nil {
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

// FollowUse stores the method's matrix for a preconditioner that is set up after others: in FP64 where products are too few to repay
// storing it, and otherwise, where the preconditioner leaves few iterations, at PreconditionedEpsilon. A matrix that had stayed in FP64
// is stored where more iterations are expected.
func (c *Correction[V, S]) FollowUse(v choice.Variant) error {
	r, now := c.Attempts.Now(), c.Matrix.About().Storage
	r.Variant = v
	switch {
	case c.Open && !c.Repays(r):
		if rules.Exact(now) {
			return nil
		}
		c.Spared = true
		c.Log(fmt.Sprintf(choice.StoredPlain, choice.WhyPlain))
		return c.usePrecision(choice.Precision{Plain: true})
	case c.Spared && c.Plain() && c.Attempts.State.Fallback > 0:
		epsilon, why := c.Suits(v.Kind)
		if len(c.Attempts.Ready) > 0 && c.Attempts.Tight(c.Attempts.Held()) {
			c.Attempts.Release()
		}
		c.Log(fmt.Sprintf("epsilon %s: %s", packed.FormatEpsilon(epsilon), why))
		return c.usePrecision(choice.Precision{Epsilon: epsilon})
	case !c.Chosen || rules.Exact(now) || now.Epsilon <= rules.PreconditionedEpsilon || !choice.FewIterations(v.Kind):
		return nil
	}
	c.Log(fmt.Sprintf("epsilon %s: %s", packed.FormatEpsilon(rules.PreconditionedEpsilon), choice.WhyFine))
	return c.usePrecision(choice.Precision{Epsilon: rules.PreconditionedEpsilon})
}

// usePrecision stores the method's matrix with a precision, unless it has this precision.
func (c *Correction[V, S]) usePrecision(p choice.Precision) error {
	t, now := choice.StorageAt(c.First, p), c.Matrix.About().Storage
	if rules.SameStorage(now, t) && choice.PrecisionOf(now).Layout == p.Layout {
		return nil
	}
	return c.use(t)
}

// storageError is the measure of the error that the stored matrix causes in the residual of one correction z of x. The row-wise
// measure is proportional to the norm of z, and at most inversely proportional to the norm of x + d, so that one value bounds others.
type storageError[V any, S linop.Scalar[S]] struct {
	c      *Correction[V, S]
	x, sum V   // sum is overwritten
	e      int // exponent of the correction, see backend.Scaling

	goal  float64 // the measure wanted
	early float64 // the measure from which on the residual may be replaced; 0: never

	last, normX, normZ float64 // value and norms of the last computation; normZ = 0: never computed
}

// reached reports whether the measure m of x plus the correction z is so small beside the storage error that going on is not worth
// while.
func (f *storageError[V, S]) reached(m float64, z V, normX, normZ float64) bool {
	if f.normZ > 0 && !f.enough(m, f.bound(normX, normZ)) {
		return false
	}
	c := f.c
	if normZ != normZ {
		normZ = c.At.AbsMax(z)
	}
	c.Scaling.Col.AddLdexp(f.sum, f.x, z, f.e)
	c.Matrix.StorageError(c.R, normZ, c.Scaling.Unscaled, f.e)
	f.last, f.normX, f.normZ = c.Measure.Of(f.sum, c.R), normX, normZ
	if normX != normX { // not known: nor is a bound
		f.normZ = 0
	}
	return f.enough(m, f.last)
}

// bound returns an upper bound of the storage error with these norms, but for rounding.
func (f *storageError[V, S]) bound(normX, normZ float64) float64 {
	return 1.01 * f.last * (normZ / f.normZ) * math.Max(1, f.normX/normX)
}

// enough reports whether a correction of measure m stops at the storage error err: where the storage error spoils further
// iterations, or to replace the residual before it does; but not where this step may still reach the goal.
func (f *storageError[V, S]) enough(m, err float64) bool {
	return m <= rules.StorageFloor*err || err > rules.StorageFloor*f.goal && m <= min(rules.ReplaceAt*err, f.early)
}

// bothWays is a preconditioner with its transpose.
type bothWays struct {
	precond.Preconditioner
	transpose precond.Preconditioner // nil: the preconditioner is symmetric
}

// ApplyT computes dst = M^-T src.
func (p bothWays) ApplyT(dst, src []float64) {
	if p.transpose == nil {
		p.Apply(dst, src)
		return
	}
	p.transpose.Apply(dst, src)
}

// Cost returns the cost of both.
func (p bothWays) Cost() precond.Cost {
	if p.transpose == nil {
		return p.Preconditioner.Cost()
	}
	return p.Preconditioner.Cost().Add(p.transpose.Cost())
}

// transposed adds the transpose to made if the method needs it, by setting up the preconditioner of A^T.
func (c *Correction[V, S]) transposed(
	made precond.Preconditioner, v choice.Variant, budget float64, held int64,
) (_ precond.Preconditioner, work float64, err error) {
	if !c.Scaled.Transposes {
		return made, 0, nil
	}
	p := bothWays{Preconditioner: made}
	if !c.Scaled.Symmetric {
		p.transpose, work, err = c.Prepare(c.Ctx, c.Scaled.Transpose(), v, budget, held+made.Cost().Bytes, backend.Stored{})
	}
	return p, work, err
}
