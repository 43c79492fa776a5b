package solver

import (
	"math"
	"time"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/solver/digits"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// solution is the solve for one right-hand side, on its way to a Result.
type solution struct {
	*refine.Solution
	s       *Solver
	before  refine.Used // work before the solve
	dropped float64     // ||r||/||b|| of an x that preferZero replaced by zero; 0: none

	unknowns  []int         // of a null vector of A, if they are few
	least     *solve.Result // with the solution of least norm, if A has turned out to be singular; nil: x is another one
	factors   bool          // x is of direct, after an x that did not explain b
	undecided bool          // x is larger than b asks for, and no evidence says why
	cut       bool          // the search for evidence ended before its end
}

// solve refines x, judges it, goes on where the judgement asks for more, and estimates the digits of x.
// It starts from the guess a.X, or from zero.
func (a *solution) solve(guess bool) (err error) {
	opt := a.s.Opt
	a.Began, a.before = time.Now(), a.s.recorder.Since(a.s.Refiner.Usage().Used())
	if a.evidence().Contradicted() {
		clear(a.X)
		return a.judge()
	}
	if a.s.Job == nil {
		a.s.Contradicted = a.evidence().Certain
	}
	a.s.Refiner.Accompany(digits.Estimation{Solution: a.Solution}.Companion())
	a.Solved, err = a.s.Refiner.Refine(a.Ctx, a.X, a.B, krylov.Options[vector]{
		Tol: opt.Tol * refine.Tighter, MaxIter: opt.MaxIter, Guess: guess, Monitor: opt.Monitor,
	})
	a.s.Contradicted = nil
	if err != nil {
		return err
	}
	if a.Solved.Reason == krylov.Converged {
		if err := a.improved(); err != nil {
			return err
		}
	} else if err := a.judge(); err != nil {
		return err
	}
	if a.met() && (a.Weights != nil || !a.Solved.Reason.Converged()) {
		if err := a.explain(); err != nil {
			return err
		}
		if err := a.improved(); err != nil {
			return err
		}
	}
	if a.Reason = a.verdict(); a.Reason == krylov.Singular {
		if err := a.direct(); err != nil {
			return err
		}
	}
	if !a.Reason.Converged() {
		a.Digits = digits.UnknownDigits()
	}
	if want := rules.FloatDigits(opt); want > 0 && a.Reason == krylov.Converged && a.Digits.Believed < want {
		a.Reason = krylov.TooFewDigits
	}
	if rules.Precise(opt) && a.Reason == krylov.Converged {
		if again, err := (digits.Estimation{Solution: a.Solution}).RefinePrecisely(); err != nil {
			return err
		} else if again {
			if err := a.judge(); err != nil {
				return err
			}
		}
	}
	if again, err := (digits.Estimation{Solution: a.Solution}).Factored(); err != nil {
		return err
	} else if again {
		if err := a.judge(); err != nil {
			return err
		}
		if a.Reason == krylov.Converged && a.Precise == nil && !a.met() { // in float64, whose range may end above elements of x
			a.Reason = krylov.Drift
		}
	}
	if a.suspect() {
		spent := &a.Spent.Verifying
		if a.Reason == krylov.Converged { // for want of digits that confirm x
			spent = &a.Spent.Estimating
		}
		stop := a.Clock(spent)
		err := a.clear()
		if stop(); err != nil {
			return err
		}
		a.undecided = a.Reason == krylov.Converged && a.oversized()
		a.cut = a.Evidence == nil && a.Ctx.Err() != nil
	}
	if a.Reason == krylov.Singular || a.undecided || a.failed() {
		if err := a.leastNorm(); err != nil {
			return err
		}
	}
	if a.undecided && min(a.RelativeResidual, a.Unexplained) >= rules.Unconfirmed && !rules.ByRows(opt.Stop) {
		a.Reason = krylov.Singular
	}
	if unnamed := a.Reason == krylov.Inconsistent && a.Evidence.Rows == nil; (a.Reason == krylov.Singular || unnamed) && a.s.Job == nil {
		a.unknowns = a.evidence().NullUnknowns()
	}
	return a.preferZero()
}

// improved improves x, estimates its digits, and judges it.
func (a *solution) improved() error {
	x := a.X
	a.s.Opt.Stage("estimating the digits of x")
	if err := (digits.Estimation{Solution: a.Solution}).Estimate(); err != nil {
		return err
	}
	err := a.judge()
	if err == nil && !a.met() && unsafe.SliceData(x) != unsafe.SliceData(a.X) { // better by rows, but not by the measure
		a.X, a.Digits = x, digits.UnknownDigits()
		a.Digits.State = solve.DigitsNotConfirmed // of this x
		err = a.judge()
	}
	return err
}

// judge judges x by the matrix as given. After a solve that was ended from outside it only measures the errors, unless x meets
// the tolerance: whether x explains b does not matter then, and takes several times as long to find out.
func (a *solution) judge() (err error) {
	a.s.Opt.Stage("verifying x")
	start := time.Now()
	defer func() { a.Spent.Verifying += time.Since(start) }()
	if a.Ctx.Err() != nil {
		errors, err := a.errors()
		a.Judgement = verify.Judgement{Errors: errors, Block: errors.Row, Unexplained: math.NaN()}
		if err != nil || !a.met() {
			return err
		}
	}
	if j := a.s.Job; j != nil {
		a.Judgement = verify.JudgeDistributed(j.Matrix, a.X, a.Given, a.s.Opt.Tol, a.s.Pool)
	} else {
		a.Judgement, err = a.judgeGiven()
	}
	if err != nil {
		return err
	}
	return rules.LookAtParts(&a.Judgement, a.s.Opt, a.unexplained)
}

// errors returns the errors of x.
func (a *solution) errors() (verify.Errors, error) {
	if j := a.s.Job; j != nil {
		e, _ := verify.ComputeDistributed(j.Matrix, a.X, a.Given, false, a.s.Pool)
		return e, nil
	}
	return verify.Compute(a.s.Given, a.s.Order.Back(a.X), a.Given, a.s.Pool)
}

// unexplained returns verify.Judgement.Unexplained of x over all blocks, whatever their size.
func (a *solution) unexplained() (float64, error) {
	if j := a.s.Job; j != nil {
		return verify.UnexplainedDistributed(j.Matrix, a.X, a.Given, a.s.Pool), nil
	}
	return a.s.Known.Given.Unexplained(a.s.Given, a.s.Order.Back(a.X), a.Given, a.s.Pool)
}

// met reports whether the error that Options.Stop names is within the tolerance.
func (a *solution) met() bool { return rules.ErrorOf(a.s.Opt.Stop, a.Errors) <= a.s.Opt.Tol }

// verdict returns the reason why the solve ended: the reason of refinement, as far as the judgement of x confirms it.
func (a *solution) verdict() krylov.Reason {
	reason := a.Solved.Reason
	switch {
	case reason == krylov.ZeroRHS && a.met():
		return reason
	case a.met() && !a.explained():
		return krylov.Singular
	case a.met():
		return krylov.Converged
	case reason.Converged():
		reason = krylov.Drift
	}
	if reachable := a.reachable(); !reason.Converged() && !ranks.Limited(reason) &&
		a.s.Opt.Tol < reachable && rules.ErrorOf(a.s.Opt.Stop, a.Errors) <= refine.NearReachable*reachable {
		return krylov.PrecisionExhausted
	}
	if m := a.s.Method; (m == solve.CG || m == solve.MINRES) && !a.s.Facts.Symmetric {
		switch reason {
		case krylov.Breakdown, krylov.Stagnation, krylov.Divergence, krylov.Indefinite, krylov.Drift, krylov.Slow:
			return krylov.NotSymmetric
		}
	}
	return reason
}

// explained reports whether an x that meets the tolerance also explains b.
func (a *solution) explained() bool { return rules.Explains(a.Judgement, a.s.Opt) }

// reachable returns the error that rounding x to float64 alone may cause, in the measure that Options.Stop names.
func (a *solution) reachable() float64 { return rules.ErrorOf(a.s.Opt.Stop, a.Rounding) }

// preferZero replaces an x that has not converged and is no better than zero by zero. It keeps the x of a solve that was ended
// from outside, as a guess for the next solve, unless that would leave the guess out.
func (a *solution) preferZero() error {
	kept := a.Reason.Converged() || a.Reason == krylov.TooFewDigits || ranks.Limited(a.Reason) && a.RelativeResidual <= rules.WorstGuess
	if kept || a.RelativeResidual < 1 || a.Vectors.AbsMax(a.X) == 0 {
		return nil
	}
	meaningless := a.Evidence != nil || a.Reason == krylov.NotSymmetric || a.Reason == krylov.Indefinite // no approximation of anything
	if rules.ByRows(a.s.Opt.Stop) && !meaningless && a.Unexplained < 1 {
		if q, err := a.unexplained(); err != nil || q < 1 {
			return err
		}
	}
	a.dropped = a.RelativeResidual
	clear(a.X)
	return a.judge()
}

// judgeGiven judges x by the matrix as given, together with the x of other columns of the batch.
func (a *solution) judgeGiven() (j verify.Judgement, err error) {
	s, x := a.s, a.s.Order.Back(a.X)
	judge := func(pool *parallel.Pool) { j, err = s.Known.Given.Judge(s.Given, x, a.Given, s.Opt.Tol, pool) }
	if s.side.column == nil {
		judge(s.Pool)
		return j, err
	}
	s.side.column.Ask(&Request{Judge: judge, Of: Judgements{Known: s.Known, Pool: s.Pool}})
	return j, err
}

// Judge returns the verdict of [Solver.Solve] on an x from any source, by opt.Stop and opt.Tol. The Result has x, its Errors,
// LeastSquares if the matrix is not square, the Reason and the Advice. The Reason is krylov.Running if x is merely
// not accurate enough. Judge does not estimate Digits, which would take a solve.
func Judge(m *csr.Matrix, x, b []float64, opt solve.Options) (r solve.Result, err error) {
	if err = rules.Validate(opt); err != nil {
		return r, err
	}
	if err = m.Validate(); err != nil {
		return r, &solve.InputError{Msg: err.Error()}
	}
	pool := parallel.New(opt.Threads)
	defer pool.Close()
	if f := csr.Examine(m, pool); f.NonFinite > 0 {
		return r, rules.Solvable(f)
	}
	if err = rules.CheckVector("right-hand side", b, m.Rows); err != nil {
		return r, err
	}
	if err = rules.CheckVector("solution", x, m.Cols); err != nil {
		return r, err
	}
	opt = rules.WithDefaults(opt, max(m.Rows, m.Cols))
	opt.NoRefine = true // for rules.Explains: no digits show how accurate x is
	if r.X = x; m.Rows != m.Cols {
		err = special.JudgeLeastSquares(m, &r, b, opt, pool)
	} else {
		err = judgeSquare(m, &r, b, opt, pool)
	}
	r.Advice = r.Reason.Advice()
	return r, err
}

func judgeSquare(m *csr.Matrix, r *solve.Result, b []float64, opt solve.Options, pool *parallel.Pool) error {
	j, err := verify.Judge(m, r.X, b, opt.Tol, pool)
	r.Errors = j.Errors
	if err == nil {
		err = rules.LookAtParts(&j, opt, func() (float64, error) { return new(verify.Known).Unexplained(m, r.X, b, pool) })
	}
	measure, reachable := rules.ErrorOf(opt.Stop, j.Errors), rules.ErrorOf(opt.Stop, j.Rounding)
	switch {
	case measure <= opt.Tol && rules.Explains(j, opt):
		r.Reason = krylov.Converged
	case measure <= opt.Tol:
		r.Reason = krylov.Singular
	case opt.Tol < reachable && measure <= refine.NearReachable*reachable:
		r.Reason = krylov.PrecisionExhausted
	}
	return err
}
