package solver

import (
	"context"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A kind solves with a matrix of a special kind.
type kind interface {
	Solve(ctx context.Context, b, x0 []float64) (solve.Result, error) // b is of the right length and finite
	Close()

	Chosen() solve.Result // these three are the methods of Solver
	Fallbacks() []string
	Memory() []choice.MethodMemory
}

// leastSquaresSolver returns the Solver of a matrix that is not square.
func leastSquaresSolver(ctx context.Context, m *csr.Matrix, opt solve.Options) (*Solver, error) {
	if err := special.CheckLeastSquares(m, opt); err != nil {
		return nil, err
	}
	start := time.Now()
	s := new(Solver)
	s.begin(m, opt)
	s.Method, s.Scale, s.Order = solve.LSQR, solve.ScaleNone, features.Ordering{Order: solve.ReorderNone}
	s.Opt.Device = nil
	err := s.until(ctx, func() error {
		s.Facts = csr.Examine(m, s.Pool)
		if s.Facts.NonFinite > 0 {
			return rules.Solvable(s.Facts)
		}
		if need := opt.Held + special.LeastSquaresMemory(m); opt.MaxMemory > 0 && need > opt.MaxMemory {
			return fmt.Errorf("%w: solving takes %s, the limit is %s",
				solve.ErrMemory, humanize.Bytes(uint64(need)), humanize.Bytes(uint64(opt.MaxMemory)))
		}
		return ctx.Err()
	})
	if err == nil {
		opt.Examined(s.Facts)
		err = s.until(ctx, func() error { s.special = special.NewLeastSquares(&s.Problem); return nil })
	}
	if err != nil {
		s.Pool.Close()
		return nil, err
	}
	s.Setup = time.Since(start)
	return s, nil
}

// singularSolver returns the Solver of a matrix whose null space is known or can be found; nil for any other matrix.
func singularSolver(ctx context.Context, m *csr.Matrix, opt solve.Options) (*Solver, error) {
	start := time.Now()
	n, facts, err := special.FindNullSpace(ctx, m, opt, makeInner)
	if n == nil {
		return nil, err
	}
	return singularBy(n, facts, m, opt, start), nil
}

// singularBy returns the Solver that solves by n, on one rank or over domains.
func singularBy(n *special.NullSpace, facts csr.Facts, m *csr.Matrix, opt solve.Options, start time.Time) *Solver {
	of := n.Inner.(*Solver)
	opt.Device = of.Opt.Device
	s := &Solver{Setup: time.Since(start), Threads: of.Threads, special: n}
	s.Facts, s.Method, s.Scale, s.Order = facts, of.Method, of.Scale, of.Order
	s.Given, s.M, s.Known, s.Opt, s.Job = m, m, new(features.KnownParts), opt, of.Job
	s.rows = of.Job
	return s
}

// emptiedSolver returns the Solver of a matrix that has rows or columns without nonzeros; nil: the options do not allow it.
func emptiedSolver(ctx context.Context, m *csr.Matrix, opt solve.Options, facts csr.Facts) (*Solver, error) {
	start := time.Now()
	opt.Examined(facts)
	e, err := special.NewEmptied(ctx, m, opt, makeInner)
	if e == nil {
		return nil, err
	}
	of := e.Inner.(*Solver)
	s := &Solver{Setup: time.Since(start), Threads: of.Threads, special: e}
	s.Facts, s.Method, s.Scale, s.Order = facts, of.Method, of.Scale, of.Order
	s.Given, s.M, s.Known, s.Opt, s.Pool = m, m, new(features.KnownParts), opt, of.Pool
	s.Opt.Device = of.Opt.Device
	return s, nil
}

// makeInner is New for a matrix that it treats as ordinary.
func makeInner(ctx context.Context, m *csr.Matrix, opt solve.Options) (special.Inner, error) {
	var with Solver
	with.Ordinary = true
	s, err := newWith(ctx, m, opt, with)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// makeInnerOverDomains is NewDistributed for a matrix that it treats as ordinary, and whose rows stay where they are.
func makeInnerOverDomains(ctx context.Context, m *dist.Matrix, opt solve.Options) (special.Inner, error) {
	opt.Reorder = solve.ReorderNone
	s, err := overDomainsOrdinary(ctx, m, opt)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Of implements special.Inner.
func (s *Solver) Of() *refine.Problem { return &s.Problem }

// WithTol implements special.Inner.
func (s *Solver) WithTol(tol float64) special.Inner {
	other := *s
	other.Opt.Tol = tol
	return &other
}
