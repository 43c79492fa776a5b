package solve

import (
	"cmp"
	"context"
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// MostTogether is the largest number of right-hand sides that SolveMany solves for side by side.
const MostTogether = linop.MostTogether

// SolveMany is Solve for each of several right-hand sides b, from the guesses x0, which may be nil, as
// may each of them. The results are those of Solve, with the same bits unless Options.Block asks for block CG; Krylov methods run side by side for up to
// MostTogether right-hand sides, so that products with A read and decode the matrix once for all of them. That takes the vectors of a
// solve for each, as far as Options.MaxMemory allows; they are kept for the next call. So are applications of preconditioners
// that are precond.Several or precond.Cycles. Where Solve is no
// Krylov method of float64 vectors on one rank of the host, with checkpoints, and for more than MaxDigits digits,
// it solves for one right-hand side after the other, with one set-up.
//
// Options.Monitor and Options.Log are told about all of them, see krylov.Event. The times of a Result
// count what the solve itself took and its share of what was done together, but for those of Attempts and Digits,
// in which it may have waited for others.
func (s *Solver) SolveMany(ctx context.Context, b, x0 [][]float64) ([]Result, error) {
	if x0 == nil {
		x0 = make([][]float64, len(b))
	}
	if len(x0) != len(b) {
		return nil, invalid("%d guesses for %d right-hand sides", len(x0), len(b))
	}
	results := make([]Result, len(b))
	by, solve := s.sideBySide(ctx)
	width := by.width(len(b))
	if width < 2 || s.opt.precise() {
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
	return by.solveTogether(ctx, b, x0, width, solve)
}

// solveBy is what SolveMany does for a right-hand side with a solver that shares what others have.
type solveBy = func(by *Solver, b, x0 []float64) (Result, error)

// sideBySide is the solver whose solves may go on side by side, that of a matrix with a null space or s itself, and a solve with it.
func (s *Solver) sideBySide(ctx context.Context) (*Solver, solveBy) {
	if n, ok := s.special.(*nullSpace); ok {
		n.inner.rhs = s.rhs // which is the one that the monitor tells
		return n.inner, func(by *Solver, b, x0 []float64) (Result, error) { return n.solveBy(ctx, by, b, x0) }
	}
	return s, func(by *Solver, b, x0 []float64) (Result, error) { return by.Solve(ctx, b, x0) }
}

// solveTogether is SolveMany for so many right-hand sides at a time.
func (s *Solver) solveTogether(ctx context.Context, b, x0 [][]float64, width int, solve solveBy) ([]Result, error) {
	results := make([]Result, len(b))
	for k := range b { // before any work
		if err := CheckVector(fmt.Sprintf("right-hand side %d", k+1), b[k], s.m.Rows); err != nil {
			return nil, err
		}
	}
	team, err := s.gather(ctx, width)
	if err != nil {
		return nil, err
	}
	s.family.ctx = ctx
	defer clear(s.family.scaled)
	next, failed := 0, error(nil)
	together(team.members[:width], func(m *member) {
		for next < len(b) && failed == nil {
			k := next
			next++
			m.rhs, m.away = k, away{}
			var err error
			results[k], err = solve(team.solvers[m], b[k], x0[k])
			failed = cmp.Or(failed, err)
			m.charge(&results[k])
			s.carried.solved(results[k].Iterations)
		}
	})
	return results, failed
}

// number says which of several right-hand sides is being solved for.
func (s *Solver) number(k int) {
	if s.rhs != nil {
		*s.rhs = k
	}
}

// numbered is a monitor that is told which of several right-hand sides an event is about.
func numbered(monitor krylov.Monitor, rhs *int) krylov.Monitor {
	if monitor == nil {
		return nil
	}
	return func(e krylov.Event) {
		e.RHS = *rhs
		monitor(e)
	}
}

// charge takes the times that a solve has waited from those that its result has.
func (m *member) charge(r *Result) {
	r.Time.SpMV -= m.away.products
	r.Time.Precond -= m.away.applications
	r.Precond.Elapsed -= m.away.applications
	r.Time.Verify -= m.away.judgements
	r.Time.Total -= m.away.products + m.away.applications + m.away.solves + m.away.judgements
}

// team is the solvers of a SolveMany, which keep their vectors.
type team struct {
	members []*member
	solvers map[*member]*Solver
}

// width is for how many of so many right-hand sides solves may go on side by side.
func (s *Solver) width(count int) int {
	width := min(count, MostTogether)
	if s.root != nil || s.job != nil || s.special != nil || s.recorder != nil || s.opt.precise() {
		return 1
	}
	f, krylov := s.refiner.(*refinement[vector, scalar])
	if !krylov {
		return 1
	}
	if _, onHost := f.at.(*host); !onHost {
		return 1
	}
	if limit := s.opt.MaxMemory; limit > 0 {
		width = int(min(int64(width), 1+max(0, limit-s.memory())/s.memberBytes()))
	}
	return width
}

// memberBytes is what a solve beside others takes: its vectors, two that are interleaved, those of applications and of its judgement, and its share of the
// scaled matrix, made again where it is to be stored again.
func (s *Solver) memberBytes() int64 {
	n := int64(s.rows())
	vectors := commonVectors + digitsVectors + s.methodVectors(s.Method) + 2 + applicationVectors + judgeVectors
	if s.Method == CG && s.opt.Block > 1 {
		vectors += blockVectors
	}
	return 8*n*vectors + csr.Bytes(n, int64(s.nonzeros()))/MostTogether
}

// blockVectors is what krylov.BlockCG takes for each right-hand side, its one work vector included.
const blockVectors = 5

// applicationVectors is what an application to several vectors takes for each: most with multigrid, whose levels have three to five
// of float32.
const applicationVectors = 5

// gather returns a team of at least width members.
func (s *Solver) gather(ctx context.Context, width int) (*team, error) {
	f := s.refiner.(*refinement[vector, scalar])
	if s.team == nil {
		s.family = newFamily(f, f.at.(*host))
		s.team = &team{solvers: map[*member]*Solver{}}
	}
	s.family.blockSize = min(s.opt.Block, width)
	for len(s.team.members) < width {
		m := new(member)
		t, err := s.memberOf(ctx, f, m)
		if err != nil {
			return nil, err
		}
		s.team.members = append(s.team.members, m)
		s.team.solvers[m] = t
	}
	return s.team, nil
}

// memberOf is a Solver for m that shares all that s has made of the matrix.
func (s *Solver) memberOf(ctx context.Context, f *refinement[vector, scalar], m *member) (*Solver, error) {
	t := *s
	t.member, t.team, t.stored, t.lowerB, t.sharing = m, nil, nil, nil, MostTogether
	t.opt.Log = func(line string) { s.opt.Log(fmt.Sprintf("rhs %d: %s", m.rhs+1, line)) }
	if monitor := s.opt.Monitor; monitor != nil {
		t.opt.Monitor = func(e krylov.Event) {
			s.number(m.rhs)
			monitor(e)
		}
	}
	scaled := *s.scaled
	t.scaled, scaled.shared = &scaled, s.family.scaled
	if scaled.later != nil {
		scaled.later = func() csr.Scaling {
			if t.Scale = ScaleBoth; s.family.later == nil {
				by := s.scaled.later()
				s.family.later = &by
			}
			return *s.family.later
		}
	}
	p := f.correction
	at := memberPlace{s.family.host, s.family, m}
	accurate := f.exact.Operator.(linop.Accurate)
	g := &refinement[vector, scalar]{
		at: at, epsilon: f.epsilon,
		exact: &linop.Timed[vector, scalar]{Operator: memberOperator{accurate, m, severalProducts{accurate.CSR}}},
	}
	g.refined = g.operator(&t)
	g.measure = newMeasure(at, t.opt.Stop, t.absSums(), f.measure.normA)
	matrix := m.matrix(p.matrix, func() {})
	g.correction = &correction[vector, scalar]{
		at: at, scaled: t.scaled, scaling: p.scaling, measure: g.measure,
		matrix: matrix, first: p.first, chosen: p.chosen, open: p.open, spared: p.spared,
		timed:    &linop.Timed[vector, scalar]{Operator: matrix},
		attempts: newAttempts(&t, s.family.host), prepare: t.precondition, exact: g.exact,
		innerTol: p.innerTol, vectors: p.vectors, log: t.opt.Log, ctx: ctx, family: s.family,
		rhs: at.New(), z: at.New(), r: at.New(),
	}
	for v, had := range p.attempts.ready {
		by, _ := matrix.upload(had.made) // which has no errors
		own := *had
		own.by, own.tally, own.solves = by, &g.correction.attempts.tally, max(1, had.solves)
		g.correction.attempts.ready[v] = &own
	}
	g.steps = krylov.NewRefinement[vector, scalar](at)
	g.steps.MaxSteps = f.steps.MaxSteps
	t.refiner = g
	return &t, g.correction.climb("", 0)
}
