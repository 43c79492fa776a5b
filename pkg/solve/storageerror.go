package solve

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// storageFloor is the share of the storage error to which a correction is worth
// being solved for.
const storageFloor = 0.25

// replaceAt takes its place where the method goes on from a residual that replaces its own, as
// soon as the correction has reduced the measure tenfold: the true residual then differs little
// from that of the method, so that no iteration is lost. With the coarsest storage, G3_circuit
// takes 57 iterations at 64, 67 at 16 and 72 at 1, and 56 in FP64.
const replaceAt = 64

// replaceAfter is the reduction of the measure after which a residual may be replaced early.
const replaceAfter = 0.1

// storageError is the measure of what the stored matrix leaves of a residual in one
// correction z of x. That of rows is proportional to the norm of z and at most inversely
// proportional to that of x + d, so that one value bounds others.
type storageError[V any, S linop.Scalar[S]] struct {
	c      *correction[V, S]
	x, sum V   // sum is overwritten
	e      int // of the correction, see scaling

	goal  float64 // the measure wanted
	early float64 // the measure from which on the residual may be replaced; 0: never

	last, normX, normZ float64 // when it was computed; zero: never
}

// reached reports whether the measure m of x and the correction z is so small beside the
// storage error that going on is not worth while.
func (f *storageError[V, S]) reached(m float64, z V, normX, normZ float64) bool {
	if f.normZ > 0 && !f.enough(m, f.bound(normX, normZ)) {
		return false
	}
	c := f.c
	if normZ != normZ {
		normZ = c.at.AbsMax(z)
	}
	c.scaling.col.addLdexp(f.sum, f.x, z, f.e)
	c.matrix.storageError(c.r, normZ, c.scaling.unscaled, f.e)
	f.last, f.normX, f.normZ = c.measure.of(f.sum, c.r), normX, normZ
	if normX != normX { // not known: nor is a bound
		f.normZ = 0
	}
	return f.enough(m, f.last)
}

// bound is at least the storage error with these norms, but for rounding.
func (f *storageError[V, S]) bound(normX, normZ float64) float64 {
	return 1.01 * f.last * (normZ / f.normZ) * math.Max(1, f.normX/normX)
}

// enough reports whether a correction of measure m may stop at a storage error: where that
// spoils what follows, or to replace the residual before it does; but not where it leaves room
// to get to the goal in this step.
func (f *storageError[V, S]) enough(m, err float64) bool {
	return m <= storageFloor*err || err > storageFloor*f.goal && m <= min(replaceAt*err, f.early)
}
