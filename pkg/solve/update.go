package solve

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// Update makes these the values of the matrix, in the order of csr.Matrix.Val as given to New, whose pattern of
// nonzeros stays: the next of a sequence of systems, such as time steps or Newton steps. They must stay
// as they are while the Solver is in use, as the matrix of New; that may be changed for Update, and its Val passed.
//
// What depends on the pattern is taken over: the order of the rows, what the rules have looked at and chosen, the
// layout of the method's matrix. The preconditioner stays as it is until the iterations that it takes beyond those of
// the first system have taken as many multiplications as setting it up. Then the symbolic part of factorisations is
// taken over, and the transfers between the levels of multigrid, until they take half as many iterations again as at first: with Options.Updates
// from the first time on, otherwise from the second, since New keeps nothing then. Trials that did not help are left
// out. The answer is verified as ever, so that what is taken over can cost iterations, never accuracy. If symmetry or the signs of the diagonal change, and for
// matrices of a special kind and on devices, Update is a New of the same Options.
//
// Solve starts from zero, or from the last x if that is passed as a guess. After an error the Solver is as
// it was before. Setup is the time of the Update.
func (s *Solver) Update(ctx context.Context, values []float64) (err error) {
	if s.root != nil || s.job != nil || s.recorder != nil || len(s.opt.Lower) > 0 {
		return invalid("Update is for a matrix on one rank, without lower parts and checkpoints")
	}
	if len(values) != s.given.NNZ() {
		return invalid("%d values for a pattern of %d nonzeros", len(values), s.given.NNZ())
	}
	start := time.Now()
	m := *s.given
	m.Val = values
	if s.special != nil || s.opt.Device != nil || !iterating(s.refiner) {
		return s.anew(ctx, &m, start)
	}
	before := *s
	defer func() {
		if err != nil {
			*s = before
		}
	}()
	if s.kept == nil {
		s.kept = new(precond.Kept)
	}
	if s.layouts = maps.Clone(s.layouts); s.layouts == nil {
		s.layouts = map[storedAs]adaptive.Layout{}
	}
	s.sums, s.multiple, s.team, s.family, s.answered = nil, nil, nil, nil, nil
	s.given, s.m, s.known = &m, &m, new(knownParts)
	err = s.until(ctx, func() error {
		if p := s.Order.permutation; p != nil {
			s.m = m.Permuted(p, p.Inverse(), s.pool)
		}
		s.Facts = csr.Examine(&m, s.pool)
		return solvable(s.Facts)
	})
	if err != nil {
		return err
	}
	if s.Facts.Symmetric != before.Facts.Symmetric || s.Facts.DiagonalSign() != before.Facts.DiagonalSign() {
		*s = before
		return s.anew(ctx, &m, start)
	}
	s.opt.Examined(s.Facts)
	last := before.refiner.(*refinement[vector, scalar]).correction.attempts
	s.leaveTrials(last)
	if err = s.until(ctx, func() error { return s.rescale(before.scaled) }); err != nil {
		return err
	}
	if s.carry(last); s.carried.ready == nil {
		s.judgeTransfers()
	}
	if err = s.build(ctx); err != nil {
		return err
	}
	before.refiner.close()
	s.Setup = time.Since(start)
	return nil
}

// UpdateMatrix is Update with the values of m, whose pattern must be that of the matrix given to New.
func (s *Solver) UpdateMatrix(ctx context.Context, m *csr.Matrix) error {
	g := s.given
	if m.Rows != g.Rows || m.Cols != g.Cols {
		return invalid("the matrix is %d x %d, the one before %d x %d", m.Rows, m.Cols, g.Rows, g.Cols)
	}
	for i := range m.Rows {
		now, _ := m.Row(i)
		if was, _ := g.Row(i); !slices.Equal(now, was) {
			return invalid("the pattern of nonzeros differs from that of the matrix before, first in row %d", i+1)
		}
	}
	return s.Update(ctx, m.Val)
}

// iterating reports whether a Krylov method at the host solves.
func iterating(r refiner) bool {
	_, is := r.(*refinement[vector, scalar])
	return is
}

// anew is New of m with the same options, in the place of s.
func (s *Solver) anew(ctx context.Context, m *csr.Matrix, start time.Time) error {
	t, err := New(ctx, m, s.asked)
	if err != nil {
		return err
	}
	s.Close()
	*s = *t
	s.Setup = time.Since(start)
	return nil
}

// worn is the multiple of the iterations at first from which transfers are made again.
const worn = 1.5

// judgeTransfers forgets the transfers of multigrid that do not suit the values any more.
func (s *Solver) judgeTransfers() {
	switch {
	case s.usual == 0:
		s.usual = s.took
	case float64(s.took) > worn*float64(s.usual):
		s.say("update: %d iterations instead of %d; transfers between levels are made again", s.took, s.usual)
		s.kept.DropTransfers()
		s.usual = 0
	}
}

// carried is a preconditioner of the values of an earlier system, and what it costs.
type carried struct {
	ready  map[variant]*preconditioner[vector, scalar] // nil: it is of these values
	usual  int                                         // iterations of a solve with the values that it was made for; 0: not known
	debt   float64                                     // multiplications of iterations beyond these
	solves int                                         // since the last Update
	took   int                                         // their iterations
	other  bool                                        // it does not suit: the scaling is another one
}

// solved counts a solve.
func (c *carried) solved(iterations int) {
	c.solves++
	c.took += iterations
}

// carry decides whether the preconditioner in use stays for the next values: until what it has cost is what setting it up
// takes, so that a sequence takes at most about twice what it would if one knew beforehand when to do that.
func (s *Solver) carry(t *attempts[vector, scalar]) {
	c := s.carried
	s.carried = carried{}
	made, rung := t.preconditioner(), t.state.Rungs[max(t.state.Rung, 0)]
	if made == nil || c.solves == 0 || c.other || rung.Iterations == 0 {
		return
	}
	if c.usual == 0 {
		c.usual = (c.took + c.solves - 1) / c.solves
	}
	c.debt += max(0, float64(c.took-c.solves*c.usual)) * rung.Work / float64(rung.Iterations)
	if c.debt >= made.work {
		s.say("update: %d iterations in %d solves instead of %d in each; the preconditioner is set up again", c.took, c.solves, c.usual)
		return
	}
	s.carried = carried{ready: map[variant]*preconditioner[vector, scalar]{t.now().variant: made}, usual: c.usual, debt: c.debt}
	s.say("update: the preconditioner stays")
}

// leaveTrials takes the trials from the ladder that the last solve has left.
func (s *Solver) leaveTrials(t *attempts[vector, scalar]) {
	s.looks.rungs = once[[]rung]{known: true}
	for k, r := range t.rungs {
		if !r.trial || k >= t.state.Rung {
			s.looks.rungs.value = append(s.looks.rungs.value, r)
		}
	}
}

// mostRescaled is the exponent up to which a new scaling may differ from that before, which then stays.
const mostRescaled = 8

// rescale scales the matrix as the one before if that is about as good: transfers belong to a scaling.
func (s *Solver) rescale(before *scaledMatrix) error {
	if err := s.chooseScaling(); err != nil {
		return err
	}
	now := s.scaled
	now.pool, now.transposes, now.symmetric = s.pool, before.transposes, before.symmetric
	if now.none == before.none && near(now.Row, before.Row) && near(now.Col, before.Col) && !s.overflows(before.Scaling) {
		now.Scaling = before.Scaling
		return nil
	}
	s.kept.DropTransfers()
	s.carried.other = true
	return nil
}

// near compares exponents.
func near(a, b []int) bool {
	return slices.EqualFunc(a, b, func(a, b int) bool { return max(a-b, b-a) <= mostRescaled })
}
