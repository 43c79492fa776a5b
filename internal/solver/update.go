package solver

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Update gives the matrix new values, in the order of csr.Matrix.Val as given to New; the pattern of nonzeros stays. It is for the
// next of a sequence of systems, such as time steps or Newton steps. The values must stay unchanged while the Solver is in use.
// The caller may change the Val of the matrix given to New, and pass it.
//
// Update keeps what depends on the pattern: the order of the rows, the features and choices of the rules, and the layout of the
// method's matrix. The preconditioner stays as long as its iterations beyond those of the first system cost less than
// setting it up again would. The new preconditioner then reuses the symbolic part of factorisations. It also reuses the transfers between the
// levels of multigrid, until they cost half as many iterations again as at first. With Options.Updates this reuse begins with the first
// Update, otherwise with the second, since New keeps nothing then. Update drops probe runs that did not help. Every x is verified as
// ever, so that reuse can cost iterations, but never accuracy. If the symmetry or the signs of the diagonal change, if a row or a column
// becomes zero, if all rows sum to zero, for matrices of a special kind, and on devices, Update is New with the same Options.
//
// Solve starts from zero, or from the last x if the caller passes it as a guess. After an error the Solver is as
// before. Setup becomes the time of the Update.
func (s *Solver) Update(ctx context.Context, values []float64) (err error) {
	if s.root != nil || s.Job != nil || s.recorder != nil || len(s.Opt.Lower) > 0 {
		return rules.Invalid("Update is for a matrix on one rank, without lower parts and checkpoints")
	}
	if len(values) != s.Given.NNZ() {
		return rules.Invalid("%d values for a pattern of %d nonzeros", len(values), s.Given.NNZ())
	}
	start := time.Now()
	m := *s.Given
	m.Val = values
	given := m
	if s.special != nil || s.Opt.Device != nil || !iterating(s.Refiner) || !s.Ordinary && special.MayBeSingular(&given, s.Opt) {
		return s.anew(ctx, &given, start)
	}
	before := *s
	defer func() {
		if err != nil {
			*s = before
		}
	}()
	if s.Kept == nil {
		s.Kept = new(precond.Kept)
	}
	if s.Layouts = maps.Clone(s.Layouts); s.Layouts == nil {
		s.Layouts = map[backend.StoredAs]adaptive.Layout{}
	}
	s.Sums, s.Multiple, s.Factors, s.side.team, s.side.batch, s.lastX = nil, nil, nil, nil, nil, nil
	s.tiny = tiny{raise(&given), &given}
	m = *s.tiny.matrix(&given)
	s.Given, s.M, s.Known = &m, &m, new(features.KnownParts)
	err = s.until(ctx, func() error {
		if p := s.Order.Permutation; p != nil {
			s.M = m.Permuted(p, p.Inverse(), s.Pool)
		}
		s.Facts = csr.Examine(&m, s.Pool)
		return rules.Solvable(s.Facts)
	})
	empty := s.Facts.EmptyRow >= 0 || s.Facts.EmptyCol >= 0
	if err != nil && !empty {
		return err
	}
	if empty || s.Facts.Symmetric != before.Facts.Symmetric || s.Facts.DiagonalSign() != before.Facts.DiagonalSign() {
		*s = before
		return s.anew(ctx, &given, start)
	}
	s.Opt.Examined(s.Facts)
	last := before.Refiner.(*refine.Refinement[vector, scalar]).Correction.Attempts
	s.leaveProbeRuns(last)
	if err = s.until(ctx, func() error { return s.rescale(before.Scaled) }); err != nil {
		return err
	}
	s.carry(last)
	if err = s.build(ctx); err != nil {
		return err
	}
	before.Refiner.Close()
	s.Setup = time.Since(start)
	return nil
}

// UpdateMatrix is Update with the values of m, whose nonzeros are all in the pattern of the matrix given to New; others of the pattern are zero.
func (s *Solver) UpdateMatrix(ctx context.Context, m *csr.Matrix) error {
	g := s.Given
	if err := m.Validate(); err != nil {
		return rules.Invalid("%v", err)
	}
	if m.Rows != g.Rows || m.Cols != g.Cols {
		return rules.Invalid("the matrix is %d x %d, the one before %d x %d", m.Rows, m.Cols, g.Rows, g.Cols)
	}
	if slices.Equal(m.RowPtr, g.RowPtr) && slices.Equal(m.Col, g.Col) {
		return s.Update(ctx, m.Val)
	}
	values := make([]float64, g.NNZ())
	for i := range m.Rows {
		at, end := g.RowPtr[i], g.RowPtr[i+1]
		cols, vals := m.Row(i)
		for k, j := range cols {
			for at < end && g.Col[at] != j {
				at++
			}
			if at == end {
				return rules.Invalid("the pattern of nonzeros differs from that of the matrix before, first in row %d", i+1)
			}
			values[at] = vals[k]
			at++
		}
	}
	return s.Update(ctx, values)
}

// iterating reports whether a Krylov method on the host solves.
func iterating(r refine.Refiner) bool {
	_, is := r.(*refine.Refinement[vector, scalar])
	return is
}

// anew replaces s by New for m with the same options.
func (s *Solver) anew(ctx context.Context, m *csr.Matrix, start time.Time) error {
	t, err := New(ctx, m, s.updates.asked)
	if err != nil {
		return err
	}
	s.Close()
	*s = *t
	s.Setup = time.Since(start)
	return nil
}

// carry decides whether the preconditioner in use stays for the next values, see choice.Carried. If multigrid takes many iterations for the
// values that it was made for, its transfers do not suit these: it is made again, with others.
func (s *Solver) carry(t *choice.Attempts[vector, scalar]) {
	c := s.Carried
	s.Carried = choice.Carried{}
	made := t.Preconditioner()
	if made == nil || c.Solves == 0 || c.Other {
		return
	}
	bet, fresh := t.Bet(), c.Usual == 0
	if bet.SetUp <= bet.Iteration { // less than an iteration saved
		return
	}
	stays := c.Next(bet.SetUp*rules.SetUpAgain, bet.Iteration)
	switch {
	case fresh && s.updates.usual == 0:
		s.updates.usual = c.Usual
	case fresh && t.Now().Kind == precond.AMG && float64(c.Usual) > rules.Worn*float64(s.updates.usual):
		s.Say("update: %d iterations instead of %d; transfers between levels are made again", c.Usual, s.updates.usual)
		s.Kept.DropTransfers()
		s.updates.usual = 0
		return
	}
	if !stays {
		s.Say("update: %d iterations in %d solves instead of %d in each; the preconditioner is set up again", c.Took, c.Solves, c.Usual)
		return
	}
	s.Carried = choice.Carried{
		Ready: map[choice.Variant]*choice.Preconditioner[vector, scalar]{t.Now().Variant: made}, Usual: c.Usual, Debt: c.Debt, Stale: c.Stale,
	}
	s.Say("update: the preconditioner stays")
}

// leaveProbeRuns drops the probe runs that the last solve has left from the fallbacks.
func (s *Solver) leaveProbeRuns(t *choice.Attempts[vector, scalar]) {
	s.Found = features.Once[[]choice.Fallback]{Known: true}
	for k, r := range t.Fallbacks {
		if !r.ProbeRun || k == t.State.Fallback {
			s.Found.Value = append(s.Found.Value, r)
		}
	}
}

// rescale keeps the scaling of the values before if it is about as good as a new one: transfers belong to a scaling.
func (s *Solver) rescale(before *backend.ScaledMatrix) error {
	if err := s.ChooseScaling(); err != nil {
		return err
	}
	now := s.Scaled
	now.Pool, now.Transposes, now.Symmetric = s.Pool, before.Transposes, before.Symmetric
	if now.None == before.None && near(now.Row, before.Row) && near(now.Col, before.Col) && !s.Source().Overflows(before.Scaling) {
		now.Scaling = before.Scaling
		return nil
	}
	s.Kept.DropTransfers()
	s.Carried.Other = true
	return nil
}

// near reports whether the exponents of two scalings differ little.
func near(a, b []int) bool {
	return slices.EqualFunc(a, b, func(a, b int) bool { return max(a-b, b-a) <= rules.MostRescaled })
}

// updates is the state that Update needs of the solves before.
type updates struct {
	asked solve.Options // options as given to New
	usual int           // iterations with the transfers of multigrid as they were when made; 0: not known
}
