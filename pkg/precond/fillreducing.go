package precond

import (
	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

const (
	// Nested dissection takes 0.2 to 0.3 microseconds a vertex or neighbour of the compressed graph on two threads, and on meshes in space saves
	// half to three quarters of the multiplications of AMD, of which two threads do about 2e10 a second: it pays beyond about so many for each
	// (bench/peers/orders.sh, and docs/solvers.md for real matrices). The least part of AMD's multiplications that it took is 0.08.
	dissectionPays = 12_000
	dissectionGain = 1. / 16
	// With up to so many multiplications a nonzero the compressed graph is not made.
	undissected = 600
)

// fillReducing returns the order of AMD or of nested dissection, whichever takes less work, and its name. share is the part of an LU
// factorisation that is done. The work is at most what the options allow; otherwise the error is ErrWork.
func (s *setup) fillReducing(a, transpose *csr.Matrix, share float64) (e order.Elimination, name string, err error) {
	g := order.NewGraph(a, transpose)
	if e, err = order.AMD(s.ctx, g); err != nil {
		return e, "", ErrInterrupted
	}
	check := func(part float64) error {
		return s.checkEstimate(factorWork{Multiplications: share * part * e.Multiplications})
	}
	name = "AMD"
	if share*e.Multiplications <= undissected*float64(a.NNZ()) || check(dissectionGain) != nil {
		return e, name, check(1)
	}
	small := order.Compress(g)
	if small == nil || share*e.Multiplications <= dissectionPays*float64(small.Size()) {
		return e, name, check(1)
	}
	p, err := order.Dissect(s.ctx, small, s.pool)
	if err != nil {
		return e, "", ErrInterrupted
	}
	if other := order.Count(g, p); other.Multiplications < e.Multiplications {
		e, name = other, "nested dissection"
	}
	return e, name, check(1)
}
