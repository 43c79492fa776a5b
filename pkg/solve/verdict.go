package solve

import (
	"context"
	"math"
	"time"
	"unsafe"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// answer is one right-hand side on its way to a Result. Vectors are in the order chosen.
type answer struct {
	s    *Solver
	ctx  context.Context
	x, b []float64

	vectors          *linop.Host   // operations on vectors like x
	given            []float64     // b in the order of the matrix as given
	verify.Judgement               // of x
	reason           krylov.Reason // of the end
	solved           krylov.Result // of refinement, with the work of all that follows it
	dropped          float64       // ||r||/||b|| of an x that was given up for zero; 0: none
	parts            []float64     // w_i with which max |r_i| / w_i <= Tol shows that x explains b in all blocks; nil: they need no care
	digits           Digits
	precise          *Precise // x with more digits; nil: none was asked for, or could be begun with
	began            time.Time
	evidence         *Evidence

	verifying, estimating time.Duration
}

// solve refines x, judges it, goes on where the judgement asks for that, and estimates
// its digits.
func (a *answer) solve(guess bool) (err error) {
	opt := a.s.opt
	a.solved, err = a.s.refiner.refine(a.ctx, a.x, a.b, krylov.Options[vector]{
		Tol: opt.Tol * tighter, MaxIter: opt.MaxIter, Guess: guess, Monitor: opt.Monitor,
	})
	if err != nil {
		return err
	}
	if a.solved.Reason == krylov.Converged {
		if err := a.improved(); err != nil {
			return err
		}
	} else if err := a.judge(); err != nil {
		return err
	}
	if a.met() && (a.Weights != nil || !a.solved.Reason.Converged()) {
		if err := a.explain(); err != nil {
			return err
		}
		if err := a.improved(); err != nil {
			return err
		}
	}
	a.reason = a.verdict()
	if !a.reason.Converged() {
		a.digits = unknownDigits()
	}
	if want := opt.floatDigits(); want > 0 && a.reason == krylov.Converged && a.digits.Believed < want {
		a.reason = krylov.TooFewDigits
	}
	if opt.precise() && a.reason == krylov.Converged {
		if err := a.refinePrecisely(); err != nil {
			return err
		}
	}
	if a.suspect() {
		if err := a.seekEvidence(); err != nil {
			return err
		}
	}
	return a.preferZero()
}

// improved improves x, estimates its digits and judges it.
func (a *answer) improved() error {
	x := a.x
	a.s.opt.Stage("estimating the digits of x")
	if err := a.estimate(); err != nil {
		return err
	}
	err := a.judge()
	if err == nil && !a.met() && unsafe.SliceData(x) != unsafe.SliceData(a.x) { // better by rows, but not by the measure
		a.x, a.digits = x, unknownDigits()
		err = a.judge()
	}
	return err
}

// judge measures x, as given. When the solve was ended from outside, that is all, unless x
// meets the measure: how x explains b changes nothing then, and takes several times as long.
func (a *answer) judge() (err error) {
	a.s.opt.Stage("verifying x")
	start := time.Now()
	defer func() { a.verifying += time.Since(start) }()
	if a.ctx.Err() != nil {
		errors, err := a.errors()
		a.Judgement = verify.Judgement{Errors: errors, Block: errors.Row, Unexplained: math.NaN()}
		if err != nil || !a.met() {
			return err
		}
	}
	if j := a.s.job; j != nil {
		a.Judgement = verify.JudgeDistributed(j.Matrix, a.x, a.given, a.s.opt.Tol, a.s.pool)
	} else {
		a.Judgement, err = a.judgeGiven()
	}
	return err
}

// errors measures x.
func (a *answer) errors() (verify.Errors, error) {
	if j := a.s.job; j != nil {
		return verify.ComputeDistributed(j.Matrix, a.x, a.given, a.s.pool), nil
	}
	return verify.Compute(a.s.given, a.s.Order.back(a.x), a.given, a.s.pool)
}

// unexplained is that of x in all blocks, whatever their size.
func (a *answer) unexplained() (float64, error) {
	if j := a.s.job; j != nil {
		return verify.UnexplainedDistributed(j.Matrix, a.x, a.given, a.s.pool), nil
	}
	return a.s.known.given.Unexplained(a.s.given, a.s.Order.back(a.x), a.given, a.s.pool)
}

// met reports whether the measure that counts is within the tolerance.
func (a *answer) met() bool { return a.s.opt.Stop.pick(a.Errors) <= a.s.opt.Tol }

// byRows reports whether the measure that counts is that of a row.
func (a *answer) byRows() bool { return a.s.opt.Stop == StopRow || a.s.opt.Stop == StopCW }

const (
	explainRounds = 3   // the blocks of an x that is better may be others
	furtherIter   = 200 // iterations that going on may take, or twice those so far
)

// explain goes on with an x that meets the measure but does not explain b, or not in all
// blocks, see verify.Judgement: to a residual that is small in each of them.
func (a *answer) explain() error {
	opt := a.s.opt
	if opt.NoRefine {
		return nil
	}
	limit := max(furtherIter, 2*a.solved.Iterations)
	for range explainRounds {
		if !a.byRows() || a.Weights == nil || limit <= 0 {
			return nil
		}
		w, x, before := a.vectors.New(), a.vectors.New(), a.Judgement
		copy(x, a.x)
		for i, v := range a.s.Order.forth(a.Weights) {
			w[i] = min(v+math.Abs(a.b[i]), math.MaxFloat64)
		}
		a.parts = w
		more, err := a.further(a.x, a.b, w, krylov.Options[vector]{
			Tol: opt.Tol * tighter, MaxIter: min(limit, opt.MaxIter), Guess: true,
		})
		if err != nil {
			return err
		}
		limit -= max(1, more.Iterations)
		a.solved.Iterations += more.Iterations
		a.solved.Outer += more.Outer
		if err := a.judge(); err != nil {
			return err
		}
		if !a.met() { // one row at the cost of another
			a.x, a.Judgement = x, before
			return nil
		}
	}
	return nil
}

// further is that of the refiner.
func (a *answer) further(x, b, w []float64, opt krylov.Options[vector]) (krylov.Result, error) {
	more, err := a.s.refiner.further(a.ctx, x, b, w, opt)
	a.solved.Orthogonalization += more.Orthogonalization
	return more, err
}

// verdict is the reason that the judgement of x leaves of the one that refinement stopped for.
func (a *answer) verdict() krylov.Reason {
	reason := a.solved.Reason
	switch {
	case reason == krylov.ZeroRHS:
		return reason
	case a.met() && !a.explained():
		return krylov.Singular
	case a.met():
		return krylov.Converged
	case reason.Converged():
		reason = krylov.Drift
	}
	if reachable := a.reachable(); !reason.Converged() && !limited(reason) &&
		a.s.opt.Tol < reachable && a.s.opt.Stop.pick(a.Errors) <= nearReachable*reachable {
		return krylov.PrecisionExhausted
	}
	if m := a.s.Method; (m == CG || m == MINRES) && !a.s.Facts.Symmetric {
		switch reason {
		case krylov.Breakdown, krylov.Stagnation, krylov.Divergence, krylov.Indefinite, krylov.Drift, krylov.Slow:
			return krylov.NotSymmetric
		}
	}
	return reason
}

// explained reports whether an x that meets the measure explains b as well. The normwise
// measure and the norm of the residual leave small rows aside, but not a tenth of b where no
// digits are estimated that would show what such an x is worth.
func (a *answer) explained() bool {
	most := verify.MaxUnexplained(a.s.opt.Tol)
	switch {
	case a.byRows():
		return a.Unexplained <= most
	case a.s.opt.NoRefine:
		return a.RelativeResidual <= most || a.Unexplained <= most && a.RelativeResidual < 0.1
	}
	return a.RelativeResidual <= most || a.Unexplained <= most
}

// suspect reports whether the system may have no solution: nothing else explains the end of
// the solve, or finding out is cheap.
func (a *answer) suspect() bool {
	switch a.reason {
	case krylov.Singular:
		return true
	case krylov.Converged: // by an x that may be far larger than b asks for, with nothing that confirms it
		return (a.digits.unconfirmed() || a.s.opt.NoRefine) && (a.s.rows() <= denseRows || a.Unexplained > unconfirmedResidual*a.s.opt.Tol)
	case krylov.Breakdown, krylov.Stagnation, krylov.Divergence, krylov.Drift, krylov.Slow, krylov.PrecisionExhausted:
		return a.s.rows() <= denseRows
	}
	return false
}

// unconfirmedResidual is the multiple of the tolerance from which an Unexplained without
// confirmed digits is suspect, and a contradiction counts. That of a solution of the size of b
// is near the tolerance.
const unconfirmedResidual = 100

// limited reports whether a solve was ended from outside.
func limited(r krylov.Reason) bool { return r == krylov.TimeLimit || r == krylov.Interrupted }

// nearReachable is the multiple of the reachable measure from which precision is exhausted.
const nearReachable = 16

// reachable is what rounding x to float64 may leave of the measure that counts.
func (a *answer) reachable() float64 { return a.s.opt.Stop.pick(a.Rounding) }

// preferZero replaces an x that did not converge and is no better than zero by zero. That of
// a solve that was ended from outside is left, as a guess for the next.
func (a *answer) preferZero() error {
	if a.reason.Converged() || a.reason == krylov.TooFewDigits || limited(a.reason) || a.RelativeResidual < 1 || a.vectors.AbsMax(a.x) == 0 {
		return nil
	}
	meaningless := a.evidence != nil || a.reason == krylov.NotSymmetric || a.reason == krylov.Indefinite // no approximation of anything
	if a.byRows() && !meaningless && a.Unexplained < 1 {
		if q, err := a.unexplained(); err != nil || q < 1 {
			return err
		}
	}
	a.dropped = a.RelativeResidual
	clear(a.x)
	return a.judge()
}

// absMax returns the largest magnitude.
func absMax(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}

// rowWeights are w_i = T_i ||x||_inf + |b_i|, the sizes of roundings of the rows, times
// 2^-e with e such that the largest is near 1. None is below 2^-900. ||x||_inf is that of the part
// of the system where parts need care.
func (a *answer) rowWeights() (w []float64, e int) {
	sums, size := a.s.absSums(), a.vectors.AbsMax(a.x)
	ex := csr.Exponent(size)
	e = leastExponent
	if t := a.vectors.AbsMax(sums); t > 0 {
		e = csr.Exponent(min(t, math.MaxFloat64)) + ex
	}
	if b := a.vectors.AbsMax(a.b); b > 0 {
		e = max(e, csr.Exponent(b))
	}
	parts := a.partSizes()
	w = make([]float64, len(sums))
	a.vectors.Ranges(func(lo, hi int) {
		norm := csr.Ldexp(size, -ex)
		for i := lo; i < hi; i++ {
			if parts != nil {
				norm = csr.Ldexp(parts.row[i], -ex)
			}
			t := min(sums[i], math.MaxFloat64)
			w[i] = max(0x1p-900, csr.Ldexp(t*norm, ex-e)+csr.Ldexp(math.Abs(a.b[i]), -e))
		}
	})
	return w, e
}
