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
// A probe, A e = p with a random p of the size of roundings, p_i = u (T_i ||x||_inf + |b_i|)
// N(0,1), shows what A^-1 makes of a residual: where A is singular, numerically or exactly,
// it cannot be solved, or only by an e as large as x. Otherwise it bounds what steps of
// refinement leave of the error of x. docs/accuracy.md has the formulas.
type Digits struct {
	State    DigitsState
	Believed int // 0 unless State is DigitsBelieved

	Error float64 // estimate of ||x - x*||_inf / ||x||_inf; NaN: not known
	Step  float64 // ||d||_inf / ||x||_inf of the last step; NaN: none was taken
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
	DigitsNotConfirmed DigitsState = "not confirmed" // the probe was not solved in the work allowed
)

// unconfirmed reports whether digits were estimated and none is believed.
func (g Digits) unconfirmed() bool { return g.State == DigitsNone || g.State == DigitsNotConfirmed }

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
	probeTol     = 1e-3 // and nullShare
	mostProbe    = 0.1  // from which A is singular for float64

	roundoff = 0x1p-53

	// smallProduct is the number of nonzeros up to which iterations cost next to nothing,
	// and smallIter what an estimate may then take of them.
	smallProduct = 20_000
	smallIter    = 400
)

// estimate improves x by steps of refinement, as far as that is cheap, and fills in its
// digits, in the work of allowance. A solve without refinement is left as it is.
func (a *answer) estimate() error {
	start := time.Now()
	defer func() { a.estimating += time.Since(start) }()
	before := a.digits.Iterations
	a.digits = unknownDigits()
	a.digits.Iterations = before
	if a.s.opt.Digits == NoDigits || a.s.opt.NoRefine || a.ctx.Err() != nil || absMax(a.x) == 0 {
		return nil
	}
	steps, probe, shared := a.allowance()
	w, e := a.rowWeights()
	if err := a.probe(w, e, probe); err != nil {
		return err
	}
	if math.IsNaN(a.digits.Probe) {
		a.digits.State = DigitsNotConfirmed
		return nil
	}
	if shared {
		steps -= a.digits.Iterations - before
	}
	improve := &improvement{answer: a, w: w, e: e, left: steps, size: math.NaN(), error: math.Inf(1)}
	run := improve.run
	if shared && steps < (probe-steps)/leastStep {
		run = improve.assess
	}
	if err := run(); err != nil {
		return err
	}
	improve.conclude()
	return nil
}

func unknownDigits() Digits {
	nan := math.NaN()
	return Digits{Error: nan, Step: nan, Probe: nan, Condition: nan}
}

// largeWork is the number of multiplications of a solve from which an estimate may take
// largeShare of its iterations: less costs next to nothing. With multigrid a probe alone takes
// up to 0.56 of them.
const (
	largeWork  = 2e7
	largeShare = 0.6
	leastStep  = 5 // a step is worth being tried with that part of the iterations of the probe
)

// allowance is how many iterations the probe may take, and steps; in large solves the steps
// have what the probe leaves.
func (a *answer) allowance() (steps, probe int, shared bool) {
	n := a.solved.Iterations
	switch {
	case a.s.opt.Digits > 0:
		return max(furtherIter, 10*n), max(furtherIter, 4*n), false
	case a.s.m.NNZ() <= smallProduct:
		return max(smallIter, n/2), max(smallIter, n), false
	case float64(n)*a.iterationWork() > largeWork:
		n = max(10, int(largeShare*float64(n)))
		return n, n, true
	}
	return max(10, n/2), max(20, n), false
}

// iterationWork is about the number of multiplications of one.
func (a *answer) iterationWork() float64 {
	used, nnz := a.s.refiner.usage(), float64(a.s.m.NNZ())
	return iterationWork(Method(used.method), used.precond.Kind, float64(a.s.m.Rows), nnz, nnz)
}

// probe solves A e = p, for two p where that costs next to nothing: in one of a hundred the
// direction in which A is nearly singular has a hundredth of its usual share.
func (a *answer) probe(w []float64, e, limit int) error {
	count, solve := 1, a.solveProbe
	if a.s.m.NNZ() <= smallProduct {
		count, solve = 2, a.solveSmallProbe
	}
	g, largest := &a.digits, 0.0
	for k := range count {
		d, solved, err := solve(randomRoundings(w, uint64(k)), w, limit)
		if err != nil || !solved {
			return err
		}
		// p is 2^-e times a perturbation of the size of the rows; u times that is a rounding.
		largest = max(largest, relativeTo(absMax(d), roundoff, absMax(a.x), e))
	}
	g.Probe, g.Condition = largest, largest/roundoff
	return nil
}

// solveSmallProbe solves A d = p to a share of p in the maximum norm.
func (a *answer) solveSmallProbe(p, w []float64, limit int) (d []float64, solved bool, err error) {
	tol := min(probeTol, a.nullShare())
	d, left, err := a.correction(p, w, tol, limit)
	return d, left <= tol, err
}

// solveProbe solves A d = p to a share of p in the 2-norm, in which it is known what share a
// left null vector has. Iterations look at the maximum norm, whose share is up to ten times
// that one.
func (a *answer) solveProbe(p, w []float64, limit int) (d []float64, solved bool, err error) {
	tol := a.nullShare()
	d, r, total := make([]float64, len(p)), append([]float64(nil), p...), rms(p, w)
	for _, loose := range []float64{3, 1} {
		before := a.digits.Iterations
		part, _, err := a.correction(r, w, min(0.5, loose*tol*weighted(p, w)/weighted(r, w)), limit)
		if err != nil {
			return d, false, err
		}
		for i, v := range part {
			d[i] += v
		}
		if err := a.s.refiner.residual(r, d, p); err != nil {
			return d, false, err
		}
		if rms(r, w) <= min(probeTol, tol)*total {
			return d, finite(absMax(d)), nil
		}
		if limit -= a.digits.Iterations - before; limit <= 0 {
			break
		}
	}
	return d, false, nil
}

// nullShare is the share of p that may be left: that of a left null vector is N(0,1)/sqrt(n),
// less in one of forty.
func (a *answer) nullShare() float64 { return 0.03 / math.Sqrt(float64(len(a.x))) }

// randomRoundings are w_i N(0,1). The seed is fixed, so that the same solve has the same digits.
func randomRoundings(w []float64, k uint64) []float64 {
	rng := rand.New(rand.NewPCG(0x6d70736f6c7665, k))
	p := make([]float64, len(w))
	for i := range p {
		p[i] = w[i] * rng.NormFloat64()
	}
	return p
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

// weighted returns max |r_i| / w_i.
func weighted(r, w []float64) float64 {
	worst := 0.0
	for i, v := range r {
		worst = max(worst, math.Abs(v)/w[i])
	}
	return worst
}

// rms returns the root mean square of r_i / w_i.
func rms(r, w []float64) float64 {
	largest, sum := weighted(r, w), 0.0
	for i, v := range r {
		q := v / w[i] / largest
		sum += q * q
	}
	return largest * math.Sqrt(sum/float64(len(r)))
}

// digitsOf is the number of digits that are right with a relative error.
func digitsOf(e float64) int {
	if !(e < 1) {
		return 0
	}
	return min(MaxDigits, int(-math.Log10(e)))
}
