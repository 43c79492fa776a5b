package precond

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

const (
	coarsest       = 500  // most rows of a matrix that is inverted rather than coarsened
	inverseWork    = 2000 // multiplications for its inverse, a row of the finest matrix: beyond this, levels are cheaper
	cheapInverse   = 100  // rows of a matrix whose inverse costs next to nothing
	largestDense   = 3000 // rows of a matrix that may be inverted where coarsening fails
	maxLevels      = 25
	slowCoarsening = 0.75    // share of the unknowns that a coarser level must stay below
	prolongator    = 4.0 / 3 // omega of its smoothing, times the largest eigenvalue of D^-1 A
)

var errWeak = errors.New("their connections are weak")

// levelMatrices are the matrices that set-up makes for each level but the coarsest.
type levelMatrices struct {
	a, p *csr.Matrix // the level's matrix and the prolongator to it from the next coarser one
	r    *csr.Matrix // the transpose of p
	kept *transfer   // what is kept of the level; nil: nothing

	// A step of the smoother is x += steps[k] M (b - A x), M = diag(m), negative where the
	// diagonal of A is.
	m     []float64
	steps []float64

	// Of a spread level: its layout, the layout of vectors of the coarser level in its domains, and the nonzeros of a on all ranks.
	layout, below *dist.Layout
	nonzeros      int
	gather        bool     // the coarser level is on all ranks as a whole
	joined        *joining // how the coarser level is in other domains; nil: it is not
}

// hierarchy sets up multigrid from level to level.
type hierarchy struct {
	setup
	over     spreading
	first    int             // level from 0 that levels begin with
	levels   []levelMatrices // but the coarsest
	held     int64           // bytes of the matrices in levels
	inverted int             // rows of a matrix that is inverted rather than coarsened

	// The current level.
	a        *csr.Matrix
	nodes    nodes
	null     [][]float64
	rule     connecting
	nonzeros int // of all matrices so far

	twice bool // prolongators of coarse levels are smoothed twice
}

// build makes levels until the matrix is small.
func (h *hierarchy) build() (err error) {
	if h.Kept != nil && !h.Kept.complete { // of a set-up that was interrupted
		h.Kept.DropTransfers()
	}
	if h.inverted == 0 {
		h.inverted = h.coarsest(h.a.Rows)
	}
	for more := true; more && h.a.Rows > h.inverted && h.level() < maxLevels; {
		if more, err = h.coarsen(); err != nil {
			return err
		}
	}
	h.nonzeros += h.a.NNZ()
	n := int64(h.a.Rows)
	if n > largestDense {
		return fmt.Errorf("coarsening stopped at %d unknowns: %w", n, errWeak)
	}
	if err := h.checkMemory(h.held + 3*8*n*n); err != nil {
		return err
	}
	if h.Kept != nil {
		h.Kept.complete = true
	}
	return nil
}

// coarsest returns the number of rows of a matrix that is inverted, for the number of rows of the finest matrix.
func (h *hierarchy) coarsest(finest int) int {
	small := min(coarsest, max(cheapInverse, int(math.Cbrt(inverseWork*float64(finest)))))
	return min(cmp.Or(h.Multigrid.Coarsest, small), largestDense)
}

// omega returns what D^-1 A is multiplied with to smooth a prolongator.
func (h *hierarchy) omega(lambda float64) float64 {
	return max(0, cmp.Or(h.Multigrid.Omega, prolongator)) / lambda
}

// coarsen adds a level and goes on to the next, if that is smaller.
func (h *hierarchy) coarsen() (more bool, err error) {
	m, pool := h.a, h.pool
	if err := h.interrupted(); err != nil {
		return false, err
	}
	h.tell(0)
	if err := h.checkMemory(h.held + 2*m.Bytes() + int64(8*m.Rows*len(h.null))); err != nil {
		return false, err
	}
	if k := h.Kept.transfer(h.level(), m.Rows); k != nil {
		return true, h.again(k)
	}
	if h.Kept != nil && h.Kept.complete {
		return false, nil
	}
	connections, strong := h.connections()
	if h.rule.classical {
		return h.coarsenClassically()
	}
	t := newTentative(h.nodes, aggregate(connections, strong, pool), h.null, pool)
	if n := len(t.coarse.Of); n == 0 || float64(n) > slowCoarsening*float64(m.Rows) {
		return false, nil
	}
	h.tell(connectedPart)
	l := levelMatrices{a: m}
	v := h.magnitudes()
	f := newFiltered(m, h.nodes, v, strong, h.over, pool)
	lambda, err := h.smoother(&l, v, f.bound)
	if err != nil {
		return false, fmt.Errorf("level %d: %w", h.level()+1, err)
	}
	most := int64(m.NNZ() * t.width) // of P
	if err := h.checkMatrix(m.Rows, most, h.held, func() (int64, error) {
		return nonzerosOfProduct(m, t.pattern(), t.coarse, pool)
	}); err != nil {
		return false, err
	}
	l.p = t.smooth(m, h.nodes, v, strong, f, h.omega(lambda), pool)
	if h.smoothsTwice() {
		l.p = smoothAgain(l.p, m, strong, f.diagonal, h.omega(lambda), pool)
	}
	if err := h.checkMemory(h.held + 2*l.p.Bytes()); err != nil { // as if it had been counted
		return false, err
	}
	l.r = l.p.Transpose(pool)
	h.tell(smoothedPart)
	h.nodes, h.null = t.coarse, t.null // nodes and null of this level are let go
	l.kept = h.Kept.keep(&transfer{rows: m.Rows, p: l.p, r: l.r, nodes: t.coarse, null: t.null, bound: f.bound})
	return true, h.descend(l)
}

// again adds a level with transfers that were kept.
func (h *hierarchy) again(k *transfer) error {
	l := levelMatrices{a: h.a, p: k.p, r: k.r, kept: k}
	if _, err := h.smoother(&l, h.magnitudes(), k.bound); err != nil {
		return fmt.Errorf("level %d: %w", h.level()+1, err)
	}
	h.nodes, h.null = k.nodes, k.null
	coarse, err := galerkinAgain(l.r, l.a, l.p, k.coarse, h.nodes, h.pool, h.interrupted)
	if err != nil {
		return err
	}
	h.next(l, coarse)
	return nil
}

// level is the current one, 0 being the finest.
func (h *hierarchy) level() int { return h.first + len(h.levels) }

// connections returns the connections between the nodes of the current level, and which are strong: nothing where coarsening is classical.
// It chooses the rule of the finest level.
func (h *hierarchy) connections() (s strength, strong *graph) {
	if h.rule.classical {
		return s, nil
	}
	s = newStrength(h.a, h.nodes, h.over, h.pool)
	if h.rule == (connecting{}) {
		negative := h.over.any(slices.ContainsFunc(h.null[0], func(v float64) bool { return v < 0 }))
		h.rule = s.rule(h.Multigrid, h.Symmetric && !s.nodes && len(h.null) == 1 && !negative)
		if h.rule.classical {
			return s, nil
		}
	}
	strong = s.strong(h.rule, h.pool)
	if h.level() == 0 {
		s.loosen(strong, h.pool)
	}
	return s, strong
}

// descend adds level l and goes on to the next matrix, whose nodes and near-null space are there.
func (h *hierarchy) descend(l levelMatrices) error {
	held := h.held + 2*l.p.Bytes()
	coarse, err := galerkin(l.r, l.a, l.p, h.nodes, h.pool, func(multiplications int64, rows int, count func() int64) error {
		if count == nil { // this is what was needed
			return h.checkMemory(held + 2*csr.Bytes(int64(rows), multiplications))
		}
		if err := cmp.Or(h.interrupted(), h.checkWork(multiplications)); err != nil {
			return err
		}
		return h.checkMatrix(rows, multiplications, held, func() (int64, error) { return count(), nil })
	})
	if err != nil {
		return err
	}
	if l.kept != nil {
		l.kept.coarse = &csr.Matrix{Rows: coarse.Rows, Cols: coarse.Cols, RowPtr: coarse.RowPtr, Col: coarse.Col}
	}
	h.next(l, coarse)
	return nil
}

// next adds level l and goes on to the matrix of the next.
func (h *hierarchy) next(l levelMatrices, coarse *csr.Matrix) {
	h.levels = append(h.levels, l)
	h.held += l.a.Bytes() + 2*l.p.Bytes()
	h.nonzeros += h.a.NNZ()
	h.a = coarse
	h.rule.threshold *= coarserThreshold
}

// checkMatrix returns ErrMemory if the budget does not allow, besides what is held, a matrix
// of at most that many nonzeros and the pieces it is made of. If the bound is too large,
// count counts the nonzeros.
func (h *hierarchy) checkMatrix(rows int, most, held int64, count func() (int64, error)) error {
	if h.fits(held+2*csr.Bytes(int64(rows), most)) == nil {
		return nil
	}
	nnz, err := count()
	if err != nil {
		return err
	}
	return h.checkMemory(held + 2*csr.Bytes(int64(rows), nnz))
}
