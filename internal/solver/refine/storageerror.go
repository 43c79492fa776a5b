package refine

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

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
