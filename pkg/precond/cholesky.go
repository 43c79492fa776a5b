package precond

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// complete is the selection of all entries that are not zero.
func complete() selection { return selection{fills: true, perRow: math.Inf(1)} }

// newCholesky is A = L L^T, complete, in an order of minimum degree. A pivot that is not
// positive is an error.
func newCholesky(s setup) (Preconditioner, error) {
	m, at, work, err := s.planCholesky()
	if err != nil {
		return nil, err
	}
	if err := s.checkEstimate(work); err != nil {
		return nil, err
	}
	if err := s.checkEntries(work.Entries, width(s.Epsilon)); err != nil {
		return nil, err
	}
	f, bad, err := s.cholesky(m, m.Diagonal(nil), 0, complete())
	if err == nil && bad >= 0 {
		err = fmt.Errorf("%w: pivot %d is not positive", ErrNotDefinite, bad+1)
	}
	if err != nil {
		return nil, err
	}
	return s.newIncomplete(fmt.Sprintf("%s, AMD order", Cholesky), f, at)
}

// planCholesky scales and orders the matrix.
func (s *setup) planCholesky() (*csr.Matrix, placement, Work, error) {
	for i, d := range s.m.Diagonal(s.pool) {
		if !(d > 0) {
			return nil, placement{}, Work{}, errDiagonal(i, d, true)
		}
	}
	scaling, err := csr.SymmetricScaling(s.m, s.pool)
	if err != nil {
		return nil, placement{}, Work{}, err
	}
	m := scaling.Apply(s.m, s.pool)
	e, err := csr.AMD(s.ctx, m)
	if err != nil {
		return nil, placement{}, Work{}, ErrInterrupted
	}
	var work Work
	work.add(e, 1)
	work.Multiplications /= 2
	work.Bytes = storedBytes(int64(m.Rows), work.Entries, width(s.Epsilon))
	at := placement{row: e.Order, col: e.Order, rowExp: scaling.Row, colExp: scaling.Col}
	return m.Permuted(e.Order, e.Order.Inverse(), s.pool), at, work, nil
}
