package solve

import (
	"context"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// tighter keeps the tolerance of the solve so much below the one of the verdict
// that rounding in the measure cannot make them disagree.
const tighter = 1 - 0x1p-30

// Solve solves A x = b from the guess x0, or from zero if it is nil. Both have
// as many elements as the matrix has rows and are left alone.
func (s *Solver) Solve(ctx context.Context, b, x0 []float64) (Result, error) {
	switch {
	case s.root != nil:
		return s.solveAtRoot(ctx, b, x0)
	case s.job != nil:
		return s.solveOverDomains(ctx, b, x0)
	}
	return s.solve(ctx, b, x0)
}

// solve is Solve on this rank.
func (s *Solver) solve(ctx context.Context, b, x0 []float64) (Result, error) {
	if err := CheckVector("right-hand side", b, s.m.Rows); err != nil {
		return Result{}, err
	}
	if s.special != nil {
		r, err := s.special.solve(ctx, b, x0)
		if s.opt.precise() && r.Reason == krylov.Converged {
			r.Reason, r.Advice = krylov.TooFewDigits, fmt.Sprintf("A is singular, so that x is one of many; try --digits %d", MaxDigits)
		}
		return r, err
	}
	x := make([]float64, s.m.Rows)
	if x0 != nil {
		if err := CheckVector("initial guess", x0, s.m.Rows); err != nil {
			return Result{}, err
		}
		copy(x, x0)
	}
	if done, ok, err := s.recorder.begin(ctx, b, x0); ok || err != nil {
		return done, err
	}
	r, err := s.answer(&answer{
		s: s, ctx: ctx, vectors: linop.NewHost(len(b), s.pool), x: s.Order.forth(x), b: s.Order.forth(b), given: b,
	}, x0 != nil)
	if err == nil {
		s.recorder.end(r)
	}
	return r, err
}

// answer solves, from the guess a.x or from zero.
func (s *Solver) answer(a *answer, guess bool) (Result, error) {
	start := time.Now()
	a.began = start
	before := s.recorder.since(s.refiner.usage().used())
	if err := a.solve(guess); err != nil {
		return Result{}, err
	}
	s.answered, s.took = a.x, a.solved.Iterations
	s.carried.solved(a.solved.Iterations)
	used := s.refiner.usage()
	now := used.used().minus(before)
	used.precond.Applications, used.precond.Elapsed = now.Applications, now.Preconditioning
	r := s.using(used)
	r.X, r.Reason, r.Errors, r.Digits, r.Precise, r.Evidence = s.Order.back(a.x), a.reason, a.Errors, a.digits, a.precise, a.evidence
	r.Outer, r.Iterations, r.SpMVs = a.solved.Outer, a.solved.Iterations, now.Products
	r.Time = TimeByPhase{
		Total: time.Since(start) + now.Total, SpMV: now.Multiplying,
		Precond:           now.Preconditioning + now.SettingUp,
		Orthogonalization: a.solved.Orthogonalization, Verify: a.verifying, Digits: a.estimating,
	}
	if low := s.refiner.lower(a.x); low != nil {
		r.XLow = s.Order.back(low)
	}
	r.Advice, r.Cautions = a.advice(used), a.cautions()
	return r, nil
}
