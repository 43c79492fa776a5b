package digits

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// Unconfirmed reports whether digits were estimated, but A may be singular.
func Unconfirmed(g solve.Digits) bool {
	return g.State == solve.DigitsNone || g.State == solve.DigitsNotConfirmed || g.State == solve.DigitsEstimated
}

// Singular reports whether the probe shows that A is singular for float64.
func Singular(g solve.Digits) bool { return g.State == solve.DigitsNone && g.Probe > mostProbe }

// Tolerances of steps and probe, relative to their right-hand sides in the maximum norm, with rows weighted by
// w_i = T_i ||x||_inf + |b_i|.
const (
	stepTol      = 1e-2
	leastStepTol = 1e-10
	floorEta     = 8    // max |r_i| / w_i, in roundings, up to which the next step is the last
	probeTol     = 1e-3 // of a probe; nullShare bounds the tolerance as well
	roughTol     = 0.05 // of a rough probe, within its allowance; iterations aim at half of it
	mostRough    = 0.3  // largest share that a rough probe may leave
	plainProbe   = 1e-6 // probe up to which roundings of a float64 residual do not matter
	mostProbe    = 0.1  // probe from which A is singular for float64
)

// LeastReach is the Solution.Reach below which a probe does not explain the size of x. Regular systems have 0.3 or more, mostly above 10; systems
// that contradict themselves have 0.23 or less, mostly below 1e-3.
const LeastReach = 0.25

// Estimation is a solution whose digits are estimated.
type Estimation struct {
	*refine.Solution
	Thorough bool // with as much work as the solve took, for a verdict that depends on the estimate
}

// Estimate improves x by steps of refinement as far as that is cheap, and estimates its digits, within the work of allowance. It does
// nothing for a solve without refinement.
func (a Estimation) Estimate() error {
	defer a.Clock(&a.Spent.Estimating)()
	before := a.Digits.Iterations
	a.Digits, a.Reach = UnknownDigits(), 0
	a.Digits.Iterations = before
	switch {
	case a.S.Opt.Digits == solve.NoDigits || a.S.Opt.NoRefine || a.Vectors.AbsMax(a.X) == 0:
		return nil
	case a.Ctx.Err() != nil: // no time is left
		a.Digits.State = solve.DigitsNotConfirmed
		return nil
	}
	if done, err := a.bounded(); done || err != nil {
		return err
	}
	work := a.allowance()
	for range estimateRounds {
		size := a.Vectors.AbsMax(a.X)
		if size == 0 {
			break
		}
		if done, err := a.estimateOnce(work); done || err != nil {
			return err
		}
		if now := a.Vectors.AbsMax(a.X); now >= size/2 && now <= 2*size {
			return nil
		}
		// The size of roundings differs now from the size in the probe.
		before = a.Digits.Iterations
		a.Digits = UnknownDigits()
		a.Digits.Iterations = before
	}
	a.Digits.State = solve.DigitsNotConfirmed
	return nil
}

// estimateRounds is the number of times that digits are estimated while steps of refinement change the size of x.
const estimateRounds = 3

// estimateOnce probes, takes steps and concludes. done says that the estimate is final: the probe could not be solved.
func (a Estimation) estimateOnce(work allowance) (done bool, err error) {
	w, e := a.RowWeights()
	improve := &Improvement{Estimation: a, W: w, E: e, left: work.steps, size: math.NaN(), error: math.Inf(1)}
	if err := a.probe(w, e, work); err != nil {
		return true, err
	}
	if math.IsNaN(a.Digits.Probe) {
		a.Digits.State = solve.DigitsNotConfirmed
		return true, nil
	}
	run := improve.run
	if work.steps <= 0 || work.rough {
		run = improve.assess
	}
	if err := run(); err != nil {
		return true, err
	}
	improve.conclude(work)
	return false, nil
}

// WithinRoundings returns the digits that do not depend on the roundings of A and b.
func WithinRoundings(d solve.Digits) solve.Digits {
	if d.State != solve.DigitsBelieved && d.State != solve.DigitsEstimated {
		return d
	}
	d.Error = max(d.Error, d.Probe)
	if d.Believed = digitsOf(d.Error); d.Believed == 0 {
		d.State = solve.DigitsNone
	}
	return d
}

// UnknownDigits returns the Digits of an x about which nothing is known.
func UnknownDigits() solve.Digits {
	nan := math.NaN()
	return solve.Digits{Error: nan, Step: nan, Probe: nan, Condition: nan}
}

// allowance is the work that an estimate may take.
type allowance struct {
	steps, probe int  // iterations
	rough        bool // the probe is solved to half of roughTol, and x is assessed as it is
}

func (a Estimation) allowance() allowance {
	n := a.Solved.Iterations
	switch {
	case a.Thorough:
		return allowance{probe: max(rules.CompleteIter, n), rough: !a.complete()}
	case a.S.Opt.Digits > 0:
		return allowance{steps: max(rules.FurtherIter, 10*n), probe: max(rules.FurtherIter, 4*n)}
	case a.S.Nonzeros() <= rules.SmallProduct && a.complete():
		return allowance{steps: max(rules.CompleteIter, n/2), probe: max(rules.CompleteIter, n)}
	case a.S.Nonzeros() <= rules.SmallProduct:
		return allowance{steps: max(rules.SmallIter, n/2), probe: max(rules.SmallIter, n)}
	}
	limit := a.affordable()
	return allowance{steps: limit - 1, probe: max(rules.LeastDigits, limit), rough: !a.complete()}
}

// affordable returns the number of iterations, or of applications of complete factors, that take the share rules.DigitsShare of the work of the
// solve. It depends on neither clocks nor threads.
func (a Estimation) affordable() int {
	used, n, nnz := a.S.Refiner.Usage(), float64(a.S.Rows()), float64(a.S.Nonzeros())
	values, besides := float64(used.Precond.Cost.Values), rules.ResidualWork*nnz+rules.EstimateWork*n
	if used.Complete {
		return int(rules.DigitsShare * (used.Work + rules.OrderRow*n + rules.OrderWork*nnz) / (values + besides))
	}
	iteration := choice.IterationWork(solve.Method(used.Method), used.Precond.Kind, n, nnz, values)
	return int((rules.DigitsShare*(used.Work+rules.LookWork*nnz) - besides) / iteration)
}

// complete reports whether an application of the preconditioner solves.
func (a Estimation) complete() bool { return a.S.Refiner.Usage().Complete }

// direct reports whether an application of the preconditioner is to solve.
func (a Estimation) direct() bool { return a.complete() && a.S.Opt.Digits == 0 }

func (a Estimation) weighted(r, w []float64) float64 { return backend.Weighted(a.Vectors, r, w) }

// rms returns the root mean square of r_i / w_i.
func (a Estimation) rms(r, w []float64) float64 {
	largest := a.weighted(r, w)
	if largest == 0 {
		return 0
	}
	sum := a.Vectors.Sum(func(lo, hi int) (sum float64) {
		for i, v := range r[lo:hi] {
			q := v / w[lo+i] / largest
			sum += float64(q * q)
		}
		return sum
	})
	return largest * math.Sqrt(sum/float64(a.Vectors.Dim()))
}

// digitsOf returns the number of right digits for a relative error.
func digitsOf(e float64) int {
	if !(e < 1) {
		return 0
	}
	return min(solve.MaxDigits, int(-math.Log10(e)))
}

// Vectors of the host.
type (
	vector = []float64
)

// partSizes are the largest magnitudes of x in the parts of a system that no entry connects. Each part has its own digits. They count in small systems, and
// where judging x has shown that its largest elements hide errors of others: then no digit can be believed if none can in one part.
type partSizes struct{ row, column []float64 } // of the part of each row and of each column

// partSizes returns the sizes of the parts of x; nil where the parts need no care.
func (a Estimation) partSizes() *partSizes {
	if small := a.S.Nonzeros() <= rules.SmallProduct && rules.ByRows(a.S.Opt.Stop); a.Parts == nil && !small {
		return nil
	}
	p := &partSizes{}
	if j := a.S.Job; j != nil {
		p.row, p.column = verify.PartSizesDistributed(j.Matrix, a.X, a.S.Pool)
	} else {
		p.row, p.column = a.S.Known.Ordered.PartSizes(a.S.M, a.X, a.S.Pool)
	}
	return p
}

// spread is the least size of a part that Relative looks at, relative to the largest elements of x.
const spread = 0x1p-800

// Relative returns u ||d|| / ||x|| times 2^e in the maximum norm, for the part in which it is largest.
func (a Estimation) Relative(d []float64, e int) float64 {
	size := a.Vectors.AbsMax(a.X)
	parts := a.partSizes()
	if parts == nil {
		return backend.RelativeTo(a.Vectors.AbsMax(d), rules.Roundoff, size, e)
	}
	return a.Vectors.Max(func(lo, hi int) (most float64) {
		for j := lo; j < hi; j++ {
			x := parts.column[j]
			if v := d[j]; v != 0 && dd.Ldexp(x, -dd.Exponent(size)) > spread {
				most = max(most, backend.RelativeTo(math.Abs(v), rules.Roundoff, x, e))
			}
		}
		return most
	})
}

// RowWeights returns w_i = T_i ||x||_inf + |b_i|, the sizes of roundings of the rows, times 2^-e, with e such that the largest weight is
// near 1. No weight is below 2^-900. Where parts of the system need care, ||x||_inf is the norm in the part of row i. Where the unknowns have
// unlike units, T_i ||x||_inf is that of the scaled unknowns if that is less, see inUnits: both bound sum_j |a_ij| |x_j|.
func (a Estimation) RowWeights() (w []float64, e int) {
	sums, size := a.S.AbsSums(), a.Vectors.AbsMax(a.X)
	ex := dd.Exponent(size)
	e = backend.LeastExponent
	if t := a.Vectors.AbsMax(sums); t > 0 {
		e = dd.Exponent(min(t, math.MaxFloat64)) + ex
	}
	if b := a.Vectors.AbsMax(a.B); b > 0 {
		e = max(e, dd.Exponent(b))
	}
	parts := a.partSizes()
	inUnits := a.inUnits(size, e)
	w = make([]float64, len(sums))
	a.Vectors.Ranges(func(lo, hi int) {
		norm := dd.Ldexp(size, -ex)
		for i := lo; i < hi; i++ {
			if parts != nil {
				norm = dd.Ldexp(parts.row[i], -ex)
			}
			t := dd.Ldexp(min(sums[i], math.MaxFloat64)*norm, ex-e)
			if inUnits != nil {
				t = min(t, inUnits[i])
			}
			w[i] = max(0x1p-900, t+dd.Ldexp(math.Abs(a.B[i]), -e))
		}
	})
	return w, e
}
