package solver

import (
	"github.com/mpsolve/mpsolve/internal/solver/digits"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// evidence returns the search for evidence that the system has no solution.
func (a *solution) evidence() special.EvidenceSearch {
	return special.EvidenceSearch{Solution: a.Solution, Make: makeInner}
}

// suspect reports whether to look for evidence that the system has no solution: nothing else explains why the solve ended, or
// the search is cheap.
func (a *solution) suspect() bool {
	switch {
	case a.Reason == krylov.Singular:
		return true
	case a.Reason == krylov.Converged: // x may be far larger than b asks for, and neither digits confirm it nor a probe explains its size
		return (digits.Unconfirmed(a.Digits) || a.s.Opt.NoRefine) && (a.s.Rows() <= rules.DenseRows || a.factors || a.oversized() || a.factorsFit()) &&
			!(digits.Estimation{Solution: a.Solution}).Regular()
	case a.failed(), a.Reason == krylov.PrecisionExhausted:
		return a.s.Job == nil || a.s.Rows() <= rules.DenseRows
	}
	return false
}

// factorsFit reports whether complete factors take less than the solve, in which they show whether x is larger than b asks for since equations contradict each
// other: a probe that was not solved to the end has not told, since one of a singular A may be as large as x is beside b.
func (a *solution) factorsFit() bool {
	return a.Unexplained > special.UnconfirmedResidual*a.s.Opt.Tol && a.s.Job == nil &&
		a.s.Workload().CompleteWork() <= a.s.Refiner.Usage().Work
}

// failed reports whether the methods could not go on, which may be so since A is singular.
func (a *solution) failed() bool {
	switch a.Reason {
	case krylov.Breakdown, krylov.Stagnation, krylov.Divergence, krylov.Drift, krylov.Slow:
		return true
	}
	return false
}

// oversized reports whether x is larger than b asks for, and no probe explains that: what x leaves of b is beyond what counts as a contradiction, or far more than the
// error of x beside its own size.
func (a *solution) oversized() bool {
	return a.Reach < digits.LeastReach && (a.Unexplained > special.UnconfirmedResidual*a.s.Opt.Tol || a.Unexplained > rules.Oversized*a.Errors.Row)
}

// direct solves by complete factors where those are cheap: an x that does not explain b may be one that iterations cannot make better.
func (a *solution) direct() error {
	if a.s.Job != nil {
		return nil
	}
	for x := range a.evidence().Direct {
		if a.s.Opt.NoRefine { // then x stays, and only the verdict on A is at stake
			j, err := a.s.Known.Given.Judge(a.s.Given, x, a.Given, a.s.Opt.Tol, a.s.Pool)
			if err == nil && rules.ErrorOf(a.s.Opt.Stop, j.Errors) <= a.s.Opt.Tol && rules.Explains(j, a.s.Opt) {
				a.Reason = krylov.Drift
			}
			return err
		}
		before, judged, counted := a.X, a.Judgement, a.Digits
		a.X = a.s.Order.Forth(x)
		if err := a.improved(); err != nil {
			return err
		}
		if a.Reason = a.verdict(); a.Reason == krylov.Converged {
			a.factors = true
			a.s.Say("verdict: x that iterations found does not explain b; complete factors gave one that does")
			return nil
		}
		a.X, a.Judgement, a.Digits, a.Reason = before, judged, counted, krylov.Singular
	}
	return nil
}

// leastNorm solves for the x of least norm with a matrix that is singular to rounding, if its null space can be found: equations that depend on each other may
// have solutions all the same.
func (a *solution) leastNorm() error {
	// An auxiliary system has no solution of its own, and one of many solutions has no digits.
	if a.s.Job != nil || a.s.Opt.NoRefine || a.s.Ordinary || rules.FloatDigits(a.s.Opt) > 0 || rules.Precise(a.s.Opt) {
		return nil
	}
	r := a.evidence().LeastNorm()
	if r == nil {
		return nil
	}
	before, judged, counted, reason := a.X, a.Judgement, a.Digits, a.Reason
	a.X, a.Digits = a.s.Order.Forth(r.X), r.Digits
	if err := a.judge(); err != nil {
		return err
	}
	if a.Reason = a.verdict(); a.Reason != krylov.Converged {
		a.X, a.Judgement, a.Digits, a.Reason = before, judged, counted, reason
		return nil
	}
	a.least, a.undecided = r, false
	a.Solved.Iterations += r.Iterations
	return nil
}
