package solve

import (
	"context"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// maxTightenings is how many times M x = b is solved to a smaller error when that of x in
// A x = b is above the tolerance: rows P get what the other residuals sum to.
const maxTightenings = 3

// solve implements special.
func (n *nullSpace) solve(ctx context.Context, b, x0 []float64) (Result, error) {
	return n.solveBy(ctx, n.inner, b, x0)
}

// solveBy is solve with a solver of M.
func (n *nullSpace) solveBy(ctx context.Context, by *Solver, b, x0 []float64) (Result, error) {
	start := time.Now()
	consistent := b
	if !n.found {
		consistent = orthogonalTo(n.left, b)
	}
	if x0 != nil {
		if err := CheckVector("initial guess", x0, n.a.Rows); err != nil {
			return Result{}, err
		}
		x0 = n.pinned.vanish(x0)
	}
	inner := *by // with a tolerance of its own
	var total Result
	for k := 0; ; k++ {
		r, err := inner.Solve(ctx, consistent, x0)
		if err != nil {
			return Result{}, err
		}
		x := orthogonalTo(n.right, r.X)
		judged, err := verify.Judge(n.a, x, b, n.opt.Tol, n.pool)
		if err != nil {
			return Result{}, err
		}
		errs := judged.Errors
		x0 = r.X
		total = total.followedBy(r)
		total.X, total.Errors = x, errs
		if n.rounded {
			total.Digits = total.Digits.withinRoundings()
		}
		component, y := n.component(b, x)
		total.NullSpace = NullSpaceResult{len(n.right), n.residual, component}
		var evidence *Evidence
		if y != nil {
			shown := weigh(n.a, y, b)
			evidence = &shown
			if n.found && k == 0 && r.Reason.Converged() {
				consistent = orthogonalTo(n.left, b)
				continue
			}
		}
		e := n.opt.Stop.pick(errs)
		if evidence != nil || e <= n.opt.Tol || !r.Reason.Converged() || k == maxTightenings {
			n.judge(&total, e, evidence)
			if total.Reason.Converged() && judged.Unexplained > verify.MaxUnexplained(n.opt.Tol) {
				n.unexplained(&total, b)
			}
			err := n.preferZero(&total, b)
			total.Time.Total = time.Since(start)
			return total, err
		}
		consistent = orthogonalTo(n.left, b)
		inner.opt.Tol *= min(0.1, 0.5*n.opt.Tol/e)
	}
}

// judge sets the reason that the error e of x, and evidence that b is not consistent, leave of
// that for which the solve with M stopped.
func (n *nullSpace) judge(r *Result, e float64, evidence *Evidence) {
	switch {
	case r.Reason == krylov.TimeLimit || r.Reason == krylov.Interrupted:
	case evidence != nil:
		r.Reason, r.Evidence = krylov.Inconsistent, evidence
		n.opt.Log(fmt.Sprintf("nullspace inconsistent: |y'b| is %.1e of its terms for a y of the left null space; solved for b less that", evidence.Product))
		r.Advice = "b is not in the range of A; x is a solution of least squares; check b (--rhs)"
	case r.Reason.Converged() && !(e <= n.opt.Tol):
		r.Reason = krylov.Drift
		r.Advice = fmt.Sprintf("the solve ended a little above the tolerance; try --tol %.1g", n.opt.Tol/2)
	}
}

// unexplained sets the reason of an x that does not explain b: the null space is larger than
// what was found of it.
func (n *nullSpace) unexplained(r *Result, b []float64) {
	r.Reason, r.Advice = krylov.Singular, singularAdvice
	r.Digits = unknownDigits()
	if len(b) > denseRows {
		return
	}
	if v := strongest(n.a, b, leftNullVectors(n.a)); v != nil {
		r.Reason, r.Evidence, r.Advice = krylov.Inconsistent, v, inconsistentAdvice
	}
}

// preferZero replaces an x that contradicts b, and is no better than zero, by zero. One of least
// squares is better.
func (n *nullSpace) preferZero(r *Result, b []float64) (err error) {
	if r.Reason != krylov.Inconsistent && r.Reason != krylov.Singular || r.Errors.RelativeResidual <= 1 || absMax(r.X) == 0 {
		return nil
	}
	r.Advice = singularAdvice
	if r.Reason == krylov.Inconsistent {
		r.Advice = inconsistentAdvice
	}
	r.Cautions = append(r.Cautions, fmt.Sprintf(zeroReturned, r.Errors.RelativeResidual))
	clear(r.X)
	r.Errors, err = verify.Compute(n.a, r.X, b, n.pool)
	return err
}

func (n *nullSpace) chosen() Result { return n.inner.Chosen() }

func (n *nullSpace) ladder() []string { return n.inner.Ladder() }

func (n *nullSpace) memory() []MethodMemory { return n.inner.Memory() }

// close implements special.
func (n *nullSpace) close() {
	n.inner.Close()
	n.pool.Close()
}

// followedBy is the work of two solves, and all else of the second.
func (r Result) followedBy(next Result) Result {
	next.Outer += r.Outer
	next.Iterations += r.Iterations
	next.SpMVs += r.SpMVs
	next.Precond.Applications += r.Precond.Applications
	next.Precond.Elapsed += r.Precond.Elapsed
	next.Time.SpMV += r.Time.SpMV
	next.Time.Precond += r.Time.Precond
	next.Time.Orthogonalization += r.Time.Orthogonalization
	next.Time.Verify += r.Time.Verify
	return next
}
