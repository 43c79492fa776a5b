package precond

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
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
	opt  Options
	pool *linop.Pool
	multigrid

	// The level at hand.
	m         *csr.Matrix
	a         linop.Relaxer[vector, scalar] // m as it is stored already, or nil
	nodes     nodes
	null      [][]float64
	threshold float64
	elements  int // of the matrices so far
	nnz       int // of the finest matrix
}

// build makes levels until the matrix is small, and the solver for that.
func (h *hierarchy) build() error {
	for h.m.Rows > coarsest && len(h.levels) < maxLevels {
		more, err := h.coarsen()
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	h.elements += h.m.NNZ()
	n := int64(h.m.Rows)
	if n > largestDense {
		return fmt.Errorf("coarsening stopped at %d unknowns, whose connections are weak", n)
	}
	if err := h.opt.allow(h.cost.Bytes + 3*8*n*n); err != nil {
		return err
	}
	var err error
	h.coarse, err = newCoarse(h.m, h.opt)
	h.cost = h.cost.Add(Cost{Values: n * n, ValueBytes: 8 * n * n, Bytes: 8 * n * n, FP64Bytes: 8 * n * n})
	for k := range len(h.levels) - 1 {
		if l := &h.levels[k]; h.opt.Multigrid.KCycle {
			l.iteration, l.coarser = h.iteration(h.levels[k+1].space), cycleFrom{&h.multigrid, k + 1}
		}
	}
	return err
}

// iteration is the method of the K-cycle on a level.
func (h *hierarchy) iteration(space *linop.Host) krylov.Method[vector, scalar] {
	if h.opt.Symmetric {
		return krylov.NewCG[vector, scalar](space)
	}
	return krylov.NewGMRES[vector, scalar](space, krylov.GMRESOptions{Restart: kCycleSteps})
}

// coarsen adds a level and goes on to the next, if that is smaller.
func (h *hierarchy) coarsen() (more bool, err error) {
	m, pool := h.m, h.pool
	if err := h.opt.interrupted(); err != nil {
		return false, err
	}
	if err := h.opt.allow(h.cost.Bytes + 2*m.Bytes() + int64(8*m.Rows*len(h.null))); err != nil {
		return false, err
	}
	strong := strongConnections(norms(m, h.nodes, pool), h.threshold, pool)
	a := aggregate(strong, pool)
	if len(h.levels) == 0 && h.nodes.Count() == m.Rows && m.NNZ() < thinRows*m.Rows {
		a = a.join(aggregate(strong.quotient(a, pool), pool))
	}
	t := newTentative(h.nodes, a, h.null, pool)
	if n := len(t.coarse.Of); n == 0 || float64(n) > slowCoarsening*float64(m.Rows) {
		return false, nil
	}
	if h.a == nil {
		var c Cost
		if h.a, c, err = store(m, h.opt.Epsilon, pool); err != nil {
			return false, err
		}
		h.cost = h.cost.Add(c)
	}
	l := level{space: linop.NewHost(m.Rows, pool), a: h.a}
	inverse, lambda, err := h.smoother(&l)
	if err != nil {
		return false, err
	}
	most := int64(m.NNZ() * t.width) // of P
	if err := h.room(m.Rows, most, h.cost.Bytes, func() (int64, error) {
		return csr.ProductNNZ(m, t.pattern(), t.coarse, pool)
	}); err != nil {
		return false, err
	}
	p := t.smooth(m, h.nodes, strong, inverse, prolongator/lambda, pool)
	return true, h.descend(l, p, t)
}

// descend adds level l with the prolongator p and makes the next matrix the one at
// hand.
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
	if l.p, l.r, c, err = storeBoth(columns.Apply(p, pool), h.opt.Epsilon, pool); err != nil {
		return err
	}
	vectors := int64(8 * (2*p.Rows + 2*coarse.Rows))
	h.cost = h.cost.Add(c).Add(Cost{Values: int64(p.Rows), ValueBytes: int64(8 * p.Rows), Bytes: vectors, FP64Bytes: vectors})
	l.work, l.xc, l.bc = l.space.New(), make(vector, coarse.Rows), make(vector, coarse.Rows)
	h.levels = append(h.levels, l)
	h.elements += h.m.NNZ()
	h.m, h.a, h.nodes, h.null, h.threshold = coarse, nil, t.coarse, t.null, h.threshold/2
	return nil
}

// thinRows is the number of nonzeros a row below which aggregates of the finest
// level are aggregates of aggregates: these alone would be small, and the next
// matrix nearly as large as the first.
const thinRows = 12

// galerkin returns P^T A P.
func (h *hierarchy) galerkin(p *csr.Matrix, blocks nodes) (*csr.Matrix, error) {
	held := h.cost.Bytes + 2*p.Bytes()
	ap, err := h.multiply(h.m, p, blocks, held)
	if err != nil {
		return nil, err
	}
	return h.multiply(p.Transpose(h.pool), ap, blocks, held+ap.Bytes())
}

// multiply returns a b if there is memory for it besides what is held.
func (h *hierarchy) multiply(a, b *csr.Matrix, blocks nodes, held int64) (*csr.Matrix, error) {
	if err := h.opt.interrupted(); err != nil {
		return nil, err
	}
	work := csr.Multiplications(a, b, h.pool)
	if err := h.opt.tooMuch(work, h.nnz); err != nil {
		return nil, err
	}
	if err := h.room(a.Rows, work, held, func() (int64, error) {
		return csr.ProductNNZ(a, b, blocks, h.pool)
	}); err != nil {
		return nil, err
	}
	return csr.Multiply(a, b, blocks, h.pool)
}

// room is ErrMemory if there is none, besides what is held, for a matrix of at most
// that many nonzeros, or as many as count says, and the parts that it is made of.
func (h *hierarchy) room(rows int, most, held int64, count func() (int64, error)) error {
	if h.opt.allow(held+2*csr.Bytes(int64(rows), most)) == nil {
		return nil
	}
	nnz, err := count()
	if err != nil {
		return err
	}
	return h.opt.allow(held + 2*csr.Bytes(int64(rows), nnz))
}

// smoother sets w and omega of a level and returns the inverse of the diagonal of
// its matrix and the largest eigenvalue of their product.
func (h *hierarchy) smoother(l *level) (inverse vector, lambda float64, err error) {
	sums := h.m.RowSums(h.pool)
	inverse = h.m.Diagonal(h.pool)
	for i, d := range inverse {
		switch {
		case d == 0 && sums[i] == 0:
			inverse[i] = 0 // an unknown without an equation, which coarsening may leave
			continue
		case h.opt.Symmetric && !(d > 0):
			return nil, 0, fmt.Errorf("%w: a diagonal entry is %g on level %d", ErrNotDefinite, d, len(h.levels)+1)
		case d == 0:
			return nil, 0, fmt.Errorf("%w: a diagonal entry is zero on level %d", ErrSingular, len(h.levels)+1)
		}
		inverse[i] = 1 / d
		lambda = max(lambda, sums[i]/math.Abs(d))
	}
	if lambda > safeEigenvalue && h.opt.Symmetric {
		estimate, err := largestEigenvalue(l.a, inverse, h.pool)
		if err != nil {
			return nil, 0, err
		}
		lambda = min(lambda, eigenvalueMargin*estimate)
	}
	degree := h.opt.Degree
	if degree == 0 {
		degree = smootherDegree
	}
	kind := h.opt.Multigrid.Smoother
	if kind == SmootherChebyshev || kind == SmootherAuto && h.opt.Symmetric {
		l.w = inverse
		for _, root := range chebyshevRoots(degree, lambda/smootherRatio, lambda) {
			l.omega = append(l.omega, scalar(1/root))
		}
		return inverse, lambda, nil
	}
	l.w = sums
	for i, s := range sums {
		if s > 0 {
			l.w[i] = math.Copysign(1/s, inverse[i])
		}
	}
	for range degree {
		l.omega = append(l.omega, 1)
	}
	return inverse, lambda, nil
}
