package precond

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// leastComplete is the part of a diagonal entry that a pivot of a complete factorisation must
// exceed.
const leastComplete = 0x1p-50

// clearlyNegative is the part of a diagonal entry that a negative pivot exceeds if A is
// indefinite, and not only singular: then pivots are rounding errors.
const clearlyNegative = 0x1p-26

// newCholesky is A = L L^T, complete, in an order that fills little. A pivot that is not
// positive is an error.
func newCholesky(s setup) (Preconditioner, error) {
	p, err := s.planCholesky()
	if err != nil {
		return nil, err
	}
	diagonal := p.a.Diagonal(s.pool)
	f, err := s.multifrontal(p, acceptance(func(k int, pivot float64) (float64, error) {
		relative, why := pivot/diagonal[p.tree.order[k]], ErrNotDefinite
		if relative > leastComplete && finite(pivot) {
			return pivot, nil
		}
		if relative < -clearlyNegative {
			why = ErrIndefinite
		}
		return 0, fmt.Errorf("%w: pivot %d is %.1e of its diagonal entry", why, k+1, relative)
	}).ldl)
	if err != nil {
		return nil, err
	}
	return s.newComplete(fmt.Sprintf("%s, %s order", Cholesky, p.tree.orderedBy), p, f)
}

// planCholesky is planSymmetric for matrices with a positive diagonal.
func (s *setup) planCholesky() (*frontPlan, error) {
	for i, d := range s.m.Diagonal(s.pool) {
		if !(d > 0) {
			return nil, errDiagonal(i, d, true)
		}
	}
	return s.planSymmetric()
}

// newLDL is M = L |D| L^T where A = L D L^T, in an order that fills little: positive definite
// for every symmetric A, and M^-1 A has the eigenvalues 1 and -1 [Vecharynski13], unless
// pivots were replaced. Pivots are on the diagonal, in the order, which suits quasi-definite
// matrices [Vanderbei95]; those that vanish are replaced.
func newLDL(s setup) (Preconditioner, error) {
	p, err := s.planSymmetric()
	if err != nil {
		return nil, err
	}
	f, replaced, negative, err := s.signedLDL(p)
	if err != nil {
		return nil, err
	}
	if replaced > 0 {
		s.logf(vanishing, LDL, replacement, replaced)
	}
	c, err := s.newComplete(fmt.Sprintf("%s, %s order, %d negative pivots", LDL, p.tree.orderedBy, negative), p, f)
	if err != nil {
		return nil, err
	}
	c.definite = true
	return c, nil
}

// signedLDL makes L D L^T with pivots of any sign, and returns how many vanished and were replaced, and how many are negative.
func (s *setup) signedLDL(p *frontPlan) (f *fronts, replaced, negative int64, err error) {
	var small, below atomic.Int64
	norms := p.a.RowMax(s.pool)
	f, err = s.multifrontal(p, acceptance(func(k int, pivot float64) (float64, error) {
		norm := norms[p.tree.order[k]]
		if norm == 0 {
			return 0, fmt.Errorf("%w: row %d is empty", ErrSingular, p.tree.order[k]+1)
		}
		if !(math.Abs(pivot) > leastComplete*norm) || !finite(pivot) {
			small.Add(1)
			pivot = math.Copysign(replacement*norm, pivot)
		}
		if pivot < 0 {
			below.Add(1)
		}
		return pivot, nil
	}).ldl)
	return f, small.Load(), below.Load(), err
}

// planSymmetric scales the matrix and orders it.
func (s *setup) planSymmetric() (*frontPlan, error) {
	scaling, err := csr.SymmetricScaling(s.m, false, s.pool)
	if err != nil {
		return nil, err
	}
	return s.planFronts(scaling.Apply(s.m, s.pool), nil, nil, placement{rowExp: scaling.Row, colExp: scaling.Col})
}
