package precond

import (
	"errors"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

const (
	// Nested dissection takes 0.2 to 0.3 microseconds a vertex or neighbour of the compressed graph on two threads, and on meshes in space saves
	// half to three quarters of the multiplications of AMD, of which two threads do about 2e10 a second: it pays beyond about so many for each
	// (bench/peers/orders.sh, and docs/complete-factors.md for real matrices). The least part of AMD's multiplications that it took is 0.08.
	dissectionPays = 12_000
	dissectionGain = 1. / 16
	// With up to so many multiplications a nonzero the compressed graph is not made.
	undissected = 600
	// A visit of an entry by an order takes about as long as visitWork multiplications in a front; leastVisits take some hundredths of a second. Orders take
	// 2 to 22 visits a nonzero, and 90 to 260 where the factors of a large matrix would fill beyond any memory.
	visitWork   = 400
	leastVisits = 2e6
	mostVisits  = 24
)

// fillReducing returns the order of AMD or of nested dissection, whichever takes less work, and its name. share is the part of an LU
// factorisation that is done. The work is at most what the options allow; otherwise the error is ErrWork, and what was found is kept.
func (s *setup) fillReducing(a, transpose *csr.Matrix, share float64) (e order.Elimination, name string, err error) {
	g := order.NewGraph(a, transpose)
	e, err = s.Kept.order(a, orderAMD, func() (order.Elimination, error) {
		return order.AMD(s.ctx, g, s.orderLimit(share*dissectionGain))
	})
	if err != nil {
		return e, "", s.orderError(err, share*dissectionGain*e.Multiplications)
	}
	check := func(part float64) error {
		return s.checkExcess(share*part*e.Multiplications/float64(s.m.NNZ()), part < 1)
	}
	name = "AMD"
	if share*e.Multiplications <= undissected*float64(a.NNZ()) {
		return e, name, check(1)
	}
	if err := check(dissectionGain); err != nil {
		return e, name, err
	}
	small := order.Compress(g)
	if small != nil && share*e.Multiplications > dissectionPays*float64(small.Size()) {
		other, err := s.Kept.order(a, orderCuts, func() (order.Elimination, error) {
			p, err := order.Dissect(s.ctx, small, s.pool)
			if err != nil {
				return order.Elimination{}, err
			}
			return order.Count(g, p), nil
		})
		if err != nil {
			return e, "", ErrInterrupted
		}
		if other.Multiplications < e.Multiplications {
			e, name = other, "nested dissection"
		}
	}
	return e, name, check(1)
}

// orderLimit is the limit of an order of whose multiplications a share is done. An order may take as long as the factors that it is for.
func (s *setup) orderLimit(share float64) order.Limit {
	if s.MaxWork == 0 {
		return order.Limit{}
	}
	nnz := float64(s.m.NNZ())
	return order.Limit{Multiplications: s.MaxWork * nnz / share, Visits: int(max(leastVisits, min(s.MaxWork/visitWork, mostVisits)*nnz))}
}

// orderError returns the error of an order as one of a set-up; so many multiplications were counted.
func (s *setup) orderError(err error, multiplications float64) error {
	if errors.Is(err, order.ErrLimit) {
		return fmt.Errorf("%w: an order is given up: %w", ErrWork, &order.Excess{Work: multiplications / float64(s.m.NNZ()), Limit: s.MaxWork, AtLeast: true})
	}
	return ErrInterrupted
}
