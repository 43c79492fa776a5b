package precond

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// leastComplete is the part of a diagonal entry that a pivot of a complete factorisation must
// exceed.
const leastComplete = 0x1p-50

// newCholesky is A = L L^T, complete, in an order of minimum degree. A pivot that is not
// positive is an error.
func newCholesky(s setup) (Preconditioner, error) {
	p, err := s.planCholesky()
	if err != nil {
		return nil, err
	}
	diagonal := p.a.Diagonal(s.pool)
	f, err := s.ldl(p, func(k int, pivot float64) (float64, error) {
		if pivot > leastComplete*diagonal[k] && finite(pivot) {
			return pivot, nil
		}
		return 0, fmt.Errorf("%w: pivot %d is %g of its diagonal entry", ErrNotDefinite, k+1, pivot/diagonal[k])
	})
	if err != nil {
		return nil, err
	}
	return s.newIncomplete(fmt.Sprintf("%s, AMD order", Cholesky), f, p.at)
}

// planCholesky is planSymmetric for matrices with a positive diagonal.
func (s *setup) planCholesky() (*symmetricPlan, error) {
	for i, d := range s.m.Diagonal(s.pool) {
		if !(d > 0) {
			return nil, errDiagonal(i, d, true)
		}
	}
	return s.planSymmetric()
}

// newLDL is M = L |D| L^T where A = L D L^T, in an order of minimum degree: positive definite
// for every symmetric A, and M^-1 A has the eigenvalues 1 and -1 [Vecharynski13], unless
// pivots were replaced. Pivots are on the diagonal, in the order, which suits quasi-definite
// matrices [Vanderbei95]; those that vanish are replaced.
func newLDL(s setup) (Preconditioner, error) {
	p, err := s.planSymmetric()
	if err != nil {
		return nil, err
	}
	replaced := 0
	norms := p.a.RowMax(s.pool)
	f, err := s.ldl(p, func(k int, pivot float64) (float64, error) {
		if math.Abs(pivot) > leastComplete*norms[k] && finite(pivot) {
			return pivot, nil
		}
		if norms[k] == 0 {
			return 0, fmt.Errorf("%w: row %d is empty", ErrSingular, p.at.row[k]+1)
		}
		replaced++
		return math.Copysign(replacement*norms[k], pivot), nil
	})
	if err != nil {
		return nil, err
	}
	if replaced > 0 {
		s.logf("%s: vanishing pivots replaced by %.0e times the norm of their row: %d", LDL, replacement, replaced)
	}
	negative := 0
	for k, d := range f.d {
		if d < 0 {
			negative++
			f.d[k] = -d
			_, vals := f.u.row(k)
			for e := range vals {
				vals[e] = -vals[e]
			}
		}
	}
	return s.newIncomplete(fmt.Sprintf("%s, AMD order, %d negative pivots", LDL, negative), f, p.at)
}

// symmetricPlan is what a symmetric factorisation is to factor: the matrix scaled and ordered.
type symmetricPlan struct {
	a    *csr.Matrix
	at   placement
	work Work
}

// planSymmetric scales the matrix and puts it into an order of minimum degree.
func (s *setup) planSymmetric() (*symmetricPlan, error) {
	scaling, err := csr.SymmetricScaling(s.m, s.pool)
	if err != nil {
		return nil, err
	}
	m := scaling.Apply(s.m, s.pool)
	e, err := csr.AMD(s.ctx, m)
	if err != nil {
		return nil, ErrInterrupted
	}
	p := &symmetricPlan{at: placement{row: e.Order, col: e.Order, rowExp: scaling.Row, colExp: scaling.Col}}
	p.work.add(e, 1)
	p.work.Multiplications /= 2
	p.work.Bytes = storedBytes(int64(m.Rows), p.work.Entries, width(s.Epsilon))
	p.a = m.Permuted(e.Order, e.Order.Inverse(), s.pool)
	return p, nil
}
