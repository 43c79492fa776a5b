package digits

import (
	"math"
	"time"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// multiprecise is iterative refinement of an x of multiple precision ([Higham02], chapter 12):
//
//	r = b - A x    accurate to the precision of x, and rounded once to float64
//	A d = r        by the method, the preconditioner and the stored matrix in use
//	x = x + d
//
// The residual is always recomputed, so the accuracy of d does not limit the digits, but only the number of steps. With u the
// roundoff of float64 and eta = rms(r_i/w_i), w_i = T_i ||x||_inf + |b_i|, the error of x after step k is estimated as
//
//	error = max(10 (eta_k/u) probe, 10 q_k ||d_k||/||x||),  q_k = max(eta_k/eta_k-1, ||d_k||/||d_k-1||)
//
// The first term follows from the digits probe, which has shown how much A^-1 enlarges a residual, the second from the contraction of
// the steps.
type multiprecise struct {
	Estimation
	result *solve.Precise
	a      *mp.Matrix

	w     []float64 // weights of the rows, times 2^-e, in the order chosen
	e     int
	size  float64 // log10 ||x||_inf
	scale int     // 2^scale is about the size of A

	residuals
	control
}

// residuals are b - A x and its correction.
type residuals struct {
	r, d []float64 // in the order chosen, times 2^(scale-exp)
	exp  int
	eta  float64 // log10 rms(r_i/w_i)
	most float64 // log10 max r_i/w_i
}

// control is the state that decides how far steps go.
type control struct {
	reduction float64 // that a step aims at
	goal      float64 // that the last step aimed at
	lost      float64 // decades by which the residual of the last step missed the goal
	left      int     // iterations that steps may still take

	further bool    // the last step was taken, so that the next can go on from it
	from    int     // exp of the step before
	change  float64 // log10 of the size of the last step, relative to x; NaN: there was none
}

const (
	// stepReduction is the row-wise error of A d = r that a step aims at first, and leastReduction the least that it aims at.
	stepReduction  = 1e-12
	leastReduction = 1e-15
	// slowStep is the log10 of the reduction of the residual from which a more accurate d is worth while, and idleStep the log10 of
	// the reduction from which no more steps are taken.
	slowStep = -1.
	idleStep = -0.3
	// fewIterationsOn is the least number of iterations of a step from which the next step goes on.
	fewIterationsOn = 8
	// margin is the number of decades by which a step goes further than the digits asked for need.
	margin = 2
)

// newMultiprecise begins with the x of a solution in float64.
func newMultiprecise(a Estimation) *multiprecise {
	if a.S.Multiple == nil {
		a.S.Multiple = mp.NewMatrix(a.S.Pool, a.S.Parts()...)
		if a.S.Job != nil {
			a.S.Multiple.Largest = a.S.Job.LargestExponent
		}
	}
	v := &multiprecise{
		Estimation: a, a: a.S.Multiple,
		residuals: residuals{r: make([]float64, len(a.X)), d: make([]float64, len(a.X))},
		control:   control{reduction: stepReduction, change: math.NaN()},
	}
	want, bits := a.S.Opt.Digits, rules.BitsFor(a.S.Opt, a.Digits.Condition)
	v.result = &solve.Precise{X: mp.New(len(a.X), bits), Asked: want, Bits: bits, Error: math.Inf(1), Bound: math.NaN()}
	v.x().SetFloat64s(a.S.Order.Back(a.withGhosts(a.X)))
	v.w, v.e = a.RowWeights()
	v.size = Log10(a.Vectors.AbsMax(a.X), 0)
	v.scale = max(-900, min(900, dd.Exponent(a.Vectors.AbsMax(a.S.AbsSums()))))
	v.left = max(rules.FurtherIter, 10*a.Solved.Iterations) * (1 + want/solve.MaxDigits)
	return v
}

// x returns the vector to which steps add.
func (v *multiprecise) x() *mp.Vec { return v.result.X.(*mp.Vec) }

// run takes steps until x has the digits asked for, or cannot reach them.
func (v *multiprecise) run() error {
	p := v.result
	v.residual()
	p.Error = v.enlarged()
	v.took(krylov.Result{Iterations: v.Solved.Iterations + v.Digits.Iterations})
	for p.Error > -float64(p.Asked) && v.Ctx.Err() == nil {
		before, further := v.eta, v.further
		done, err := v.step()
		if err != nil {
			return err
		}
		if gain := v.eta - before; gain > slowStep {
			v.further = false // a fresh start may get further
			if !further && !v.tighten(done.Reason) && gain > idleStep {
				p.Why = v.why()
				return nil
			}
		}
		if v.left -= max(1, done.Iterations); v.left <= 0 && p.Error > -float64(p.Asked) {
			p.Why = "refinement took as many iterations as it may"
			return nil
		}
	}
	return nil
}

// step takes a step of refinement, and takes it back if the residual does not fall.
func (v *multiprecise) step() (krylov.Result, error) {
	before, exp := v.eta, v.exp
	done, err := v.correct()
	if err != nil {
		return done, err
	}
	size := v.Vectors.AbsMax(v.d)
	if v.further = size > 0 && backend.Finite(size); !v.further {
		return done, nil
	}
	v.add(exp)
	if v.further = v.eta < before && done.Iterations >= fewIterationsOn; v.eta >= before {
		for i := range v.d {
			v.d[i] = -v.d[i]
		}
		v.add(exp)
		return done, nil
	}
	v.from, v.lost = exp, max(0, v.eta-before-math.Log10(v.goal))
	last := v.change
	v.change = Log10(size, exp-v.scale) - v.size
	q := v.eta - before
	if !math.IsNaN(last) {
		q = max(q, v.change-last)
	}
	v.result.Error = max(v.enlarged(), v.change+min(0, q)+Log10(safety, 0))
	v.took(done)
	return done, nil
}

// residual computes r and its measures.
func (v *multiprecise) residual() {
	r := v.r
	if v.S.Order.Permutation != nil {
		r = make([]float64, len(r))
	}
	v.exp = v.a.Residual(r, v.x(), v.ownParts()...)
	v.r = v.S.Order.Forth(r)
	v.eta, v.most = math.Inf(-1), math.Inf(-1)
	if most := v.weighted(v.r, v.w); most > 0 {
		v.most = Log10(most, v.exp-v.e)
		v.eta = Log10(v.rms(v.r, v.w), v.exp-v.e)
	}
	v.Vectors.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			v.r[i] = dd.Ldexp(v.r[i], v.scale)
		}
	})
}

// enlarged returns the log10 of the error of x that r may cause, by the digits probe.
func (v *multiprecise) enlarged() float64 {
	return v.eta + Log10(safety/rules.Roundoff*v.Digits.Probe, 0)
}

// correct solves A d = r.
func (v *multiprecise) correct() (krylov.Result, error) {
	need := -float64(v.result.Asked) - v.result.Error - margin
	v.goal = max(v.reduction, math.Pow(10, min(-1, need-v.lost)))
	goal := krylov.Goal{From: 1, To: v.goal, MaxIter: max(1, v.left), Further: v.further}
	done, err := v.S.Refiner.Correct(v.Ctx, v.d, v.r, v.S.AbsSums(), v.from-v.exp, goal)
	v.d = v.withGhosts(v.d)
	v.Digits.Iterations += done.Iterations
	v.Solved.Orthogonalization += done.Orthogonalization
	return done, err
}

// withGhosts returns x; over domains a copy whose ghosts are those of its elements, and that is zero elsewhere. So ghosts of a sum of such vectors are the elements that
// they are copies of, in any precision, and no numbers of multiple precision are sent.
func (a Estimation) withGhosts(x []float64) []float64 {
	j := a.S.Job
	if j == nil {
		return x
	}
	y := a.own(x)
	j.Halo.Exchange(y)
	return y
}

// own returns x; over domains a copy that is zero but for own elements.
func (a Estimation) own(x []float64) []float64 {
	if a.S.Job == nil {
		return x
	}
	y := a.Vectors.New()
	a.Vectors.Ranges(func(lo, hi int) { copy(y[lo:hi], x[lo:hi]) })
	return y
}

// ownParts are givenParts without ghosts, which are of no rows of this rank.
func (a Estimation) ownParts() (parts [][]float64) {
	for _, b := range a.givenParts() {
		parts = append(parts, a.own(b))
	}
	return parts
}

// add adds 2^(exp-scale) d to x, and recomputes the residual.
func (v *multiprecise) add(exp int) {
	v.x().AddScaled(v.S.Order.Back(v.d), exp-v.scale)
	v.residual()
}

// tighten makes the next step more accurate. It returns false if that is not possible.
func (v *multiprecise) tighten(reason krylov.Reason) bool {
	if v.reduction > leastReduction {
		v.reduction = leastReduction
		return true
	}
	return v.S.Refiner.Raise(reason)
}

// why says why x cannot get more digits.
func (v *multiprecise) why() string {
	switch {
	case v.Ctx.Err() != nil:
		return ""
	case v.most <= Log10(4, -v.result.Bits):
		return "the precision of x is exhausted"
	}
	return "steps of refinement no longer make the residual smaller: A is too ill-conditioned for them"
}

// took records a step.
func (v *multiprecise) took(done krylov.Result) { v.record(v.result, v.change, v.most, done) }

// record adds a step to p, and calls the monitor.
func (a Estimation) record(p *solve.Precise, change, residual float64, done krylov.Result) {
	p.Steps = append(p.Steps, solve.PreciseStep{
		Change: change, Residual: residual, Error: max(p.Error, leastError(p)), Iterations: done.Iterations, Time: time.Since(a.Began),
	})
	if monitor := a.S.Opt.Monitor; monitor != nil && len(p.Steps) > 1 {
		monitor(krylov.Event{
			Outer: a.Solved.Outer + len(p.Steps) - 1, Iteration: a.Solved.Iterations + a.Digits.Iterations,
			Residual: done.Residual, Estimate: math.Pow(10, residual),
		})
	}
}

// verify measures the errors of x by package verify, corrects the estimate by them, looks for a bound of the error, and counts digits.
func (v *multiprecise) verify() error {
	start := time.Now()
	defer func() { v.Spent.Verifying += time.Since(start) }()
	p := v.result
	var bound dominating
	if len(v.S.Opt.Lower) == 0 {
		bound = v.findBound()
	}
	errors, err := v.measured(bound.rows)
	if err != nil {
		return err
	}
	p.Errors = errors
	// Where the residual is larger than refinement saw it, the error is as well.
	if seen := max(v.most, leastError(p)); v.Parts == nil && errors.Row > seen {
		p.Error += errors.Row - seen
	}
	if bound.rows != nil {
		p.Bound = bound.factor + errors.Weighted - v.size
		p.Proved = preciseDigits(max(p.Bound, leastError(p)))
		p.Error = min(p.Error, p.Bound)
	}
	p.Error = max(p.Error, leastError(p))
	p.Believed = preciseDigits(p.Error)
	least := v.size + p.Error + float64(p.Asked) // log10 of the elements that have as many digits
	p.Elements = int(v.Vectors.Sum(func(lo, hi int) (count float64) {
		for _, x := range v.X[lo:hi] {
			if Log10(math.Abs(x), 0) >= least {
				count++
			}
		}
		return count
	}))
	return nil
}

// measured returns the errors of x by package verify, with weights of the rows.
func (v *multiprecise) measured(weights []float64) (verify.PreciseErrors, error) {
	if j := v.S.Job; j != nil {
		return verify.PreciselyDistributed(j.Matrix, v.x().Number, v.Given, weights, v.result.Bits, v.S.Pool), nil
	}
	return verify.Precisely(v.S.Parts(), v.x().Number, v.givenParts(), weights, v.result.Bits, v.S.Pool)
}
