package special

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/digits"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
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
func (n *NullSpace) SolveBy(ctx context.Context, by Inner, b, x0 []float64) (solve.Result, error) {
	start := time.Now()
	consistent := b
	if !n.found {
		consistent = orthogonalTo(n.left, b)
	}
	if x0 != nil {
		if err := rules.CheckVector("initial guess", x0, n.a.Rows); err != nil {
			return solve.Result{}, err
		}
		x0 = n.pinned.vanish(x0)
	}
	tol := n.opt.Tol // of the solves with M
	solver := by.WithTol(tol)
	var total solve.Result
	for k := 0; ; k++ {
		r, err := solver.Solve(ctx, consistent, x0)
		if err != nil {
			return solve.Result{}, err
		}
		x := orthogonalTo(n.right, r.X)
		judged, err := verify.Judge(n.a, x, b, n.opt.Tol, n.pool)
		if err != nil {
			return solve.Result{}, err
		}
		errs := judged.Errors
		x0 = r.X
		total = Followed(total, r)
		total.X, total.Errors = x, errs
		if n.rounded {
			total.Digits = digits.WithinRoundings(total.Digits)
		}
		component, y := n.component(b, x)
		total.NullSpace = solve.NullSpaceResult{Dim: len(n.right), Residual: n.residual, Component: component}
		var evidence *solve.Evidence
		if y != nil {
			// The size of an x that has not converged does not say what the deviation of y'A from zero explains.
			if shown := weigh(n.a, y, b); r.Reason.Converged() || Shows(shown, len(y)) {
				evidence = &shown
			}
			if n.found && k == 0 && r.Reason.Converged() {
				consistent = orthogonalTo(n.left, b)
				continue
			}
		}
		e := rules.ErrorOf(n.opt.Stop, errs)
		if evidence != nil || e <= n.opt.Tol || !r.Reason.Converged() || k == maxTightenings {
			n.judge(&total, e, evidence)
			if total.Reason.Converged() && judged.Unexplained > verify.MaxUnexplained(n.opt.Tol) {
				n.unexplained(&total, b)
			}
			err := n.preferZero(&total, b, judged.Unexplained)
			total.Time.Total = time.Since(start)
			return total, err
		}
		consistent = orthogonalTo(n.left, b)
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
	if len(b) > rules.DenseRows {
		return
	}
	if v := strongest(n.a, b, LeftNullVectors(n.a)); v != nil {
		r.Reason, r.Evidence, r.Advice = krylov.Inconsistent, v, InconsistentAdvice
	}
}

// preferZero replaces an x by zero if the system is singular or inconsistent, or the solve has failed with so much of b unexplained, and x is no better than
// zero. A least-squares solution is better. The solve with M has compared x with zero for the right-hand side of M.
func (n *NullSpace) preferZero(r *solve.Result, b []float64, unexplained float64) (err error) {
	failed := !r.Reason.Converged() && !ranks.Limited(r.Reason) && unexplained >= 1
	if r.Reason != krylov.Inconsistent && r.Reason != krylov.Singular && !failed || r.Errors.RelativeResidual <= 1 || AbsMax(r.X) == 0 {
		return nil
	}
	switch r.Reason {
	case krylov.Inconsistent:
		r.Advice = InconsistentAdvice
	case krylov.Singular:
		r.Advice = SingularAdvice
	}
	r.Cautions = []string{fmt.Sprintf(ZeroReturned, r.Errors.RelativeResidual)}
	clear(r.X)
	r.Errors, err = verify.Compute(n.a, r.X, b, n.pool)
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
	n.pool.Close()
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

// withEntries returns a copy of m with values added at some entries, at most one in a row.
func withEntries(m *csr.Matrix, rows, cols []int, values []float64) *csr.Matrix {
	added := map[int]int{}
	for k, i := range rows {
		added[i] = k
	}
	made := &csr.Matrix{Rows: m.Rows, Cols: m.Cols, RowPtr: make([]int64, 1, len(m.RowPtr))}
	made.Col = make([]int32, 0, m.NNZ()+len(rows))
	made.Val = make([]float64, 0, m.NNZ()+len(rows))
	for i := range m.Rows {
		c, v := m.Row(i)
		k, here := added[i]
		if !here {
			made.Col, made.Val = append(made.Col, c...), append(made.Val, v...)
		} else {
			at, found := slices.BinarySearch(c, int32(cols[k]))
			made.Col, made.Val = append(made.Col, c[:at]...), append(made.Val, v[:at]...)
			sum := values[k]
			made.Col = append(made.Col, int32(cols[k]))
			if found {
				sum += v[at]
				c, v = c[1:], v[1:]
			}
			made.Val = append(made.Val, sum)
			made.Col, made.Val = append(made.Col, c[at:]...), append(made.Val, v[at:]...)
		}
		made.RowPtr = append(made.RowPtr, int64(len(made.Col)))
	}
	return made
}

// withColumns returns a copy of m in which a vector in general position, of the magnitude of the rows, is added to some columns.
func withColumns(m *csr.Matrix, cols []int, magnitude []float64) *csr.Matrix {
	sorted := slices.Sorted(slices.Values(cols))
	made := &csr.Matrix{Rows: m.Rows, Cols: m.Cols, RowPtr: make([]int64, 1, len(m.RowPtr))}
	for i := range m.Rows {
		c, v := m.Row(i)
		for _, j := range sorted {
			for len(c) > 0 && int(c[0]) < j {
				made.Col, made.Val = append(made.Col, c[0]), append(made.Val, v[0])
				c, v = c[1:], v[1:]
			}
			sum := magnitude[i] * generalPosition(i, j)
			if len(c) > 0 && int(c[0]) == j {
				sum += v[0]
				c, v = c[1:], v[1:]
			}
			made.Col, made.Val = append(made.Col, int32(j)), append(made.Val, sum)
		}
		made.Col, made.Val = append(made.Col, c...), append(made.Val, v...)
		made.RowPtr = append(made.RowPtr, int64(len(made.Col)))
	}
	return made
}

// generalPosition returns a number in [-1, 1) that follows no pattern in i and j.
func generalPosition(i, j int) float64 {
	h := uint64(i+1)*0x9e3779b97f4a7c15 ^ uint64(j+1)*0xbf58476d1ce4e5b9
	h = (h ^ h>>29) * 0x94d049bb133111eb
	return float64(int64(h^h>>32)) * 0x1p-63
}
