package digits

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Improvement is the steps of refinement after a solve.
//
// If a step solves A d = r up to a share s of r, it leaves x with the error A^-1 (s r). The probe has shown how much A^-1 enlarges a
// right-hand side of known size. With eta, the root mean square of r_i / w_i before the step, the error is about
//
//	safety s (eta/u) ||e||_inf / ||x||_inf.
type Improvement struct {
	Estimation
	W     []float64 // weights of the rows, times 2^-e
	E     int
	left  int     // iterations that steps may still take
	size  float64 // ||d|| / ||x|| of the last step
	error float64 // estimate of the error of x
	done  bool    // x is as accurate as float64 allows, or steps no longer help
}

// safety is a factor: A^-1 may enlarge the rest of a right-hand side more than a random vector, since the rest is what the iteration
// found hard.
const safety = 10

// run takes steps until x is as accurate as float64 allows, or has the digits asked for, or the next step would exceed the allowance.
func (v *Improvement) run() error {
	for !v.done {
		before, last := v.Digits.Iterations, v.error
		if err := v.step(); err != nil {
			return err
		}
		cost := v.Digits.Iterations - before
		v.left -= cost
		if v.done = v.done || !(v.error < last/2) || v.error <= rules.Roundoff; v.left < cost || v.Ctx.Err() != nil {
			return nil
		}
		if want := rules.FloatDigits(v.S.Opt); want > 0 && digitsOf(v.error) >= want {
			return nil
		}
	}
	return nil
}

// assess estimates the error of x without a step.
func (v *Improvement) assess() error {
	r, err := v.residual(v.X)
	v.error = max(rules.Roundoff, v.enlarged(v.rms(r, v.W)))
	return err
}

// residual returns b - A x, times 2^-e.
func (v *Improvement) residual(x []float64) ([]float64, error) {
	r := make([]float64, len(x))
	err := v.S.Refiner.Residual(r, x, v.B)
	v.scale(r, v.E)
	return r, err
}

// scale multiplies a vector by 2^-e.
func (a Estimation) scale(r []float64, e int) {
	a.Vectors.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			r[i] = dd.Ldexp(r[i], -e)
		}
	})
}

// enlarged returns the error of x that a residual causes, given rms(r_i/w_i).
func (v *Improvement) enlarged(rms float64) float64 {
	return safety * rms / rules.Roundoff * v.Digits.Probe
}

// step takes one step of refinement.
func (v *Improvement) step() error {
	r, err := v.residual(v.X)
	if err != nil {
		return err
	}
	eta := v.weighted(r, v.W)
	if eta == 0 {
		v.size, v.error, v.done = 0, rules.Roundoff, true
		return nil
	}
	enlarged := v.enlarged(v.rms(r, v.W))
	tol := max(leastStepTol, min(stepTol, rules.Roundoff/enlarged))
	if eta > floorEta*rules.Roundoff {
		tol = stepTol // there will be another step
	}
	d, left, sure, err := v.solve(r, eta, tol)
	if err != nil {
		return err
	}
	v.size = backend.RelativeTo(v.Vectors.AbsMax(d), 1, v.Vectors.AbsMax(v.X), v.E)
	taken := sure
	if sure {
		v.X = v.sum(d)
	} else {
		taken, err = v.Take(d, eta)
	}
	rest := max(rules.Roundoff, left*enlarged)
	if v.error = rest; !taken {
		v.error, v.done = min(enlarged, max(rest, v.size)), true
	}
	return err
}

// solve solves A d = r to a share of r in the maximum norm, eta; left is the share that is left. The step is sure to reduce the residual, but for
// roundings, if complete factors solve.
func (v *Improvement) solve(r []float64, eta, tol float64) (d []float64, left float64, sure bool, err error) {
	if v.direct() {
		d, rest, err := v.applyFactors(r)
		left := v.weighted(rest, v.W) / eta
		if err != nil || left <= stepTol {
			return d, left, v.Parts == nil, err
		}
	}
	d, left, err = v.correction(r, v.W, tol, v.left)
	return d, left, false, err
}

// sum returns x + 2^e d.
func (v *Improvement) sum(d []float64) []float64 {
	x := v.Vectors.New()
	v.Vectors.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			x[i] = v.X[i] + dd.Ldexp(d[i], v.E)
		}
	})
	return x
}

// Take adds d to x unless the residual grows, as a whole or in a block that has been explained. It reports whether it has added d.
func (v *Improvement) Take(d []float64, eta float64) (bool, error) {
	x := v.sum(d)
	r, err := v.residual(x)
	if err != nil {
		return false, err
	}
	if then := v.weighted(r, v.W); !(then <= max(eta, rules.Roundoff)) {
		return false, nil
	}
	if v.Parts != nil && v.weighted(r, v.Parts) > dd.Ldexp(v.S.Opt.Tol, -v.E) {
		return false, nil
	}
	v.X = x
	return true, nil
}

// conclude sets the digits by steps and probe.
func (v *Improvement) conclude(work allowance) {
	g := &v.Digits
	// Below 2^-1022 the spacing of x is absolute.
	spacing := math.SmallestNonzeroFloat64 / v.Vectors.AbsMax(v.X)
	g.Step, g.Error = v.size, max(v.error, spacing)
	switch g.Believed = digitsOf(g.Error); {
	case g.Probe > mostProbe || g.Believed == 0:
		g.State, g.Believed = solve.DigitsNone, 0
	case v.Reach > 0 && v.Reach < LeastReach, v.underflows():
		g.State, g.Believed = solve.DigitsNotConfirmed, 0
	case work.rough:
		g.State = solve.DigitsEstimated
	default:
		g.State = solve.DigitsBelieved
	}
}

// underflows reports whether a row is so small that its residual has subnormal terms, whose roundings the probe does not know.
func (v *Improvement) underflows() bool {
	least := -v.Vectors.Max(func(lo, hi int) float64 {
		least := math.Inf(1)
		for _, w := range v.W[lo:hi] {
			least = min(least, w)
		}
		return -least
	})
	return dd.Ldexp(1/least, -1021-v.E) > 1
}
