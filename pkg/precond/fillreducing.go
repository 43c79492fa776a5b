package precond

import (
	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

const (
	// Nested dissection takes about a microsecond a nonzero on two threads, and saves a third to two thirds of the multiplications of AMD on
	// meshes in space, of which two threads do 1 to 2.5e10 a second: it pays beyond about so many for each nonzero
	// (go test ./internal/direct/order -run xxx -bench Orders). It never takes less than the part dissectionGain.
	dissectionPays = 20_000
	dissectionGain = 1. / 8
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
	if share*e.Multiplications <= dissectionPays*float64(a.NNZ()) || check(dissectionGain) != nil {
		return e, name, check(1)
	}
	p, err := order.Dissect(s.ctx, g, s.pool)
	if err != nil {
		return e, "", ErrInterrupted
	}
	if other := order.Count(g, p); other.Multiplications < e.Multiplications {
		e, name = other, "nested dissection"
	}
	return e, name, check(1)
}
