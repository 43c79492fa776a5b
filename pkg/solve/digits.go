package solve

import (
	"math"
	"time"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
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
	Believed int // 0 unless State is DigitsBelieved or DigitsEstimated

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
	DigitsEstimated    DigitsState = "estimated"     // Believed of them, unless A is nearly singular, which a large solve does not exclude
	DigitsNone         DigitsState = "none"          // no digit can be believed
	DigitsNotConfirmed DigitsState = "not confirmed" // the probe was not solved in the work allowed
)

// unconfirmed reports whether digits were asked for and A may be singular.
func (g Digits) unconfirmed() bool {
	return g.State == DigitsNone || g.State == DigitsNotConfirmed || g.State == DigitsEstimated
}

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
	roughTol     = 0.5  // of a rough probe; iterations aim at half of that
	mostRough    = 0.3  // that may be left of it
	plainProbe   = 1e-6 // probe up to which roundings of a float64 residual are far below that
	mostProbe    = 0.1  // from which A is singular for float64

	roundoff = 0x1p-53

	// smallProduct is the number of nonzeros up to which iterations cost next to nothing,
	// and smallIter what an estimate may then take of them.
	smallProduct = 20_000
	smallIter    = 400
	// completeIter is what it may take with complete factors, with which a system is solved in a few
	// iterations or is singular.
	completeIter = 60
)

// estimate improves x by steps of refinement, as far as that is cheap, and fills in its
// digits, in the work of allowance. A solve without refinement is left as it is.
func (a *answer) estimate() error {
	start := time.Now()
	defer func() { a.estimating += time.Since(start) }()
	before := a.digits.Iterations
	a.digits = unknownDigits()
	a.digits.Iterations = before
	if a.s.opt.Digits == NoDigits || a.s.opt.NoRefine || a.ctx.Err() != nil || a.vectors.AbsMax(a.x) == 0 {
		return nil
	}
	work := a.allowance()
	for range estimateRounds {
		size := a.vectors.AbsMax(a.x)
		if size == 0 {
			break
		}
		if done, err := a.estimateOnce(work); done || err != nil {
			return err
		}
		if now := a.vectors.AbsMax(a.x); now >= size/2 && now <= 2*size {
			return nil
		}
		// Roundings are now of another size than those of which the probe was made.
		before = a.digits.Iterations
		a.digits = unknownDigits()
		a.digits.Iterations = before
	}
	a.digits.State = DigitsNotConfirmed
	return nil
}

// estimateRounds is how many times digits are estimated while steps of refinement change the size of x.
const estimateRounds = 3

// estimateOnce probes, takes steps and concludes; done if the probe says all that can be said.
func (a *answer) estimateOnce(work allowance) (done bool, err error) {
	w, e := a.rowWeights()
	improve := &improvement{answer: a, w: w, e: e, left: work.steps, size: math.NaN(), error: math.Inf(1)}
	if work.rough {
		if err := improve.look(); err != nil { // now: the probe's residual takes the place of the solve's
			return true, err
		}
	}
	if err := a.probe(w, e, work); err != nil {
		return true, err
	}
	if math.IsNaN(a.digits.Probe) {
		a.digits.State = DigitsNotConfirmed
		return true, nil
	}
	run := improve.run
	if work.rough {
		run = improve.assess
	}
	if err := run(); err != nil {
		return true, err
	}
	improve.conclude(work)
	return false, nil
}

// withinRoundings returns the digits that no change of A and b by their roundings changes.
func (d Digits) withinRoundings() Digits {
	if d.State != DigitsBelieved && d.State != DigitsEstimated {
		return d
	}
	d.Error = max(d.Error, d.Probe)
	if d.Believed = digitsOf(d.Error); d.Believed == 0 {
		d.State = DigitsNone
	}
	return d
}

func unknownDigits() Digits {
	nan := math.NaN()
	return Digits{Error: nan, Step: nan, Probe: nan, Condition: nan}
}

// largeWork is the number of multiplications of a solve from which an estimate may take
// largeShare of its iterations: less costs next to nothing.
const (
	largeWork  = 2e7
	largeShare = 0.25
	leastLarge = 4 // iterations
)

// allowance is what an estimate may take.
type allowance struct {
	steps, probe int  // iterations
	rough        bool // the probe is solved to half of roughTol, and x is assessed as it is
}

func (a *answer) allowance() allowance {
	n := a.solved.Iterations
	switch {
	case a.s.opt.Digits > 0:
		return allowance{steps: max(furtherIter, 10*n), probe: max(furtherIter, 4*n)}
	case a.s.nonzeros() <= smallProduct && a.complete():
		return allowance{steps: max(completeIter, n/2), probe: max(completeIter, n)}
	case a.s.nonzeros() <= smallProduct:
		return allowance{steps: max(smallIter, n/2), probe: max(smallIter, n)}
	case float64(n)*a.iterationWork() > largeWork:
		return allowance{probe: max(leastLarge, int(largeShare*float64(n))), rough: true}
	}
	return allowance{steps: max(10, n/2), probe: max(20, n)}
}

// complete reports whether the preconditioner in use is a complete factorisation.
func (a *answer) complete() bool {
	return variant{kind: a.s.refiner.usage().precond.Kind, byDomain: a.s.job != nil}.complete()
}

// iterationWork is about the number of multiplications of one.
func (a *answer) iterationWork() float64 {
	used, nnz := a.s.refiner.usage(), float64(a.s.nonzeros())
	return iterationWork(Method(used.method), used.precond.Kind, float64(a.s.rows()), nnz, nnz)
}

// relativeTo returns v u 2^e / x.
func relativeTo(v, u, x float64, e int) float64 {
	ev, ex := csr.Exponent(v), csr.Exponent(x)
	return csr.Ldexp(u*csr.Ldexp(v, -ev)/csr.Ldexp(x, -ex), ev-ex+e)
}

func finite(v float64) bool { return v-v == 0 }

func (a *answer) weighted(r, w []float64) float64 { return weighted(a.vectors, r, w) }

// weighted returns max |r_i| / w_i.
func weighted(space *linop.Host, r, w []float64) float64 {
	return space.Max(func(lo, hi int) (worst float64) {
		for i, v := range r[lo:hi] {
			if v = math.Abs(v); !(v <= worst*w[lo+i]) { // faster than to divide each
				worst = max(worst, v/w[lo+i])
			}
		}
		return worst
	})
}

// rms returns the root mean square of r_i / w_i.
func (a *answer) rms(r, w []float64) float64 {
	largest := a.weighted(r, w)
	sum := a.vectors.Sum(func(lo, hi int) (sum float64) {
		for i, v := range r[lo:hi] {
			q := v / w[lo+i] / largest
			sum += float64(q * q)
		}
		return sum
	})
	return largest * math.Sqrt(sum/float64(a.vectors.Dim()))
}

// digitsOf is the number of digits that are right with a relative error.
func digitsOf(e float64) int {
	if !(e < 1) {
		return 0
	}
	return min(MaxDigits, int(-math.Log10(e)))
}
