package precond

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/direct/factor"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
)

const (
	// Factors are tried in FP32 where they take at least singleWork multiplications, about a hundredth of a second, and singleGain for each of their
	// entries. With fewer, orders and assembly take most of the time, and the iterations that FP32 adds take about what it saves: of Helmholtz'
	// equation in the plane, 134 an entry, FP32 takes 1.1 times the time of FP64, of nine points, 307, as much, of elasticity, 1084, 0.5.
	singleWork = 1e8
	singleGain = 320
	// leastContraction is the largest part of an error that an iteration of refinement may leave with factors in FP32 that take little work
	// [CarsonHigham18]. With 0.1, a plate took ten times the applications of factors in FP64. Where an entry takes iterationWork multiplications for each
	// iteration to 1e-10, these iterations take half of the time of factors in FP64; the part is at most mostContraction.
	leastContraction = 0x1p-6
	mostContraction  = 0x1p-2
	iterationWork    = 80
	// singleError is about that part for n pivots of which the least is one n-th of its diagonal entry: 0.2e-10 to 1.2e-10 for meshes in the plane and in
	// space, with and without jumps of the coefficient, and for a plate.
	singleError = 1e-10
)

// firstPrecision is the precision that factors are made in first: FP32 where that saves time, where only FP32 fits into the memory, or where an accuracy
// between those of the two was asked for.
func (s *setup) firstPrecision(p *frontPlan) factor.Precision {
	switch w := p.work.Multiplications; {
	case s.Epsilon <= adaptive.MinEpsilon || w < singleWork:
		return factor.FP64
	case s.Epsilon != DefaultEpsilon || w >= singleGain*float64(p.entries()) && !(s.Stiff != nil && s.Stiff()):
		return factor.FP32
	}
	factors, making := p.tree.Bytes(p.Symmetric(), s.pool.Threads(), factor.FP64)
	if s.fits(factors+making) != nil {
		return factor.FP32
	}
	return factor.FP64
}

// allowedContraction is the largest part of an error that an iteration with factors in FP32 may leave.
func (p *frontPlan) allowedContraction() float64 {
	iterations := p.work.Multiplications / (iterationWork * float64(p.entries()))
	return min(max(math.Pow(1e-10, 1/iterations), leastContraction), mostContraction)
}

// complete is M = A but for rounding, and for pivots that were replaced.
type complete struct {
	hostOnly
	*factor.Solver
	name string
	cost Cost
}

// placement says where the rows and columns of the fronts are in the system.
func (p *frontPlan) placement() factor.Placement {
	n := len(p.tree.Order)
	at := factor.Placement{Equations: make([]int32, n), Unknowns: make([]int32, n), RowScale: make([]float64, n), ColScale: make([]float64, n)}
	for k, j := range p.tree.Order {
		i, j := int32(numbered(p.at.row, int(j))), int32(numbered(p.at.col, int(j)))
		at.Equations[k], at.Unknowns[k] = i, j
		at.RowScale[k], at.ColScale[k] = math.Ldexp(1, p.at.rowExp[i]), math.Ldexp(1, p.at.colExp[j])
	}
	return at
}

// newComplete makes a preconditioner of the factors of a plan.
func (s *setup) newComplete(name string, p *frontPlan, f factor.Factors) (*complete, error) {
	c := &complete{Solver: factor.NewSolver(&p.Matrix, p.tree, f, p.placement(), s.pool)}
	values := p.work.Entries + int64(s.m.Rows) + c.Coupling()
	c.name = fmt.Sprintf("%s, %d entries in %s", name, p.entries()+c.Coupling(), f.Precision())
	inFP64, _ := p.tree.Bytes(p.Symmetric(), 1, factor.FP64)
	stored := int64(f.Precision()) * f.Numbers()
	c.cost = Cost{
		Values: values, ValueBytes: stored + 8*c.Coupling(),
		Bytes: inFP64 - 8*f.Numbers() + stored + 12*c.Coupling(), FP64Bytes: inFP64 + 12*c.Coupling(),
	}
	return c, s.interrupted()
}

// Cost implements Preconditioner.
func (c *complete) Cost() Cost { return c.cost }

func (c *complete) String() string { return c.name }

// factor factors a plan in a precision.
func (s *setup) factor(p *frontPlan, r *factor.Rule, in factor.Precision) (factor.Factors, error) {
	if err := s.checkWork(int64(p.work.Multiplications)); err != nil {
		return nil, err
	}
	factors, making := p.tree.Bytes(p.Symmetric(), s.pool.Threads(), in)
	if err := s.checkMemory(factors + making); err != nil {
		return nil, fmt.Errorf("%w, for factors of %d entries", err, p.work.Entries)
	}
	watch := s.eliminating(fmt.Sprintf("factors of %d entries in %s", p.work.Entries, in), p.tree.Operations())
	f, err := factor.Factor(&p.Matrix, p.tree, r, in, s.pool, func() factor.Watch {
		own := *watch
		return func(operations int) error { return own.count(operations, operations) }
	})
	return f, cmp.Or(err, s.interrupted())
}

// factored factors a plan in FP32 if its factors serve, otherwise in FP64. What they leave of an error is a cheap estimate of the condition of A.
func (s *setup) factored(kind Kind, order string, p *frontPlan, r *factor.Rule) (*complete, error) {
	name := fmt.Sprintf("%s, %s", kind, order)
	if s.firstPrecision(p) == factor.FP32 {
		why := ""
		f, err := s.factor(p, r, factor.FP32)
		switch {
		case err == nil:
			c, err := s.newComplete(name, p, f)
			if err != nil {
				return nil, err
			}
			e := s.contraction(c)
			if e <= p.allowedContraction() {
				return c, nil
			}
			why = fmt.Sprintf("leave %.0e of an error", e)
		case errors.Is(err, factor.ErrSmall):
			why = "have a pivot that is too small"
		default:
			return nil, err
		}
		s.logf("%s: factors in FP32 %s, factors in FP64 follow", kind, why)
	}
	f, err := s.factor(p, r, factor.FP64)
	if err != nil {
		return nil, err
	}
	if n := r.Replaced.Load(); n > 0 {
		s.logf(vanishing, kind, replacement, n)
	}
	return s.newComplete(name, p, f)
}

// contraction is the part of an error that an iteration x += M^-1 (b - A x) leaves, in the largest element in the scaling of M: of an error whose elements
// are 1/2 or 3/2, or of the error after that, which is mostly in the directions that M is worst for.
func (s *setup) contraction(c *complete) float64 {
	e, r, d := make([]float64, s.m.Rows), make([]float64, s.m.Rows), make([]float64, s.m.Rows)
	for k, j := range c.Unknowns {
		e[j] = c.ColScale[k] * (1 + sign(k)/2)
	}
	size := func() (largest float64) {
		for k, j := range c.Unknowns {
			largest = max(largest, math.Abs(e[j]/c.ColScale[k]))
		}
		return largest
	}
	worst, before := 0.0, size()
	for step := 0; step < 2 && before > 0; step++ {
		s.m.MulVec(r, e)
		c.Apply(d, r)
		for i := range e {
			e[i] -= d[i]
		}
		now := size()
		worst, before = max(worst, now/before), now
	}
	return worst
}
