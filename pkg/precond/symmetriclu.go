package precond

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/direct/factor"
	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

const (
	// mostUnpivoted is the largest row-wise backward error of a solve with A = L D L^T: a few iterations make up for it, and other factors take at least
	// twice as long. Good factors leave up to 3e-6, of quadratic programs, and useless ones 1e-2 and more.
	mostUnpivoted = 1e-4
	// mostCoupled is the share of unknowns with a zero on the diagonal that may be coupled to another one: for these factor.Delay finds no place.
	mostCoupled = 0.01
)

// newLDL is M = L |D| L^T where A = L D L^T, in an order that fills little: positive definite
// for every symmetric A, and M^-1 A has the eigenvalues 1 and -1 [Vecharynski13], unless
// pivots were replaced.
func newLDL(s setup) (Preconditioner, error) {
	c, _, err := s.indefinite(LDL)
	if err != nil {
		return nil, err
	}
	c.Modulus = true
	return c, nil
}

// indefinite is A = L D L^T, which takes half the work of L U, and whose order fills less than one of A with its rows permuted, by the pivoting of Bunch and
// Kaufman within fronts. M = L |D| L^T needs accurate factors.
func (s *setup) indefinite(kind Kind) (c *complete, suffices bool, err error) {
	most := mostUnpivoted
	if kind == LDL {
		most = mostBackward
	}
	plans := s.indefinitePlans()
	for k, plan := range plans {
		p, err := plan()
		if err != nil {
			return nil, false, err
		}
		last := k == len(plans)-1 && kind == LDL // nothing else is M = L |D| L^T
		if c, err = s.signed(kind, p); err != nil || last || s.suffices(c, most) {
			return c, true, err
		}
	}
	return c, false, nil
}

// indefinitePlans are plans in order of their work: with unknowns whose diagonal entries are zero delayed, unless these are coupled, and in pairs.
func (s *setup) indefinitePlans() (plans []func() (*frontPlan, error)) {
	diagonal, zeros, coupled := s.m.Diagonal(s.pool), 0, 0
	for i, d := range diagonal {
		if d != 0 {
			continue
		}
		zeros++
		cols, vals := s.m.Row(i)
		for k, j := range cols {
			if diagonal[j] == 0 && vals[k] != 0 {
				coupled++
				break
			}
		}
	}
	if float64(coupled) <= mostCoupled*float64(zeros) {
		plans = append(plans, s.planSymmetric)
	}
	return append(plans, s.planPairs)
}

// planIndefinite is the first of indefinitePlans.
func (s *setup) planIndefinite() (*frontPlan, error) { return s.indefinitePlans()[0]() }

// signed is A = L D L^T, whose name says how many eigenvalues of D, and so of A, are negative.
func (s *setup) signed(kind Kind, p *frontPlan) (*complete, error) {
	r := &factor.Rule{}
	c, err := s.factored(kind, "L D L^T, "+p.tree.OrderedBy+" order", p, r)
	if err != nil {
		return nil, err
	}
	c.name = fmt.Sprintf("%s, %d negative eigenvalues", c.name, r.Negative.Load())
	if r.Replaced.Load() > 0 {
		return c, s.matched()
	}
	return c, nil
}

// planPairs is the plan of fronts in which each unknown with a weak diagonal entry is together with one
// that it depends on strongly ([DuffPralet05], [SchenkGaertner06]).
func (s *setup) planPairs() (*frontPlan, error) {
	scaling, err := csr.SymmetricScaling(s.m, false, s.pool)
	if err != nil {
		return nil, err
	}
	match, more, err := transversal(s.ctx, s.scaled(scaling), s.pool)
	if err != nil {
		return nil, err
	}
	for i := range scaling.Row { // the matched entries stay about 1, and others at most
		e := (more.Row[i] + more.Col[i]) >> 1
		scaling.Row[i] += e
		scaling.Col[i] += e
	}
	a := s.scaled(scaling)
	partner := pairs(match, a.Diagonal(s.pool))
	return s.planFronts(a, nil, nil, placement{rowExp: scaling.Row, colExp: scaling.Col}, func(_ *csr.Matrix, e order.Elimination) order.Elimination {
		return factor.Pair(e, partner)
	})
}

// pairs cuts the cycles of a matching of columns with rows into pairs, and returns the partner of each unknown: itself if it has none.
// Unknowns whose diagonal entries are not weak stay alone.
func pairs(match []int32, diagonal []float64) []int32 {
	partner := marks(len(match))
	var cycle []int32
	for first := range match {
		cycle = cycle[:0]
		for j := int32(first); partner[j] < 0; j = match[j] {
			partner[j] = j
			cycle = append(cycle, j)
		}
		if len(cycle)%2 == 1 { // the one with the largest diagonal entry stays alone
			largest := 0
			for k, j := range cycle {
				if math.Abs(diagonal[j]) > math.Abs(diagonal[cycle[largest]]) {
					largest = k
				}
			}
			cycle = slices.Concat(cycle[largest+1:], cycle[:largest])
		}
		for k := 0; k+1 < len(cycle); k += 2 {
			i, j := cycle[k], cycle[k+1]
			if min(math.Abs(diagonal[i]), math.Abs(diagonal[j])) < weakDiagonal {
				partner[i], partner[j] = j, i
			}
		}
	}
	return partner
}
