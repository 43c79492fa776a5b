package precond

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

const (
	coarsest       = 500  // rows at most of a matrix that is inverted
	largestDense   = 3000 // the same where coarsening got no further
	maxLevels      = 25
	slowCoarsening = 0.75    // share of the unknowns that a coarser level must stay below
	prolongator    = 4.0 / 3 // omega of its smoothing, times the largest eigenvalue of D^-1 A
	safeEigenvalue = 2.2     // bound by row sums that needs no better estimate
)

// hierarchy sets up multigrid from level to level.
type hierarchy struct {
	setup
	g *multigrid

	// The current level.
	a         *csr.Matrix
	stored    linop.Relaxer[vector, scalar] // a as it is stored already, or nil
	nodes     nodes
	null      [][]float64
	threshold float64
	nonzeros  int // of all matrices so far
}

// build makes levels until the matrix is small, and the solver for that.
func (h *hierarchy) build() (err error) {
	for more := true; more && h.a.Rows > coarsest && len(h.g.levels) < maxLevels; {
		if more, err = h.coarsen(); err != nil {
			return err
		}
	}
	h.nonzeros += h.a.NNZ()
	n := int64(h.a.Rows)
	if n > largestDense {
		return fmt.Errorf("coarsening stopped at %d unknowns, whose connections are weak", n)
	}
	if err := h.checkMemory(h.g.cost.Bytes + 3*8*n*n); err != nil {
		return err
	}
	h.g.coarse, err = newCoarse(h.a, h.Options)
	h.g.cost = h.g.cost.Add(fp64Cost(n * n))
	if h.Multigrid.KCycle {
		h.g.iterate(h.Symmetric)
	}
	return err
}

// coarsen adds a level and goes on to the next, if that is smaller.
func (h *hierarchy) coarsen() (more bool, err error) {
	m, pool := h.a, h.pool
	if err := h.interrupted(); err != nil {
		return false, err
	}
	if err := h.checkMemory(h.g.cost.Bytes + 2*m.Bytes() + int64(8*m.Rows*len(h.null))); err != nil {
		return false, err
	}
	strong := strongConnections(norms(m, h.nodes, pool), h.threshold, pool)
	a := aggregate(strong, pool)
	if len(h.g.levels) == 0 && h.nodes.Count() == m.Rows && m.NNZ() < thinRows*m.Rows {
		a = a.join(aggregate(strong.quotient(a, pool), pool))
	}
	t := newTentative(h.nodes, a, h.null, pool)
	if n := len(t.coarse.Of); n == 0 || float64(n) > slowCoarsening*float64(m.Rows) {
		return false, nil
	}
	if h.stored == nil {
		var c Cost
		if h.stored, c, err = store(m, h.Epsilon, pool); err != nil {
			return false, err
		}
		h.g.cost = h.g.cost.Add(c)
	}
	l := level{space: linop.NewHost(m.Rows, pool), a: h.stored}
	inverse, lambda, err := h.smoother(&l)
	if err != nil {
		return false, fmt.Errorf("level %d: %w", len(h.g.levels)+1, err)
	}
	most := int64(m.NNZ() * t.width) // of P
	if err := h.checkMatrix(m.Rows, most, h.g.cost.Bytes, func() (int64, error) {
		return csr.ProductNNZ(m, t.pattern(), t.coarse, pool)
	}); err != nil {
		return false, err
	}
	p := t.smooth(m, h.nodes, strong, inverse, prolongator/lambda, pool)
	return true, h.descend(l, p, t)
}

// descend adds level l with the prolongator p and goes on to the next matrix.
func (h *hierarchy) descend(l level, p *csr.Matrix, t *tentative) error {
	pool := h.pool
	coarse, err := h.galerkin(p, t.coarse)
	if err != nil {
		return err
	}
	// Unknowns of the coarser level are scaled by powers of two, so that its
	// diagonal is near 1 and one absolute accuracy suits all of its matrix.
	scaling, err := csr.SymmetricScaling(coarse, pool)
	if err != nil {
		return err
	}
	coarse = scaling.Apply(coarse, pool)
	for _, v := range t.null {
		for i := range v {
			v[i] = csr.Ldexp(v[i], -scaling.Col[i])
		}
	}
	columns := csr.Scaling{Row: make([]int, p.Rows), Col: scaling.Col}
	var c Cost
	if l.p, l.r, c, err = storeBoth(columns.Apply(p, pool), h.Epsilon, pool); err != nil {
		return err
	}
	weights := Cost{Values: int64(p.Rows), ValueBytes: int64(8 * p.Rows)}
	h.g.cost = h.g.cost.Add(c).Add(weights).Add(workCost(int64(2*p.Rows + 2*coarse.Rows)))
	l.work, l.xc, l.bc = l.space.New(), make(vector, coarse.Rows), make(vector, coarse.Rows)
	h.g.levels = append(h.g.levels, l)
	h.nonzeros += h.a.NNZ()
	h.a, h.stored, h.nodes, h.null, h.threshold = coarse, nil, t.coarse, t.null, h.threshold/2
	return nil
}

// thinRows is the number of nonzeros a row below which aggregates of the finest
// level are aggregates of aggregates: these alone would be small, and the next
// matrix nearly as large as the first.
const thinRows = 12

// galerkin returns P^T A P.
func (h *hierarchy) galerkin(p *csr.Matrix, blocks nodes) (*csr.Matrix, error) {
	held := h.g.cost.Bytes + 2*p.Bytes()
	ap, err := h.multiply(h.a, p, blocks, held)
	if err != nil {
		return nil, err
	}
	return h.multiply(p.Transpose(h.pool), ap, blocks, held+ap.Bytes())
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

// smoother sets w and omega of a level and returns the inverse of the diagonal of
// its matrix and the largest eigenvalue of their product.
func (h *hierarchy) smoother(l *level) (inverse vector, lambda float64, err error) {
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
		estimate, err := largestEigenvalue(l.a, inverse, h.pool)
		if err != nil {
			return nil, 0, err
		}
		lambda = min(lambda, eigenvalueMargin*estimate)
	}
	degree := h.Degree
	if degree == 0 {
		degree = smootherDegree
	}
	kind := h.Multigrid.Smoother
	if kind == SmootherChebyshev || kind == SmootherAuto && h.Symmetric {
		l.w = inverse
		for _, omega := range chebyshevSteps(degree, lambda/smootherRatio, lambda) {
			l.omega = append(l.omega, scalar(omega))
		}
		return inverse, lambda, nil
	}
	l.w = sums
	for i, s := range sums {
		if s > 0 {
			l.w[i] = math.Copysign(1/s, inverse[i])
		}
	}
	l.omega = slices.Repeat([]scalar{1}, degree)
	return inverse, lambda, nil
}
