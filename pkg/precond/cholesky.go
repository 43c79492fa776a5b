package precond

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/direct/factor"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// leastComplete is the part of a diagonal entry that a pivot of a complete factorisation must
// exceed, leastSingle in FP32.
const leastComplete = 0x1p-50

func (p *frontPlan) leastSingle() float64 {
	return max(0x1p-21, singleError/p.allowedContraction()*float64(len(p.tree.Order)))
}

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
	diagonal, leastSingle := p.A.Diagonal(s.pool), p.leastSingle()
	return s.factored(Cholesky, p.tree.OrderedBy+" order", p, &factor.Rule{Accept: func(in factor.Precision, k int, pivot float64) (float64, error) {
		relative, why := pivot/diagonal[p.tree.Order[k]], ErrNotDefinite
		if in == factor.FP32 && !(relative > leastSingle) {
			return 0, factor.ErrSmall
		}
		if relative > leastComplete && finite(pivot) {
			return pivot, nil
		}
		if relative < -clearlyNegative {
			why = ErrIndefinite
		}
		return 0, fmt.Errorf("%w: pivot %d is %.1e of its diagonal entry", why, k+1, relative)
	}})
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

// planSymmetric scales the matrix and orders it.
func (s *setup) planSymmetric() (*frontPlan, error) {
	scaling, err := csr.SymmetricScaling(s.m, false, s.pool)
	if err != nil {
		return nil, err
	}
	return s.planFronts(s.scaled(scaling), nil, nil, placement{rowExp: scaling.Row, colExp: scaling.Col}, factor.Delay)
}
