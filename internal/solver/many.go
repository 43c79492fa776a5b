package solver

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// SolveMany is Solve for each right-hand side of b, from the guesses x0. x0 and each guess may be nil. The results have the
// bits of Solve.
//
// The solves run side by side for up to linop.MostTogether right-hand sides, so that a product with A reads and decodes the matrix
// once for all of them. Applications of preconditioners that are krylov.SeveralPreconditioner or cycles of multigrid are done together as well. Each solve
// has its own vectors, as far as Options.MaxMemory allows, which are kept for the next call. SolveMany solves for one right-hand side after
// the other, with one set-up, with checkpoints, for more than solve.MaxDigits digits, and wherever Solve is not a Krylov method with
// float64 vectors on one rank of the host.
//
// Options.Monitor and Options.Log are told about all right-hand sides, see krylov.Event. The times of a Result are those of
// the solve itself and its share of the work done together. The times of Attempts and Digits include waiting for other solves.
func (s *Solver) SolveMany(ctx context.Context, b, x0 [][]float64) ([]solve.Result, error) {
	if x0 == nil {
		x0 = make([][]float64, len(b))
	}
	if len(x0) != len(b) {
		return nil, rules.Invalid("%d guesses for %d right-hand sides", len(x0), len(b))
	}
	results := make([]solve.Result, len(b))
	by, one := s.sideBySide(ctx)
	width := by.width(len(b))
	if width < 2 || rules.Precise(s.Opt) {
		defer s.number(0)
		for k := range b {
			s.number(k)
			var err error
			if results[k], err = s.Solve(ctx, b[k], x0[k]); err != nil {
				return nil, err
			}
		}
		return results, nil
	}
	return by.solveTogether(ctx, b, x0, width, one)
}

// solveBy solves for one right-hand side of SolveMany with the solver of a column.
type solveBy = func(by *Solver, b, x0 []float64) (solve.Result, error)

// sideBySide returns the solver whose solves may run side by side, and the function that solves with it. That is the inner solver
// of a matrix with a null space, and s itself otherwise.
func (s *Solver) sideBySide(ctx context.Context) (*Solver, solveBy) {
	if n, ok := s.special.(*special.NullSpace); ok {
		of := n.Inner.(*Solver)
		of.side.rhs = s.side.rhs // which the monitor reads
		return of, func(by *Solver, b, x0 []float64) (solve.Result, error) {
			return s.tiny.solve(b, s.Pool, func(b []float64) (solve.Result, error) { return n.SolveBy(ctx, by, b, x0) })
		}
	}
	return s, func(by *Solver, b, x0 []float64) (solve.Result, error) { return by.Solve(ctx, b, x0) }
}

// solveTogether is SolveMany with width solves at a time.
func (s *Solver) solveTogether(ctx context.Context, b, x0 [][]float64, width int, one solveBy) ([]solve.Result, error) {
	results := make([]solve.Result, len(b))
	for k := range b { // before any work
		if err := rules.CheckVector(fmt.Sprintf("right-hand side %d", k+1), b[k], s.M.Rows); err != nil {
			return nil, err
		}
	}
	team, err := s.gather(ctx, width)
	if err != nil {
		return nil, err
	}
	defer clear(s.side.batch.Scaled)
	next, failed := 0, error(nil)
	Together(team.columns[:width], func(m *Column) {
		for next < len(b) && failed == nil {
			k := next
			next++
			m.Rhs, m.Away = k, Away{}
			var err error
			results[k], err = one(team.solvers[m], b[k], x0[k])
			failed = cmp.Or(failed, err)
			m.Charge(&results[k])
			s.Carried.Solved(results[k].Iterations)
		}
	})
	return results, failed
}

// number records the index of the right-hand side in progress.
func (s *Solver) number(k int) {
	if s.side.rhs != nil {
		*s.side.rhs = k
	}
}

// A team has the solvers of SolveMany, which keep their vectors.
type team struct {
	columns []*Column
	solvers map[*Column]*Solver
}

// width returns the number of solves that may run side by side, for count right-hand sides.
func (s *Solver) width(count int) int {
	width := min(count, linop.MostTogether)
	if s.root != nil || s.Job != nil || s.special != nil || s.recorder != nil || rules.Precise(s.Opt) {
		return 1
	}
	f, krylov := s.Refiner.(*refine.Refinement[vector, scalar])
	if !krylov {
		return 1
	}
	if _, onHost := f.At.(*backend.Host); !onHost {
		return 1
	}
	if limit := s.Opt.MaxMemory; limit > 0 {
		width = int(min(int64(width), 1+max(0, limit-s.SolveBytes())/s.columnBytes()))
	}
	return width
}

// columnBytes returns the memory of a solve beside others, in bytes: its vectors, two interleaved vectors, the vectors of
// applications and of its judgement, and its share of the scaled matrix, which is made again where it is stored again.
func (s *Solver) columnBytes() int64 {
	n := int64(s.Rows())
	vectors := rules.CommonVectors + rules.DigitsVectors + s.MethodVectors(s.Method) + 2 + ApplicationVectors + JudgeVectors
	return 8*n*vectors + csr.Bytes(n, int64(s.Nonzeros()))/linop.MostTogether
}

// gather returns a team of at least width columns.
func (s *Solver) gather(ctx context.Context, width int) (*team, error) {
	f := s.Refiner.(*refine.Refinement[vector, scalar])
	if s.side.team == nil {
		s.side.batch = NewBatch(f, f.At.(*backend.Host))
		s.side.team = &team{solvers: map[*Column]*Solver{}}
	}
	for len(s.side.team.columns) < width {
		m := new(Column)
		t, err := s.columnSolver(ctx, f, m)
		if err != nil {
			return nil, err
		}
		s.side.team.columns = append(s.side.team.columns, m)
		s.side.team.solvers[m] = t
	}
	return s.side.team, nil
}

// columnSolver returns a Solver for the column m that shares everything that s has made of the matrix.
func (s *Solver) columnSolver(ctx context.Context, f *refine.Refinement[vector, scalar], m *Column) (*Solver, error) {
	t := *s
	t.side.column, t.side.team, t.Stored, t.LowerB, t.Sharing = m, nil, nil, nil, linop.MostTogether
	t.Away = func() time.Duration { return m.Away.total() }
	t.Opt.Log = func(line string) { s.Opt.Log(fmt.Sprintf("rhs %d: %s", m.Rhs+1, line)) }
	if monitor := s.Opt.Monitor; monitor != nil {
		t.Opt.Monitor = func(e krylov.Event) {
			s.number(m.Rhs)
			monitor(e)
		}
	}
	scaled := *s.Scaled
	t.Scaled, scaled.Shared = &scaled, s.side.batch.Scaled
	if scaled.Later != nil {
		scaled.Later = func() csr.Scaling {
			if t.Scale = solve.ScaleBoth; s.side.batch.Later == nil {
				by := s.Scaled.Later()
				s.side.batch.Later = &by
			}
			return *s.side.batch.Later
		}
	}
	g := s.side.batch.Refinement(ctx, m, f, &t.Problem)
	t.Refiner = g
	return &t, g.Correction.NextFallback("")
}
