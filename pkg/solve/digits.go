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
	stepTol     = 1e-2
	stepTolMore = 1e-3 // if digits are asked for
	probeTol    = 1e-3 // and, of n rows, 0.03/sqrt(n): a null vector may have a share like that in p
	contraction = 0.3  // from which on steps have reached what x in float64 can be

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
	improve := &improvement{answer: a, w: w, e: e, left: steps, last: math.Inf(1)}
	if err := improve.run(); err != nil {
		return err
	}
	a.conclude(improve)
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
	d, solved, err := a.correction(p, w, tol, limit)
	if err != nil {
		return err
	}
	// p is 2^-e times a perturbation of the size of the rows; u times that is a rounding.
	size := relativeTo(absMax(d), 0x1p-53, absMax(a.x), e)
	if solved {
		a.digits.Probe, a.digits.Condition = size, size*0x1p53
	}
	return nil
}

// relativeTo returns v u 2^e / x.
func relativeTo(v, u, x float64, e int) float64 {
	ev, ex := csr.Exponent(v), csr.Exponent(x)
	return csr.Ldexp(u*csr.Ldexp(v, -ev)/csr.Ldexp(x, -ex), ev-ex+e)
}

// correction solves A d = r to a share tol of r, with rows weighed by w.
func (a *answer) correction(r, w []float64, tol float64, limit int) (d []float64, solved bool, err error) {
	start := 0.0
	for i, v := range r {
		start = max(start, math.Abs(v)/w[i])
	}
	unit := append([]float64(nil), w...)
	for i := range unit {
		unit[i] *= start
	}
	d = make([]float64, len(r))
	more, err := a.further(d, r, unit, krylov.Options[vector]{Tol: tol, MaxIter: max(1, limit)})
	a.digits.Iterations += more.Iterations
	return d, more.Measure <= tol && finite(absMax(d)), err
}

func finite(v float64) bool { return v-v == 0 }

// improvement is the steps of refinement after a solve.
type improvement struct {
	*answer
	w       []float64 // weights of the rows, times 2^-e
	e       int
	left    int     // iterations
	last    float64 // ||d|| / ||x|| of the last step that was solved
	ratio   float64 // of the last two; 0: only one
	taken   bool    // the last d
	floor   bool    // x is as good as float64 allows, or steps no longer help
	stopped bool    // a step was not solved
}

// run takes steps until x is as good as float64 allows, or the digits asked for are there,
// or the next step would take more than is allowed.
func (v *improvement) run() error {
	for step := 1; !v.floor && !v.stopped; step++ {
		before := v.digits.Iterations
		if err := v.step(); err != nil {
			return err
		}
		cost := v.digits.Iterations - before
		v.left -= cost
		if v.left < cost || v.ctx.Err() != nil {
			return nil
		}
		if want := v.s.opt.Digits; want > 0 && digitsOf(v.error()) >= want {
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
	scale := make([]float64, len(r)) // r 2^-e, as w is
	for i := range r {
		scale[i] = csr.Ldexp(r[i], -v.e)
	}
	now := weighted(scale, v.w)
	if now == 0 {
		v.last, v.floor, v.taken = 0, true, true
		return nil
	}
	tol := stepTol
	if v.s.opt.Digits > 0 {
		tol = stepTolMore
	}
	d, solved, err := v.correction(scale, v.w, tol, v.left)
	if err != nil {
		return err
	}
	if !solved {
		v.stopped = true
		return nil
	}
	size := relativeTo(absMax(d), 1, absMax(v.x), v.e)
	v.ratio = 0
	if v.last > 0 && !math.IsInf(v.last, 1) {
		v.ratio = size / v.last
	}
	v.last = size
	v.floor = size <= 0x1p-53 || v.ratio > contraction
	return v.take(d, now)
}

// take adds d to x unless the residual grows by that.
func (v *improvement) take(d []float64, now float64) error {
	x, r := make([]float64, len(v.x)), make([]float64, len(v.x))
	for i := range x {
		x[i] = v.x[i] + csr.Ldexp(d[i], v.e)
	}
	if err := v.s.refiner.residual(r, x, v.b); err != nil {
		return err
	}
	for i := range r {
		r[i] = csr.Ldexp(r[i], -v.e)
	}
	v.taken = false
	if then := weighted(r, v.w); then < now {
		v.x, v.taken = x, true
		v.floor = v.floor || then <= 0x1p-53
	} else {
		v.floor = true
	}
	return nil
}

// weighted returns max |r_i| / w_i.
func weighted(r, w []float64) float64 {
	worst := 0.0
	for i, v := range r {
		worst = max(worst, math.Abs(v)/w[i])
	}
	return worst
}

// error estimates the error of x: that before the last step was what the step says, and if
// the steps contract it is a tenth of that by now, or less.
func (v *improvement) error() float64 {
	e := v.last
	if v.taken && v.ratio <= contraction {
		e *= 0.1
	}
	return max(e, 0x1p-53)
}

// conclude fills in the digits from steps and probe.
func (a *answer) conclude(v *improvement) {
	g := &a.digits
	if !v.stopped {
		g.Step = v.last
	}
	switch {
	case math.IsNaN(g.Probe), math.IsNaN(g.Step):
		g.State = DigitsNotConfirmed
		return
	case g.Probe > 0.1 || math.IsInf(v.last, 1):
		g.State, g.Error = DigitsNone, max(g.Probe, v.error())
		return
	}
	g.Error = v.error()
	if g.Believed = digitsOf(g.Error); g.Believed == 0 {
		g.State = DigitsNone
		return
	}
	g.State = DigitsBelieved
}

// digitsOf is the number of digits that are right with a relative error.
func digitsOf(e float64) int {
	if !(e < 1) {
		return 0
	}
	return min(MaxDigits, int(-math.Log10(e)))
}
