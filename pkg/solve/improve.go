package solve

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// improvement is the steps of refinement after a solve.
//
// A step with A d = r solved but for a share s of r leaves x with the error A^-1 (s r), and
// the probe has shown what A^-1 makes of a right-hand side of known size: with eta, the
// root mean square of r_i / w_i before the step, the error is about
//
//	safety s (eta/u) ||e||_inf / ||x||_inf.
type improvement struct {
	*answer
	w     []float64 // weights of the rows, times 2^-e
	e     int
	left  int     // iterations
	size  float64 // ||d|| / ||x|| of the last step
	error float64 // estimate of that of x
	rms   float64 // of r_i / w_i of an x that is assessed as it is
	done  bool    // x is as good as float64 allows, or steps no longer help
}

// safety is how much more of what is left of a right-hand side A^-1 may enlarge than of a
// random one: it is what the iteration found hard.
const safety = 10

// run takes steps until x is as good as float64 allows, or the digits asked for are there,
// or the next step would take more than is allowed.
func (v *improvement) run() error {
	for !v.done {
		before, last := v.digits.Iterations, v.error
		if err := v.step(); err != nil {
			return err
		}
		cost := v.digits.Iterations - before
		v.left -= cost
		if v.done = v.done || v.error > last/2; v.left < cost || v.ctx.Err() != nil {
			return nil
		}
		if want := v.s.opt.floatDigits(); want > 0 && digitsOf(v.error) >= want {
			return nil
		}
	}
	return nil
}

// look measures the residual of x as it is, which the solve has left.
func (v *improvement) look() error {
	r := make([]float64, len(v.x))
	if err := v.s.refiner.leftOver(r, v.x, v.b); err != nil {
		return err
	}
	v.scale(r)
	if v.rms = 0; v.weighted(r, v.w) > 0 {
		v.rms = v.answer.rms(r, v.w)
	}
	return nil
}

// assess estimates the error of x as it is, for which no step is left.
func (v *improvement) assess() error {
	v.error = max(roundoff, v.enlarged(v.rms))
	return nil
}

// residual returns b - A x, times 2^-e.
func (v *improvement) residual(x []float64) ([]float64, error) {
	r := make([]float64, len(x))
	err := v.s.refiner.residual(r, x, v.b)
	v.scale(r)
	return r, err
}

// scale multiplies a residual by 2^-e.
func (v *improvement) scale(r []float64) {
	v.vectors.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			r[i] = csr.Ldexp(r[i], -v.e)
		}
	})
}

// enlarged is the error of x from a residual with rms(r_i/w_i) as a whole.
func (v *improvement) enlarged(rms float64) float64 {
	return safety * rms / roundoff * v.digits.Probe
}

// step takes one.
func (v *improvement) step() error {
	r, err := v.residual(v.x)
	if err != nil {
		return err
	}
	eta := v.weighted(r, v.w)
	if eta == 0 {
		v.size, v.error, v.done = 0, roundoff, true
		return nil
	}
	enlarged := v.enlarged(v.answer.rms(r, v.w))
	tol := max(leastStepTol, min(stepTol, roundoff/enlarged))
	if eta > floorEta*roundoff {
		tol = stepTol // there will be another step
	}
	d, left, err := v.correction(r, v.w, tol, v.left)
	if err != nil {
		return err
	}
	v.size = relativeTo(v.vectors.AbsMax(d), 1, v.vectors.AbsMax(v.x), v.e)
	taken, err := v.take(d, eta)
	rest := max(roundoff, left*enlarged)
	if v.error = rest; !taken {
		v.error, v.done = min(enlarged, max(rest, v.size)), true
	}
	return err
}

// take adds d to x unless the residual grows by that, as a whole or in a block that has been
// explained.
func (v *improvement) take(d []float64, eta float64) (bool, error) {
	x := v.vectors.New()
	v.vectors.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			x[i] = v.x[i] + csr.Ldexp(d[i], v.e)
		}
	})
	r, err := v.residual(x)
	if err != nil {
		return false, err
	}
	if then := v.weighted(r, v.w); !(then <= max(eta, roundoff)) {
		return false, nil
	}
	if v.parts != nil && v.weighted(r, v.parts) > csr.Ldexp(v.s.opt.Tol, -v.e) {
		return false, nil
	}
	v.x = x
	return true, nil
}

// conclude fills in the digits from steps and probe.
func (v *improvement) conclude(work allowance) {
	g := &v.digits
	// Below 2^-1022 the spacing of x is absolute.
	spacing := math.SmallestNonzeroFloat64 / v.vectors.AbsMax(v.x)
	g.Step, g.Error = v.size, max(v.error, spacing)
	switch g.Believed = digitsOf(g.Error); {
	case g.Probe > mostProbe || g.Believed == 0:
		g.State, g.Believed = DigitsNone, 0
	case work.rough:
		g.State = DigitsEstimated
	default:
		g.State = DigitsBelieved
	}
}
