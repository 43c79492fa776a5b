package solver

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
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
	if err := special.CheckLeastSquares(int64(m.Rows), int64(m.Cols), opt); err != nil {
		return nil, err
	}
	start := time.Now()
	s := new(Solver)
	s.begin(m, opt)
	s.Method, s.Scale, s.Order = solve.LSQR, solve.ScaleNone, features.Ordering{Order: solve.ReorderNone}
	s.Opt.Device = nil
	err := s.until(ctx, func() error {
		s.Facts = csr.Examine(m, s.Pool)
		return cmp.Or(s.fitsLeastSquares(), ctx.Err())
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

// fitsLeastSquares returns an error if the matrix has elements that are no numbers, or if the solve would take too much memory.
func (s *Solver) fitsLeastSquares() error {
	if s.Facts.NonFinite > 0 {
		return rules.Solvable(s.Facts)
	}
	need := s.Opt.Held + special.LeastSquaresMemory(int64(max(s.Facts.Rows, s.Facts.Cols)), int64(s.Facts.NNZ))
	if most := s.Opt.MaxMemory; most > 0 && need > most {
		return fmt.Errorf("%w: solving takes %s, the limit is %s", solve.ErrMemory, humanize.Bytes(uint64(need)), humanize.Bytes(uint64(most)))
	}
	return nil
}

// leastSquaresOverDomains is leastSquaresSolver for a matrix of several domains. Collective.
func leastSquaresOverDomains(ctx context.Context, a *dist.Matrix, opt solve.Options) (*Solver, error) {
	rows, cols := a.Sides()
	opt = rules.WithDefaults(opt, int(a.N))
	if opt.Method != solve.LSQR && opt.Method != solve.Auto || a.NNZ == 0 {
		return nil, rules.NotSquare(rows.Rows(), cols.Rows())
	}
	if err := special.CheckLeastSquares(rows.Rows(), cols.Rows(), opt); err != nil {
		return nil, err
	}
	if opt.HaloEpsilon > 0 {
		return nil, rules.Invalid("the matrix is %d x %d; least-squares problems are solved without rounded halos", rows.Rows(), cols.Rows())
	}
	start := time.Now()
	s := new(Solver)
	s.begin(a.Local, opt)
	s.Job = &ranks.Job{Matrix: a.Through(dist.NewHearing(a.Comm))}
	s.Method, s.Scale, s.Order, s.rows, s.Opt.Device = solve.LSQR, solve.ScaleNone, features.Ordering{Order: solve.ReorderNone}, s.Job, nil
	err := s.beginTogether(ctx)
	if err == nil {
		err = s.Job.Step(func() error {
			s.Facts = dist.Examine(s.Job.Matrix, s.Pool)
			return s.fitsLeastSquares()
		})
	}
	if err != nil {
		s.Pool.Close()
		return nil, err
	}
	s.Opt.Examined(s.Facts)
	s.Say("domains %d: by rows; sums are the same for any number of processes", a.Domains.Count())
	s.special = special.NewLeastSquares(&s.Problem)
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
