package solve

import (
	"context"
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

const (
	// completeWork is how many multiplications a nonzero a complete factorisation may take that
	// comes before all others: in dense fronts they take a tenth of the time of those of iterations,
	// of which others need hundreds.
	completeWork = 4000
	// Up to alwaysOrdered nonzeros a minimum degree order is found to know what factors take; up
	// to mostOrdered where the width of the matrix lets expect little. It takes the time of some
	// tens of products.
	alwaysOrdered = 100_000
	mostOrdered   = 1_000_000
	// widthWork is what the factors of a mesh take, in multiplications, by the third power of the
	// size of the separator that cuts it in half ([George73]); an LU factorisation takes twice as
	// many.
	widthWork = 8
)

// compact reports whether complete factors are expected to cost so little that it is worth
// to find out: the matrix is small, or has small separators, as of a mesh in the plane, of a
// small one in space, or of a long one. The factorisation itself is refused if it takes
// more, before it begins.
func (s *Solver) compact() bool {
	nnz := float64(s.m.NNZ())
	if nnz <= alwaysOrdered || nnz > mostOrdered {
		return nnz <= alwaysOrdered
	}
	most := int(math.Cbrt(completeWork / widthWork * nnz))
	width, err := csr.LevelWidth(context.Background(), s.m, most)
	return err == nil && width <= most
}

// early reports whether a rung comes before the others because complete factors cost little.
func (v variant) early() bool { return v.complete() && v.most == completeWork }
