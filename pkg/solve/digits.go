package solve

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// Digits says how many decimal digits of x can be believed: those of the largest elements,
// -log10 (||x - x*||_inf / ||x||_inf), where x* solves the system exactly as given.
//
// One more step of refinement, A d = r, shows the error of x as d, if the residual is
// solved for well enough. That this is so is shown by a probe, A e = p with a random p of
// the size of roundings, p_i = u (T_i ||x||_inf + |b_i|) N(0,1): where A is singular,
// numerically or exactly, it cannot be solved, or only by an e as large as x.
type Digits struct {
	State    DigitsState
	Believed int // 0 unless State is DigitsBelieved

	Error float64 // estimate of ||x - x*||_inf / ||x||_inf; NaN: not known
	Step  float64 // ||d||_inf / ||x||_inf of the last step; NaN: not solved
	Probe float64 // ||e||_inf / ||x||_inf; NaN: not solved
	// Condition is how much larger than the roundings of A and b the change of x is that
	// they may cause, relative to ||x||_inf; NaN: not known.
	Condition float64

	Iterations int // that this took, besides those of the solve
}

// DigitsState says what is known about the digits of x.
type DigitsState string

// What is known.
const (
	DigitsNotEstimated DigitsState = ""              // not asked for, or the solve did not converge
	DigitsBelieved     DigitsState = "believed"      // Believed of them
	DigitsNone         DigitsState = "none"          // no digit can be believed
	DigitsNotConfirmed DigitsState = "not confirmed" // a step or the probe was not solved in the work allowed
)

const (
	// NoDigits is the Options.Digits of a solve that does not estimate them.
	NoDigits = -1
	// MaxDigits is the largest number of digits that can be asked for.
	MaxDigits = 15
)

// How far steps and probe are solved, relative to their right-hand sides in the maximum
// norm, rows weighed by w_i = T_i ||x||_inf + |b_i|.
const (
	stepTol      = 1e-2
	leastStepTol = 1e-10
	floorEta     = 8    // max |r_i| / w_i, in roundings, where x is as good as its rounding but for what A^-1 enlarges
	probeTol     = 1e-3 // and, of n rows, 0.03/sqrt(n): a null vector may have a share like that in p
	mostProbe    = 0.1  // from which A is singular for float64

	roundoff = 0x1p-53

	// smallProduct is the number of nonzeros up to which iterations cost next to nothing,
	// and smallIter what an estimate may then take of them.
	smallProduct = 20_000
	smallIter    = 400
)

// estimate improves x by steps of refinement, as far as that is cheap, and fills in its
// digits. Iterations are limited to those that the solve has taken: half of them for the
// steps, one and a half times as many for the probe, without which nothing is known.
func (a *answer) estimate() error {
	start := time.Now()
	defer func() { a.estimating += time.Since(start) }()
	before := a.digits.Iterations
	a.digits = unknownDigits()
	a.digits.Iterations = before
	if a.s.opt.Digits == NoDigits || a.ctx.Err() != nil || absMax(a.x) == 0 {
		return nil
	}
	steps, probe := a.allowance()
	w, e := a.rowWeights()
	if err := a.probe(w, e, probe); err != nil {
		return err
	}
	if math.IsNaN(a.digits.Probe) {
		a.digits.State = DigitsNotConfirmed
		return nil
	}
	improve := &improvement{answer: a, w: w, e: e, left: steps, error: math.Inf(1)}
	if err := improve.run(); err != nil {
		return err
	}
	improve.conclude()
	return nil
}

func unknownDigits() Digits {
	nan := math.NaN()
	return Digits{Error: nan, Step: nan, Probe: nan, Condition: nan}
}

// allowance is how many iterations steps and probe may take.
func (a *answer) allowance() (steps, probe int) {
	n := a.solved.Iterations
	steps, probe = max(10, n/2), max(20, n)
	if a.s.m.NNZ() <= smallProduct {
		steps, probe = max(steps, smallIter), max(probe, smallIter)
	}
	if a.s.opt.Digits > 0 {
		steps, probe = max(furtherIter, 10*n), max(furtherIter, 4*n)
	}
	return steps, probe
}

// probe solves A e = p. The seed is fixed, so that the same solve has the same digits.
func (a *answer) probe(w []float64, e, limit int) error {
	rng := rand.New(rand.NewPCG(0x6d70736f6c7665, uint64(len(w))))
	p := make([]float64, len(w))
	for i := range p {
		p[i] = w[i] * rng.NormFloat64()
	}
	tol := min(probeTol, 0.03/math.Sqrt(float64(len(p))))
	d, left, err := a.correction(p, w, tol, limit)
	if left <= tol { // p is 2^-e times a perturbation of the size of the rows; u times that is a rounding
		g := &a.digits
		g.Probe = relativeTo(absMax(d), roundoff, absMax(a.x), e)
		g.Condition = g.Probe / roundoff
	}
	return err
}

// relativeTo returns v u 2^e / x.
func relativeTo(v, u, x float64, e int) float64 {
	ev, ex := csr.Exponent(v), csr.Exponent(x)
	return csr.Ldexp(u*csr.Ldexp(v, -ev)/csr.Ldexp(x, -ex), ev-ex+e)
}

// correction solves A d = r to a share tol of r, with rows weighed by w; left is the share
// that is left.
func (a *answer) correction(r, w []float64, tol float64, limit int) (d []float64, left float64, err error) {
	start := weighted(r, w)
	unit := append([]float64(nil), w...)
	for i := range unit {
		unit[i] *= start
	}
	d = make([]float64, len(r))
	more, err := a.further(d, r, unit, krylov.Options[vector]{Tol: tol, MaxIter: max(1, limit)})
	a.digits.Iterations += more.Iterations
	if !finite(absMax(d)) {
		return make([]float64, len(r)), 1, err
	}
	return d, more.Measure, err
}

func finite(v float64) bool { return v-v == 0 }

// improvement is the steps of refinement after a solve.
//
// A step with A d = r solved but for a share s of r leaves x with the error A^-1 (s r), and
// the probe has shown what A^-1 makes of a right-hand side of known size: with eta =
// max |r_i| / w_i before the step, the error is about
//
//	safety s (eta/u) ||e||_inf / ||x||_inf.
type improvement struct {
	*answer
	w       []float64 // weights of the rows, times 2^-e
	e       int
	left    int     // iterations
	size    float64 // ||d|| / ||x|| of the last step
	error   float64 // estimate of that of x
	done    bool    // x is as good as float64 allows, or steps no longer help
	reached float64 // share of r that the last step left
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
		if want := v.s.opt.Digits; want > 0 && digitsOf(v.error) >= want {
			return nil
		}
	}
	return nil
}

// step takes one.
func (v *improvement) step() error {
	r := make([]float64, len(v.x))
	if err := v.s.refiner.residual(r, v.x, v.b); err != nil {
		return err
	}
	for i := range r {
		r[i] = csr.Ldexp(r[i], -v.e)
	}
	eta := weighted(r, v.w)
	if eta == 0 {
		v.size, v.error, v.done = 0, roundoff, true
		return nil
	}
	enlarged := safety * eta / roundoff * v.digits.Probe // error from r as a whole
	tol := max(leastStepTol, min(stepTol, roundoff/enlarged))
	if eta > floorEta*roundoff {
		tol = stepTol // there will be another step
	}
	d, left, err := v.correction(r, v.w, tol, v.left)
	if err != nil {
		return err
	}
	v.size = relativeTo(absMax(d), 1, absMax(v.x), v.e)
	taken, err := v.take(d, eta)
	rest := max(roundoff, left*enlarged)
	if v.error = rest; !taken {
		v.error, v.done = min(enlarged, max(rest, v.size)), true
	}
	return err
}

// take adds d to x unless the residual grows by that.
func (v *improvement) take(d []float64, eta float64) (bool, error) {
	x, r := make([]float64, len(v.x)), make([]float64, len(v.x))
	for i := range x {
		x[i] = v.x[i] + csr.Ldexp(d[i], v.e)
	}
	if err := v.s.refiner.residual(r, x, v.b); err != nil {
		return false, err
	}
	for i := range r {
		r[i] = csr.Ldexp(r[i], -v.e)
	}
	if then := weighted(r, v.w); !(then <= max(eta, roundoff)) {
		return false, nil
	}
	v.x = x
	return true, nil
}

// weighted returns max |r_i| / w_i.
func weighted(r, w []float64) float64 {
	worst := 0.0
	for i, v := range r {
		worst = max(worst, math.Abs(v)/w[i])
	}
	return worst
}

// conclude fills in the digits from steps and probe.
func (v *improvement) conclude() {
	g := &v.digits
	g.Step, g.Error = v.size, v.error
	switch g.Believed = digitsOf(v.error); {
	case g.Probe > mostProbe || g.Believed == 0:
		g.State, g.Believed = DigitsNone, 0
	default:
		g.State = DigitsBelieved
	}
}

// digitsOf is the number of digits that are right with a relative error.
func digitsOf(e float64) int {
	if !(e < 1) {
		return 0
	}
	return min(MaxDigits, int(-math.Log10(e)))
}
