package special

import (
	"context"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/digits"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// maxTightenings is the number of times that M x = b is solved to a smaller error while the error of x in A x = b is above the
// tolerance: the rows P get the sum of the other residuals.
const maxTightenings = 3

// Solve implements solver.kind.
func (n *NullSpace) Solve(ctx context.Context, b, x0 []float64) (solve.Result, error) {
	return n.SolveBy(ctx, n.Inner, b, x0)
}

// SolveBy is Solve with another solver of M.
func (n *NullSpace) SolveBy(ctx context.Context, by Inner, own, guess []float64) (solve.Result, error) {
	start := time.Now()
	b := n.a.spread(own)
	consistent := b
	if !n.found {
		consistent = n.a.orthogonalTo(n.left, b)
	}
	if guess != nil {
		if err := n.a.check("initial guess", guess); err != nil {
			return solve.Result{}, err
		}
		guess = n.a.own(n.a.vanish(n.pinned, n.a.spread(guess)))
	}
	tol := n.opt.Tol // of the solves with M
	solver := by.WithTol(tol)
	var total solve.Result
	for k := 0; ; k++ {
		r, err := solver.Solve(ctx, n.a.own(consistent), guess)
		if err != nil {
			return solve.Result{}, err
		}
		x := n.a.orthogonalTo(n.right, n.a.spread(r.X))
		judged, err := n.a.judge(x, b, n.opt.Tol)
		if err != nil {
			return solve.Result{}, err
		}
		errs := judged.Errors
		guess = r.X
		total = Followed(total, r)
		total.X, total.Errors = n.a.own(x), errs
		if n.rounded {
			total.Digits = digits.WithinRoundings(total.Digits)
		}
		component, y := n.component(b, x)
		total.NullSpace = solve.NullSpaceResult{Dim: len(n.right), Residual: n.residual, Component: component}
		var evidence *solve.Evidence
		if y != nil {
			// The size of an x that has not converged does not say what the deviation of y'A from zero explains.
			if shown := n.a.weigh(y, b); r.Reason.Converged() || Shows(shown, int(n.a.N)) {
				evidence = &shown
			}
			if n.found && k == 0 && r.Reason.Converged() {
				consistent = n.a.orthogonalTo(n.left, b)
				continue
			}
		}
		e := rules.ErrorOf(n.opt.Stop, errs)
		if evidence != nil || e <= n.opt.Tol || !r.Reason.Converged() || k == maxTightenings {
			n.judge(&total, e, evidence)
			if total.Reason.Converged() && judged.Unexplained > verify.MaxUnexplained(n.opt.Tol) {
				n.unexplained(&total, b)
			}
			err := n.preferZero(&total, x, b, judged.Unexplained)
			total.Time.Total = time.Since(start)
			return total, err
		}
		consistent = n.a.orthogonalTo(n.left, b)
		tol *= min(0.1, 0.5*n.opt.Tol/e)
		solver = solver.WithTol(tol)
	}
}

// judge sets the reason and the advice, by the reason of the solve with M, the error e of x, and evidence that b is not consistent.
func (n *NullSpace) judge(r *solve.Result, e float64, evidence *solve.Evidence) {
	switch {
	case r.Reason == krylov.TimeLimit || r.Reason == krylov.Interrupted:
	case evidence != nil:
		r.Reason, r.Evidence = krylov.Inconsistent, evidence
		n.opt.Log(fmt.Sprintf("nullspace inconsistent: |y'b| is %.1e of its terms for a y of the left null space; solved for b less that", evidence.Product))
		r.Advice = "b is not in the range of A; x is a solution of least squares; check b"
	case r.Reason.Converged() && !(e <= n.opt.Tol):
		r.Reason = krylov.Drift
		r.Advice = fmt.Sprintf("the solve ended a little above the tolerance; try Options.Tol = %.1g", n.opt.Tol/2)
	}
}

// unexplained sets the reason for an x that does not explain b: the null space is larger than found.
func (n *NullSpace) unexplained(r *solve.Result, b []float64) {
	r.Reason, r.Advice = krylov.Singular, SingularAdvice
	r.Digits = digits.UnknownDigits()
	if n.a.N > rules.DenseRows {
		return
	}
	m, all := n.a.gathered(b)
	if v := strongest(m, all, LeftNullVectors(m)); v != nil {
		v.Y = n.a.ownOf(v.Y)
		r.Reason, r.Evidence, r.Advice = krylov.Inconsistent, v, InconsistentAdvice
	}
}

// preferZero replaces an x by zero if the system is singular or inconsistent, or the solve has failed with so much of b unexplained, and x is no better than
// zero. A least-squares solution is better. The solve with M has compared x with zero for the right-hand side of M.
func (n *NullSpace) preferZero(r *solve.Result, x, b []float64, unexplained float64) (err error) {
	failed := !r.Reason.Converged() && !ranks.Limited(r.Reason) && unexplained >= 1
	if r.Reason != krylov.Inconsistent && r.Reason != krylov.Singular && !failed || r.Errors.RelativeResidual <= 1 || n.a.AbsMax(x) == 0 {
		return nil
	}
	switch r.Reason {
	case krylov.Inconsistent:
		r.Advice = InconsistentAdvice
	case krylov.Singular:
		r.Advice = SingularAdvice
	}
	r.Cautions = []string{fmt.Sprintf(ZeroReturned, r.Errors.RelativeResidual)}
	clear(x)
	r.X = n.a.own(x)
	r.Errors, err = n.a.errors(x, b)
	return err
}

// Chosen implements solver.kind.
func (n *NullSpace) Chosen() solve.Result { return n.Inner.Chosen() }

// Fallbacks implements solver.kind.
func (n *NullSpace) Fallbacks() []string { return n.Inner.Fallbacks() }

// Memory implements solver.kind.
func (n *NullSpace) Memory() []choice.MethodMemory { return n.Inner.Memory() }

// Close implements solver.kind.
func (n *NullSpace) Close() {
	n.Inner.Close()
	n.a.pool.Close()
}

// Followed returns the result next with the work of r added.
func Followed(r, next solve.Result) solve.Result {
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
