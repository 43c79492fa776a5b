package solve

import (
	"math"
	"time"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/mp"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// multiprecise is iterative refinement of an x of multiple precision ([Higham02], chapter 12):
//
//	r = b - A x    but for roundings of x, rounded once to float64
//	A d = r        by the method, the preconditioner and the stored matrix in use
//	x = x + d
//
// The residual is always recomputed, so digits do not depend on how accurately d is known, which only counts for the number of
// steps. With u the roundoff of float64 and eta = rms(r_i/w_i), w_i = T_i ||x||_inf + |b_i|, the error of x after step k is estimated as
//
//	error = max(10 (eta_k/u) probe, 10 q_k ||d_k||/||x||),  q_k = max(eta_k/eta_k-1, ||d_k||/||d_k-1||)
//
// The first is what the digits probe has shown that A^-1 makes of a residual, the second what steps leave that contract.
type multiprecise struct {
	*answer
	result *Precise
	a      *mp.Matrix

	w     []float64 // weights of the rows, times 2^-e, in the order chosen
	e     int
	size  float64 // log10 ||x||_inf
	scale int     // 2^scale is about the size of A

	r, d []float64 // in the order chosen, times 2^(scale-exp), with which d is of the size of x and r
	exp  int
	eta  float64 // log10 rms(r_i/w_i)
	most float64 // log10 max r_i/w_i

	reduction float64 // of a step
	goal      float64 // of the last one
	lost      float64 // decades by which the residual of the last step fell by less
	left      int     // iterations

	further bool    // the last step was taken, and nothing else has changed
	from    int     // exp of the step before
	change  float64 // log10 of the size of the last step, relative to x; NaN: there was none
}

const (
	// stepReduction is what a step of refinement reduces the row-wise error of A d = r to at first, and leastReduction at the least.
	stepReduction  = 1e-12
	leastReduction = 1e-15
	// slowStep is the log10 of the reduction of the residual in a step from which a more accurate d is worth while, and
	// idleStep that from which steps are given up.
	slowStep = -1.
	idleStep = -0.3
	// fewIterationsOn is the number of iterations of a step from which the next one goes on from what its method has learnt.
	fewIterationsOn = 8
	// margin is the decades by which a step goes further than the digits asked for need.
	margin = 2
)

// newMultiprecise begins with the x of an answer.
func newMultiprecise(a *answer) *multiprecise {
	if a.s.multiple == nil {
		a.s.multiple = mp.NewMatrix(a.s.pool, a.s.parts()...)
	}
	v := &multiprecise{
		answer: a, a: a.s.multiple,
		r: make([]float64, len(a.x)), d: make([]float64, len(a.x)), reduction: stepReduction, change: math.NaN(),
	}
	want, bits := a.s.opt.Digits, a.s.opt.bitsFor(a.digits.Condition)
	v.result = &Precise{X: mp.New(len(a.x), bits), Asked: want, Bits: bits, Error: math.Inf(1), Bound: math.NaN()}
	v.result.X.SetFloat64s(a.s.Order.back(a.x))
	v.w, v.e = a.rowWeights()
	v.size = log10(a.vectors.AbsMax(a.x), 0)
	v.scale = max(-900, min(900, csr.Exponent(a.vectors.AbsMax(a.s.absSums()))))
	v.left = max(furtherIter, 10*a.solved.Iterations) * (1 + want/MaxDigits)
	return v
}

// givenParts are those of b in the order given.
func (v *multiprecise) givenParts() [][]float64 { return append([][]float64{v.given}, v.s.lowerB...) }

// run takes steps until the digits asked for are there, or cannot be reached.
func (v *multiprecise) run() error {
	p := v.result
	v.residual()
	p.Error = v.enlarged()
	v.took(krylov.Result{Iterations: v.solved.Iterations + v.digits.Iterations})
	for p.Error > -float64(p.Asked) && v.ctx.Err() == nil {
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

// step takes one, unless the residual grows by it.
func (v *multiprecise) step() (krylov.Result, error) {
	before, exp := v.eta, v.exp
	done, err := v.correct()
	if err != nil {
		return done, err
	}
	size := v.vectors.AbsMax(v.d)
	if v.further = size > 0 && finite(size); !v.further {
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
	v.change = log10(size, exp-v.scale) - v.size
	q := v.eta - before
	if !math.IsNaN(last) {
		q = max(q, v.change-last)
	}
	v.result.Error = max(v.enlarged(), v.change+min(0, q)+log10(safety, 0))
	v.took(done)
	return done, nil
}

// residual computes r, and its measures.
func (v *multiprecise) residual() {
	r := v.r
	if v.s.Order.permutation != nil {
		r = make([]float64, len(r))
	}
	v.exp = v.a.Residual(r, v.result.X, v.givenParts()...)
	v.r = v.s.Order.forth(r)
	v.eta, v.most = math.Inf(-1), math.Inf(-1)
	if most := v.weighted(v.r, v.w); most > 0 {
		v.most = log10(most, v.exp-v.e)
		v.eta = log10(v.rms(v.r, v.w), v.exp-v.e)
	}
	v.vectors.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			v.r[i] = csr.Ldexp(v.r[i], v.scale)
		}
	})
}

// enlarged is what the probe shows that A^-1 may make of r: log10 of the error of x.
func (v *multiprecise) enlarged() float64 {
	return v.eta + log10(safety/roundoff*v.digits.Probe, 0)
}

// correct solves A d = r.
func (v *multiprecise) correct() (krylov.Result, error) {
	need := -float64(v.result.Asked) - v.result.Error - margin
	v.goal = max(v.reduction, math.Pow(10, min(-1, need-v.lost)))
	goal := krylov.Goal{From: 1, To: v.goal, MaxIter: max(1, v.left), Further: v.further}
	done, err := v.s.refiner.correct(v.ctx, v.d, v.r, v.s.absSums(), v.from-v.exp, goal)
	v.digits.Iterations += done.Iterations
	v.solved.Orthogonalization += done.Orthogonalization
	return done, err
}

// add adds 2^(exp-scale) d to x, and recomputes the residual.
func (v *multiprecise) add(exp int) {
	v.result.X.AddScaled(v.s.Order.back(v.d), exp-v.scale)
	v.residual()
}

// tighten makes the next step more accurate; false if nothing is left to make it so.
func (v *multiprecise) tighten(reason krylov.Reason) bool {
	if v.reduction > leastReduction {
		v.reduction = leastReduction
		return true
	}
	return v.s.refiner.raise(reason)
}

// why says what is in the way of more digits.
func (v *multiprecise) why() string {
	switch {
	case v.ctx.Err() != nil:
		return ""
	case v.most <= log10(4, -v.result.Bits):
		return "the precision of x is exhausted"
	}
	return "steps of refinement no longer make the residual smaller: A is too ill-conditioned for them"
}

// took records a step, and tells the monitor.
func (v *multiprecise) took(done krylov.Result) {
	p := v.result
	p.Steps = append(p.Steps, PreciseStep{
		Change: v.change, Residual: v.most, Error: max(p.Error, p.least()), Iterations: done.Iterations, Time: time.Since(v.began),
	})
	if monitor := v.s.opt.Monitor; monitor != nil && len(p.Steps) > 1 {
		monitor(krylov.Event{
			Outer: v.solved.Outer + len(p.Steps) - 1, Iteration: v.solved.Iterations + v.digits.Iterations,
			Residual: done.Residual, Estimate: math.Pow(10, v.most),
		})
	}
}

// verify measures x by code of its own, with which the estimate of the error must agree, looks for a bound of the error, and
// counts digits.
func (v *multiprecise) verify() error {
	start := time.Now()
	defer func() { v.verifying += time.Since(start) }()
	p := v.result
	var bound dominating
	if len(v.s.opt.Lower) == 0 {
		bound = v.findBound()
	}
	errors, err := verify.Precisely(v.s.parts(), p.X.Number, v.givenParts(), bound.rows, p.Bits, v.s.pool)
	if err != nil {
		return err
	}
	p.Errors = errors
	// Where the residual is larger than refinement saw it, the error is as well.
	if seen := max(v.most, p.least()); v.parts == nil && errors.Row > seen {
		p.Error += errors.Row - seen
	}
	if bound.rows != nil {
		p.Bound = bound.factor + errors.Weighted - v.size
		p.Proved = preciseDigits(max(p.Bound, p.least()))
		p.Error = min(p.Error, p.Bound)
	}
	p.Error = max(p.Error, p.least())
	p.Believed = preciseDigits(p.Error)
	least := v.size + p.Error + float64(p.Asked) // log10 of the elements that have as many digits
	p.Elements = int(v.vectors.Sum(func(lo, hi int) (count float64) {
		for _, x := range v.x[lo:hi] {
			if log10(math.Abs(x), 0) >= least {
				count++
			}
		}
		return count
	}))
	return nil
}
