package precond

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

const (
	coarsest       = 500  // rows of a matrix that is inverted rather than coarsened
	largestDense   = 3000 // rows of a matrix that may be inverted where coarsening fails
	maxLevels      = 25
	slowCoarsening = 0.75    // share of the unknowns that a coarser level must stay below
	prolongator    = 4.0 / 3 // omega of its smoothing, times the largest eigenvalue of D^-1 A
	safeEigenvalue = 2.2     // bound by row sums that needs no better estimate

	chebyshevDegree = 2  // steps before and after the correction from the coarser level
	smootherRatio   = 10 // of the largest eigenvalue of D^-1 A to the least that is to be smoothed
	l1JacobiSteps   = 2
	safeStep        = 1.8
)

// levelMatrices is what set-up makes of a level but the coarsest.
type levelMatrices struct {
	a, p *csr.Matrix // the level's matrix and the prolongator to it from the next coarser one
	r    *csr.Matrix // the transpose of p

	// A step of the smoother is x += steps[k] M (b - A x), M = diag(m), negative where the
	// diagonal of A is.
	m     []float64
	steps []float64
}

// hierarchy sets up multigrid from level to level.
type hierarchy struct {
	setup
	levels []levelMatrices
	held   int64 // bytes of the matrices in levels

	// The current level.
	a         *csr.Matrix
	nodes     nodes
	null      [][]float64
	threshold float64
	nonzeros  int // of all matrices so far
}

// build makes levels until the matrix is small.
func (h *hierarchy) build() (err error) {
	for more := true; more && h.a.Rows > coarsest && len(h.levels) < maxLevels; {
		if more, err = h.coarsen(); err != nil {
			return err
		}
	}
	h.nonzeros += h.a.NNZ()
	n := int64(h.a.Rows)
	if n > largestDense {
		return fmt.Errorf("coarsening stopped at %d unknowns: their connections are weak", n)
	}
	return h.checkMemory(h.held + 3*8*n*n)
}

// coarsen adds a level and goes on to the next, if that is smaller.
func (h *hierarchy) coarsen() (more bool, err error) {
	m, pool := h.a, h.pool
	if err := h.interrupted(); err != nil {
		return false, err
	}
	if err := h.checkMemory(h.held + 2*m.Bytes() + int64(8*m.Rows*len(h.null))); err != nil {
		return false, err
	}
	strong := strongConnections(norms(m, h.nodes, pool), h.threshold, pool)
	a := aggregate(strong)
	t := newTentative(h.nodes, a, h.null, pool)
	if n := len(t.coarse.Of); n == 0 || float64(n) > slowCoarsening*float64(m.Rows) {
		return false, nil
	}
	l := levelMatrices{a: m}
	inverse, lambda, err := h.smoother(&l)
	if err != nil {
		return false, fmt.Errorf("level %d: %w", len(h.levels)+1, err)
	}
	most := int64(m.NNZ() * t.width) // of P
	if err := h.checkMatrix(m.Rows, most, h.held, func() (int64, error) {
		return csr.ProductNNZ(m, t.pattern(), t.coarse, pool)
	}); err != nil {
		return false, err
	}
	l.p = t.smooth(m, h.nodes, strong, inverse, prolongator/lambda, pool)
	l.r = l.p.Transpose(pool)
	return true, h.descend(l, t)
}

// descend adds level l and goes on to the next matrix.
func (h *hierarchy) descend(l levelMatrices, t *tentative) error {
	coarse, err := h.galerkin(l, t.coarse)
	if err != nil {
		return err
	}
	h.levels = append(h.levels, l)
	h.held += l.a.Bytes() + 2*l.p.Bytes()
	h.nonzeros += h.a.NNZ()
	h.a, h.nodes, h.null, h.threshold = coarse, t.coarse, t.null, h.threshold/2
	return nil
}

// galerkin returns P^T A P.
func (h *hierarchy) galerkin(l levelMatrices, blocks nodes) (*csr.Matrix, error) {
	held := h.held + 2*l.p.Bytes()
	ap, err := h.multiply(l.a, l.p, blocks, held)
	if err != nil {
		return nil, err
	}
	return h.multiply(l.r, ap, blocks, held+ap.Bytes())
}

// multiply returns a b if the memory budget allows it besides what is held.
func (h *hierarchy) multiply(a, b *csr.Matrix, blocks nodes, held int64) (*csr.Matrix, error) {
	if err := h.interrupted(); err != nil {
		return nil, err
	}
	work := csr.Multiplications(a, b, h.pool)
	if err := h.checkWork(work); err != nil {
		return nil, err
	}
	if err := h.checkMatrix(a.Rows, work, held, func() (int64, error) {
		return csr.ProductNNZ(a, b, blocks, h.pool)
	}); err != nil {
		return nil, err
	}
	return csr.Multiply(a, b, blocks, h.pool)
}

// checkMatrix returns ErrMemory if the budget does not allow, besides what is held, a matrix
// of at most that many nonzeros and the pieces it is made of. If the bound is too large,
// count counts the nonzeros.
func (h *hierarchy) checkMatrix(rows int, most, held int64, count func() (int64, error)) error {
	if h.checkMemory(held+2*csr.Bytes(int64(rows), most)) == nil {
		return nil
	}
	nnz, err := count()
	if err != nil {
		return err
	}
	return h.checkMemory(held + 2*csr.Bytes(int64(rows), nnz))
}

// smoother sets m and steps of a level and returns the inverse of the diagonal of its matrix and
// the largest eigenvalue of their product.
func (h *hierarchy) smoother(l *levelMatrices) (inverse vector, lambda float64, err error) {
	sums := h.a.RowSums(h.pool)
	inverse, err = inverseDiagonal(h.a, h.Symmetric, h.pool, func(i int, d float64) (float64, error) {
		if d == 0 && sums[i] == 0 { // an unknown without an equation, which coarsening may leave
			return 0, nil
		}
		return 0, errDiagonal(i, d, h.Symmetric)
	})
	if err != nil {
		return nil, 0, err
	}
	for i, d := range h.a.Diagonal(h.pool) {
		if d != 0 {
			lambda = max(lambda, sums[i]/math.Abs(d))
		}
	}
	if lambda > safeEigenvalue && h.Symmetric {
		estimate, err := largestEigenvalue(linop.NewCSR(h.a, h.pool), inverse, h.pool)
		if err != nil {
			return nil, 0, err
		}
		lambda = min(lambda, eigenvalueMargin*estimate)
	}
	degree := h.Degree
	kind := h.Multigrid.Smoother
	switch {
	case kind == SmootherChebyshev:
		if degree == 0 {
			degree = chebyshevDegree
		}
		l.m, l.steps = inverse, chebyshevSteps(degree, lambda/smootherRatio, lambda)
		return inverse, lambda, nil
	case kind == SmootherSPAI0, kind == SmootherAuto && h.Symmetric:
		if l.m, err = h.spai0(sums); err != nil {
			return nil, 0, err
		}
	default:
		l.m = sums
		for i, s := range sums {
			if s > 0 {
				l.m[i] = math.Copysign(1/s, inverse[i])
			}
		}
		if degree == 0 && kind == SmootherAuto {
			degree = l1JacobiSteps
		}
	}
	l.steps = slices.Repeat([]float64{1}, max(degree, 1))
	return inverse, lambda, nil
}

// spai0 returns the diagonal of the sparse approximate inverse that is diagonal: m_i minimises
// ||e_i - m_i a_i||, a_i row i of A, so that m_i = a_ii / ||a_i||^2 ([BroekerGrote02]). Where A is
// symmetric, it is scaled so that the eigenvalues of M A are below safeStep, without which a cycle
// need not be definite; sums are those of |a_ij| in rows.
func (h *hierarchy) spai0(sums []float64) ([]float64, error) {
	a, m := h.a, make([]float64, h.a.Rows)
	bounds := evenly(a.Rows, nodesPerTask)
	most := make([]float64, len(bounds)-1) // bounds of eigenvalues
	h.pool.RunRanges(bounds, func(part, lo, hi int) {
		for i := lo; i < hi; i++ {
			cols, vals := a.Row(i)
			diagonal, square := 0.0, 0.0
			for k, v := range vals {
				square += float64(v * v)
				if int(cols[k]) == i {
					diagonal = v
				}
			}
			if square > 0 {
				m[i] = diagonal / square
				most[part] = max(most[part], math.Abs(m[i])*sums[i])
			}
		}
	})
	if !h.Symmetric || slices.Max(most) <= 2 {
		return m, nil
	}
	lambda, err := largestEigenvalue(linop.NewCSR(a, h.pool), m, h.pool)
	if err != nil {
		return nil, err
	}
	if f := safeStep / (eigenvalueMargin * lambda); f < 1 {
		for i := range m {
			m[i] *= f
		}
	}
	return m, nil
}
