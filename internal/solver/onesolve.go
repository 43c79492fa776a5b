package solver

import (
	"context"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Solve solves A x = b from the guess x0, or from zero if x0 is nil. Both vectors have as many elements as the matrix has rows.
// Solve does not change them.
func (s *Solver) Solve(ctx context.Context, b, x0 []float64) (solve.Result, error) {
	switch {
	case s.root != nil:
		return s.solveAtRoot(ctx, b, x0)
	case s.Job != nil:
		return s.solveOverDomains(ctx, b, x0)
	}
	return s.solveHere(ctx, b, x0)
}

// solveHere is Solve on this rank.
func (s *Solver) solveHere(ctx context.Context, b, x0 []float64) (solve.Result, error) {
	if err := options.CheckVector("right-hand side", b, s.M.Rows); err != nil {
		return solve.Result{}, err
	}
	if s.special != nil {
		r, err := s.special.Solve(ctx, b, x0)
		if options.Precise(s.Opt) && r.Reason == krylov.Converged {
			r.Reason, r.Advice = krylov.TooFewDigits, fmt.Sprintf("A is singular, so that x is one of many; try Options.Digits = %d", solve.MaxDigits)
		}
		return r, err
	}
	x := make([]float64, s.M.Rows)
	if x0 != nil {
		if err := options.CheckVector("initial guess", x0, s.M.Rows); err != nil {
			return solve.Result{}, err
		}
		copy(x, x0)
	}
	if done, ok, err := s.recorder.Begin(ctx, b, x0); ok || err != nil {
		return done, err
	}
	a := &solution{s: s, Solution: &refine.Solution{
		S: &s.Problem, Ctx: ctx, Vectors: linop.NewHost(len(b), s.Pool), X: s.Order.Forth(x), B: s.Order.Forth(b), Given: b,
	}}
	if err := a.solve(x0 != nil); err != nil {
		return solve.Result{}, err
	}
	r := s.result(a)
	s.recorder.End(r)
	return r, nil
}

// result returns the Result of a solution.
func (s *Solver) result(a *solution) solve.Result {
	s.lastX, s.updates.took = a.X, a.Solved.Iterations
	s.Carried.Solved(a.Solved.Iterations)
	used := s.Refiner.Usage()
	now := used.Used().Minus(a.before)
	used.Precond.Applications, used.Precond.Elapsed = now.Applications, now.Preconditioning
	r := s.using(used)
	r.X, r.Reason, r.Errors, r.Digits, r.Precise, r.Evidence = s.Order.Back(a.X), a.Reason, a.Errors, a.Digits, a.Precise, a.Evidence
	r.Outer, r.Iterations, r.SpMVs = a.Solved.Outer, a.Solved.Iterations, now.Products
	r.Time = solve.TimeByPhase{
		Total: time.Since(a.Began) + now.Total, SpMV: now.Multiplying,
		Precond:           now.Preconditioning + now.SettingUp,
		Orthogonalization: a.Solved.Orthogonalization, Verify: a.Spent.Verifying, Digits: a.Spent.Estimating,
	}
	if low := s.Refiner.Lower(a.X); low != nil {
		r.XLow = s.Order.Back(low)
	}
	r.Advice, r.Cautions = a.advice(used), a.cautions()
	return r
}

// LastX returns the x of the last Solve as it came from the backend, in the order chosen.
func (s *Solver) LastX() []float64 { return s.lastX }
