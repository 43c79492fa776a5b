package solver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/batch"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// SolveMany is Solve for each of several right-hand sides b, from the guesses x0, which may be nil, as
// may each of them. The results are those of Solve, with the same bits unless Options.Block asks for block CG; Krylov methods run side by side for up to
// MostTogether right-hand sides, so that products with A read and decode the matrix once for all of them. That takes the vectors of a
// solve for each, as far as Options.MaxMemory allows; they are kept for the next call. So are applications of preconditioners
// that are krylov.SeveralPreconditioner or cycles of multigrid. Where Solve is no
// Krylov method of float64 vectors on one rank of the host, with checkpoints, and for more than MaxDigits digits,
// it solves for one right-hand side after the other, with one set-up.
//
// Options.Monitor and Options.Log are told about all of them, see krylov.Event. The times of a Result
// count what the solve itself took and its share of what was done together, but for those of Attempts and Digits,
// in which it may have waited for others.
func (s *Solver) SolveMany(ctx context.Context, b, x0 [][]float64) ([]solve.Result, error) {
	if x0 == nil {
		x0 = make([][]float64, len(b))
	}
	if len(x0) != len(b) {
		return nil, solve.Invalid("%d guesses for %d right-hand sides", len(x0), len(b))
	}
	results := make([]solve.Result, len(b))
	by, one := s.sideBySide(ctx)
	width := by.width(len(b))
	if width < 2 || s.Opt.Precise() {
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

// solveBy is what SolveMany does for a right-hand side with a solver that shares what others have.
type solveBy = func(by *Solver, b, x0 []float64) (solve.Result, error)

// sideBySide is the solver whose solves may go on side by side, that of a matrix with a null space or s itself, and a solve with it.
func (s *Solver) sideBySide(ctx context.Context) (*Solver, solveBy) {
	if n, ok := s.special.(*special.NullSpace); ok {
		of := n.Inner.(*Solver)
		of.side.rhs = s.side.rhs // which is the one that the monitor tells
		return of, func(by *Solver, b, x0 []float64) (solve.Result, error) { return n.SolveBy(ctx, by, b, x0) }
	}
	return s, func(by *Solver, b, x0 []float64) (solve.Result, error) { return by.Solve(ctx, b, x0) }
}

// solveTogether is SolveMany for so many right-hand sides at a time.
func (s *Solver) solveTogether(ctx context.Context, b, x0 [][]float64, width int, one solveBy) ([]solve.Result, error) {
	results := make([]solve.Result, len(b))
	for k := range b { // before any work
		if err := solve.CheckVector(fmt.Sprintf("right-hand side %d", k+1), b[k], s.M.Rows); err != nil {
			return nil, err
		}
	}
	team, err := s.gather(ctx, width)
	if err != nil {
		return nil, err
	}
	s.side.family.Ctx = ctx
	defer clear(s.side.family.Scaled)
	next, failed := 0, error(nil)
	batch.Together(team.members[:width], func(m *batch.Column) {
		for next < len(b) && failed == nil {
			k := next
			next++
			m.Rhs, m.Away = k, batch.Away{}
			var err error
			results[k], err = one(team.solvers[m], b[k], x0[k])
			failed = cmp.Or(failed, err)
			m.Charge(&results[k])
			s.Carried.Solved(results[k].Iterations)
		}
	})
	return results, failed
}

// number says which of several right-hand sides is being solved for.
func (s *Solver) number(k int) {
	if s.side.rhs != nil {
		*s.side.rhs = k
	}
}

// team is the solvers of a SolveMany, which keep their vectors.
type team struct {
	members []*batch.Column
	solvers map[*batch.Column]*Solver
}

// width is for how many of so many right-hand sides solves may go on side by side.
func (s *Solver) width(count int) int {
	width := min(count, solve.MostTogether)
	if s.root != nil || s.Job != nil || s.special != nil || s.recorder != nil || s.Opt.Precise() {
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
		width = int(min(int64(width), 1+max(0, limit-s.SolveBytes())/s.memberBytes()))
	}
	return width
}

// memberBytes is what a solve beside others takes: its vectors, two that are interleaved, those of applications and of its judgement, and its share of the
// scaled matrix, made again where it is to be stored again.
func (s *Solver) memberBytes() int64 {
	n := int64(s.Rows())
	vectors := rules.CommonVectors + rules.DigitsVectors + s.MethodVectors(s.Method) + 2 + batch.ApplicationVectors + batch.JudgeVectors
	if s.Method == solve.CG && s.Opt.Block > 1 {
		vectors += batch.BlockVectors
	}
	return 8*n*vectors + csr.Bytes(n, int64(s.Nonzeros()))/solve.MostTogether
}

// gather returns a team of at least width members.
func (s *Solver) gather(ctx context.Context, width int) (*team, error) {
	f := s.Refiner.(*refine.Refinement[vector, scalar])
	if s.side.team == nil {
		s.side.family = batch.NewBatch(f, f.At.(*backend.Host))
		s.side.team = &team{solvers: map[*batch.Column]*Solver{}}
	}
	s.side.family.BlockSize = min(s.Opt.Block, width)
	for len(s.side.team.members) < width {
		m := new(batch.Column)
		t, err := s.memberOf(ctx, f, m)
		if err != nil {
			return nil, err
		}
		s.side.team.members = append(s.side.team.members, m)
		s.side.team.solvers[m] = t
	}
	return s.side.team, nil
}

// memberOf is a Solver for m that shares all that s has made of the matrix.
func (s *Solver) memberOf(ctx context.Context, f *refine.Refinement[vector, scalar], m *batch.Column) (*Solver, error) {
	t := *s
	t.side.member, t.side.team, t.Stored, t.LowerB, t.Sharing = m, nil, nil, nil, solve.MostTogether
	t.Opt.Log = func(line string) { s.Opt.Log(fmt.Sprintf("rhs %d: %s", m.Rhs+1, line)) }
	if monitor := s.Opt.Monitor; monitor != nil {
		t.Opt.Monitor = func(e krylov.Event) {
			s.number(m.Rhs)
			monitor(e)
		}
	}
	scaled := *s.Scaled
	t.Scaled, scaled.Shared = &scaled, s.side.family.Scaled
	if scaled.Later != nil {
		scaled.Later = func() csr.Scaling {
			if t.Scale = solve.ScaleBoth; s.side.family.Later == nil {
				by := s.Scaled.Later()
				s.side.family.Later = &by
			}
			return *s.side.family.Later
		}
	}
	g := s.side.family.Refinement(ctx, m, f, &t.Problem)
	t.Refiner = g
	return &t, g.Correction.Climb("", 0)
}
