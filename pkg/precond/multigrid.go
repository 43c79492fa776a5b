package precond

import (
	"fmt"
	"math"
	"slices"

	"github.com/dustin/go-humanize/english"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// MultigridOptions are the parameters of AMG; the zero value is useful.
type MultigridOptions struct {
	// NearNull are vectors that A nearly annihilates, each of n elements: constants
	// for diffusion, rigid-body modes for elasticity. None: one for each unknown of
	// a node, 1 there and 0 elsewhere.
	NearNull  [][]float64
	KCycle    bool    // K-cycles, with which M is not linear
	Threshold float64 // of strong connections on the finest level; 0: by a sample of rows

	// Smoother is "spai0", "chebyshev", "l1-jacobi", or "": l1-jacobi where A is not symmetric, chebyshev where nodes have several
	// unknowns and spai0 elsewhere.
	Smoother string

	// Coarsening is "aggregation", "classical" (see hierarchy.coarsenClassically), or "": classical where few connections
	// are strong, see strength.rule.
	Coarsening string

	// Omega is the damping factor of the smoothing of prolongators, times the largest eigenvalue of D^-1 A; 0: 4/3,
	// negative: they are not smoothed.
	Omega    float64
	Coarsest int // rows of a matrix that is inverted rather than coarsened; 0: 500, fewer where the finest matrix has fewer than 62,500; at most 3000
}

// multigrid is smoothed aggregation ([Vanek96]): a hierarchy of matrices
//
//	A_(l+1) = P_l^T A_l P_l,  P_l = (I - omega D^-1 A_l) T_l,
//
// where T_l spans the near-null space in aggregates of strongly connected nodes; or classical multigrid, see
// hierarchy.coarsenClassically.
// A cycle smooths, x += omega_k D^-1 (b - A x) with the steps omega_k of a
// Chebyshev polynomial ([Adams03]) or with the row sums of |A| for D
// ([Baker11]), corrects x by P_l times the solution of the coarser level for
// P_l^T (b - A x), and smooths again. The K-cycle solves on coarser levels by
// two steps of flexible conjugate gradients ([Notay08]).
//
// See cycle for how and in which precision.
type multigrid struct {
	cycles
	cost   Cost
	text   string
	levels int // but the coarsest
	varies bool
}

// cycles is a cycle on vectors of one type or another.
type cycles interface {
	Apply(dst, src []float64)
	shared() Cost
}

func (g *multigrid) Cost() Cost { return g.cost }

func (g *multigrid) String() string { return g.text }

func newMultigrid(s setup) (Preconditioner, error) {
	m := s.m
	size := s.BlockSize
	if size <= 0 {
		size = BlockSize(m)
	}
	if m.Rows%size != 0 {
		return nil, fmt.Errorf("%d unknowns are not nodes of %d each", m.Rows, size)
	}
	h := &hierarchy{setup: s, a: m}
	width := max(len(s.Multigrid.NearNull), size)
	if err := s.checkMemory(8 * int64(m.Rows) * int64(width+2)); err != nil {
		return nil, err
	}
	h.nodes = equalBlocks(m.Rows, size)
	if h.null = s.Multigrid.NearNull; len(h.null) == 0 {
		h.null = Constants(m.Rows, size)
	}
	for k, v := range h.null {
		if len(v) != m.Rows {
			return nil, fmt.Errorf("vector %d of the near-null space has %d elements, the matrix %d rows", k+1, len(v), m.Rows)
		}
		if square := kernels.Default().Dot(v, v); !finite(square) {
			return nil, fmt.Errorf("vector %d of the near-null space has the norm %g", k+1, math.Sqrt(square))
		}
	}
	width = len(h.null)
	if err := s.checkCoarsening(size, width); err != nil {
		return nil, err
	}
	s.Multigrid.NearNull, h.Multigrid.NearNull = nil, nil // let go with the finest level
	if err := h.build(); err != nil {
		return nil, err
	}
	g, err := newCycle(s, spreading{}, h.levels, h.a)
	if err != nil {
		return nil, err
	}
	g.text = h.describe(g, "", size, width, float64(h.nonzeros)/float64(max(m.NNZ(), 1)))
	return fuse(g, &s), nil
}

// describe returns the text of a hierarchy whose last levels are the levels of h; spread says which others are elsewhere.
func (h *hierarchy) describe(g *multigrid, spread string, size, width int, complexity float64) string {
	kind := ""
	switch {
	case h.rule.classical:
		kind = ", classical coarsening"
	case h.rule.anisotropic:
		kind = ", anisotropic"
	}
	return fmt.Sprintf("%s, %s down to %s%s, nodes of %d, %s, operator complexity %.2f%s", AMG, plural(g.levels+1, "level"),
		plural(h.a.Rows, "row"), spread, size, plural(width, "near-null vector"), complexity, kind)
}

// plural is a number of things.
func plural(n int, thing string) string {
	return fmt.Sprintf("%d %s", n, english.PluralWord(n, thing, ""))
}

// newCycle stores the matrices of all levels, which it lets go.
func newCycle(s setup, over spreading, levels []levelMatrices, coarsest *csr.Matrix) (*multigrid, error) {
	g := &multigrid{levels: len(levels), varies: s.Multigrid.KCycle && len(levels) > 1}
	s.Stage(fmt.Sprintf("%.0f%%, storing the levels", 100*makingPart))
	var err error
	if s.Portable || s.Epsilon < floatEpsilon || len(levels) == 0 || over.any(!within(levels, mostRoot)) {
		g.cycles, g.cost, err = newCycleOf(s, fp64Store{s}, levels, coarsest)
	} else {
		g.cycles, g.cost, err = newCycleOf(s, chunkStore{s, s.Epsilon < intEpsilon}, levels, coarsest)
	}
	return g, err
}

// mostRoot bounds |m_i|^1/2 and its inverse where levels are stored for vectors of float32.
const mostRoot = 0x1p50

// within reports whether the scaling of all levels is between 1/most and most.
func within(levels []levelMatrices, most float64) bool {
	return !slices.ContainsFunc(levels, func(l levelMatrices) bool { return !rootsWithin(l.m, most) })
}

// rootsWithin reports whether |m_i|^1/2 is between 1/most and most, or 0.
func rootsWithin(m []float64, most float64) bool {
	for _, v := range m {
		if v = math.Abs(v); v != 0 && !(v <= most*most && 1/v <= most*most) {
			return false
		}
	}
	return true
}

// RigidBodyModes returns the displacements that do not deform a body, which span the
// near-null space of elasticity: 3 translations and 3 rotations
// for dim = 3 coordinates per node, 2 and 1 for dim = 2. Node k lies at
// coordinates[k*dim:(k+1)*dim] and has the unknowns k*dim to (k+1)*dim-1.
func RigidBodyModes(dim int, coordinates []float64) ([][]float64, error) {
	if dim != 2 && dim != 3 || len(coordinates)%dim != 0 {
		return nil, fmt.Errorf("rigid-body modes need 2 or 3 coordinates per node; %d coordinates are not a multiple of %d", len(coordinates), dim)
	}
	n := len(coordinates)
	modes := Constants(n, dim)
	centre := make([]float64, dim)
	for i, v := range coordinates {
		centre[i%dim] += v / float64(n/dim)
	}
	for a := range dim {
		for b := a + 1; b < dim; b++ { // the rotation in the plane of axes a and b
			mode := make([]float64, n)
			for k := 0; k < n; k += dim {
				mode[k+a] = -(coordinates[k+b] - centre[b])
				mode[k+b] = coordinates[k+a] - centre[a]
			}
			modes = append(modes, mode)
		}
	}
	return modes, nil
}

// Constants returns the vectors that are 1 in one unknown of each node and 0 in the
// others.
func Constants(n, size int) [][]float64 {
	v := make([][]float64, size)
	for c := range v {
		v[c] = make([]float64, n)
		for i := c; i < n; i += size {
			v[c][i] = 1
		}
	}
	return v
}
