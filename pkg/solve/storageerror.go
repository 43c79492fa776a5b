package solve

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// storageFloor is the share of the storage error to which a correction is worth
// being solved for.
const storageFloor = 0.25

// storageError is the measure of what the stored matrix leaves of a residual in one
// correction z of x. That of rows is proportional to the norm of z and at most inversely
// proportional to that of x + d, so that one value bounds others.
type storageError[V any, S linop.Scalar[S]] struct {
	c      *correction[V, S]
	x, sum V   // sum is overwritten
	e      int // of the correction, see scaling

	last, normX, normZ float64 // when it was computed; zero: never
}

// reached reports whether the measure m of x and the correction z is so small beside the
// storage error that going on is not worth while.
func (f *storageError[V, S]) reached(m float64, z V, normX, normZ float64) bool {
	if f.normZ > 0 && m > storageFloor*f.bound(normX, normZ) {
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
	return m <= storageFloor*f.last
}

// bound is at least the storage error with these norms, but for rounding.
func (f *storageError[V, S]) bound(normX, normZ float64) float64 {
	return 1.01 * f.last * (normZ / f.normZ) * math.Max(1, f.normX/normX)
}
