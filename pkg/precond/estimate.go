package precond

import (
	"context"
	"errors"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// errNoEstimate: the kind has no estimate.
var errNoEstimate = errors.New("no estimate of the work")

// factorWork is an estimate of the cost of a complete factorisation.
type factorWork struct {
	Entries         int64   // of both factors, without the diagonal
	Multiplications float64 // of the numerical phase
	Bytes           int64   // that the factors take
}

// add adds the factors of a diagonal block, of which that share is needed.
func (w *factorWork) add(e csr.Elimination, share float64) {
	w.Entries += int64(2 * share * float64(e.Entries))
	w.Multiplications += share * e.Multiplications
}

// estimate estimates the work of New for a complete factorisation from the pattern alone. For
// Cholesky, and for LU in an order for pivots on the diagonal, the estimate holds if all pivots
// are on the diagonal; otherwise it is mostly too high. It takes the time of some tens of
// products. It returns the errors of New, and errNoEstimate for other kinds.
func estimate(ctx context.Context, kind Kind, m *csr.Matrix, opt Options, pool *parallel.Pool) (w factorWork, err error) {
	d, ok := Lookup(kind)
	if !ok || d.estimate == nil {
		return factorWork{}, fmt.Errorf("%s: %w", kind, errNoEstimate)
	}
	if w, err = d.work(newSetup(ctx, m, opt, pool)); err != nil {
		return factorWork{}, fmt.Errorf("%s: %w", kind, err)
	}
	return w, nil
}

// work returns the estimate of the kind.
func (d Description) work(s setup) (w factorWork, err error) {
	defer s.end(&err)
	if err := s.checkFinite(); err != nil {
		return factorWork{}, err
	}
	return d.estimate(s)
}

// checkEstimate returns ErrWork if the estimated work exceeds the limit.
func (s *setup) checkEstimate(w factorWork) error {
	if s.MaxWork > 0 && w.Multiplications > s.MaxWork*float64(s.m.NNZ()) {
		return fmt.Errorf("%w: about %.0f multiplications per nonzero, the limit is %g", ErrWork, w.Multiplications/float64(s.m.NNZ()), s.MaxWork)
	}
	return nil
}
