package precond

import (
	"context"
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// MultigridOptions are the parameters of AMG; the zero value is useful.
type MultigridOptions struct {
	// NearNull are vectors that A nearly annihilates, each of n elements: constants
	// for diffusion, rigid-body modes for elasticity. None: one for each unknown of
	// a node, 1 there and 0 elsewhere.
	NearNull  [][]float64
	KCycle    bool    // K-cycles, with which M is not linear, instead of V-cycles
	Threshold float64 // of strong connections on the finest level; 0: DefaultThreshold or AnisotropicThreshold, by a sample of rows
	Smoother  Smoother
}

const (
	kCycleSteps = 2
	kCycleTol   = 0.25 // reduction of the residual that makes one step suffice
)

// multigrid is smoothed aggregation ([Vanek96]): a hierarchy of matrices
//
//	A_(l+1) = P_l^T A_l P_l,  P_l = (I - omega D^-1 A_l) T_l,
//
// where T_l spans the near-null space in aggregates of strongly connected nodes.
// A cycle smooths, x += omega_k D^-1 (b - A x) with the steps omega_k of a
// Chebyshev polynomial ([Adams03]) or with the row sums of |A| for D
// ([Baker11]), corrects x by P_l times the solution of the coarser level for
// P_l^T (b - A x), and smooths again. The K-cycle solves on coarser levels by
// two steps of flexible conjugate gradients ([Notay08]).
//
// A V-cycle takes 2 d products with A_l for d steps of smoothing and one each with
// P_l and P_l^T, each of which reads at most 3 n-vectors besides its matrix and
// writes one. Memory: 4 n-vectors a level, matrices besides.
type multigrid struct {
	hostOnly
	levels []level
	coarse coarseSolver
	cost   Cost
	text   string
}

// level is one of the hierarchy but the coarsest.
type level struct {
	space  *linop.Host
	a      linop.Relaxer[vector, scalar]
	p, r   linop.Relaxer[vector, scalar] // prolongation and its transpose, restriction
	w      vector                        // D^-1
	omega  []scalar                      // steps of the smoother
	work   vector
	xc, bc vector // of the coarser level

	// Of the K-cycle on the coarser level, or nil.
	iteration krylov.Method[vector, scalar]
	coarser   krylov.Preconditioner[vector]
}

// cycleFrom is the preconditioner of a K-cycle's iteration on a level.
type cycleFrom struct {
	g *multigrid
	k int
}

func (c cycleFrom) Apply(x, b vector) { c.g.cycle(c.k, x, b) }

// Apply does one cycle from zero: dst = M^-1 src.
func (g *multigrid) Apply(dst, src []float64) { g.cycle(0, dst, src) }

// cycle sets x to the approximate solution of A_k x = b.
func (g *multigrid) cycle(k int, x, b vector) {
	if k == len(g.levels) {
		g.coarse.solve(x, b)
		return
	}
	l := &g.levels[k]
	l.space.Mul(l.omega[0], l.w, b, x)
	x, work := relax(l.a, x, l.work, b, l.w, l.omega[1:])
	l.a.Residual(work, b, x)
	l.r.Apply(l.bc, work)
	g.correction(k, l)
	l.p.ApplyPlus(work, x, l.xc)
	relax(l.a, work, x, b, l.w, l.omega) // ends where x was: an even number of exchanges in all
}

// correction solves on the level below k.
func (g *multigrid) correction(k int, l *level) {
	if l.iteration == nil {
		g.cycle(k+1, l.xc, l.bc)
		return
	}
	l.iteration.Solve(context.Background(), g.levels[k+1].a, l.xc, l.bc, krylov.Options[vector]{
		Tol: kCycleTol, MaxIter: kCycleSteps, Unconfirmed: true,
		Precond: l.coarser, Flexible: true,
	})
}

// iterate makes g a K-cycle.
func (g *multigrid) iterate(symmetric bool) {
	for k := range len(g.levels) - 1 {
		l, space := &g.levels[k], g.levels[k+1].space
		l.coarser = cycleFrom{g, k + 1}
		if l.iteration = krylov.NewCG[vector, scalar](space); !symmetric {
			l.iteration = krylov.NewGMRES[vector, scalar](space, krylov.GMRESOptions{Restart: kCycleSteps})
		}
	}
}

func (g *multigrid) Cost() Cost { return g.cost }

func (g *multigrid) String() string { return g.text }

// Varies reports whether an application of a preconditioner is not a linear map, because it
// iterates itself: then methods must be flexible.
func Varies(p Preconditioner) bool {
	g, ok := p.(*multigrid)
	return ok && len(g.levels) > 1 && g.levels[0].iteration != nil
}

func newMultigrid(s setup) (Preconditioner, error) {
	m := s.m
	size := s.BlockSize
	if size <= 0 {
		size = BlockSize(m)
	}
	if m.Rows%size != 0 {
		return nil, fmt.Errorf("%d unknowns are not nodes of %d each", m.Rows, size)
	}
	h := &hierarchy{setup: s, a: m, threshold: s.Multigrid.Threshold}
	width := max(len(s.Multigrid.NearNull), size)
	if err := s.checkMemory(8 * int64(m.Rows) * int64(width+2)); err != nil {
		return nil, err
	}
	h.nodes = csr.EqualBlocks(m.Rows, size)
	if h.null = s.Multigrid.NearNull; len(h.null) == 0 {
		h.null = Constants(m.Rows, size)
	}
	for k, v := range h.null {
		if len(v) != m.Rows {
			return nil, fmt.Errorf("vector %d of the near-null space has %d elements, the matrix %d rows", k+1, len(v), m.Rows)
		}
		if square := kernels.Dot(v, v); !finite(square) {
			return nil, fmt.Errorf("vector %d of the near-null space has the norm %g", k+1, math.Sqrt(square))
		}
	}
	if err := h.build(); err != nil {
		return nil, err
	}
	g, err := newCycle(s, h.levels, h.a)
	if err != nil {
		return nil, err
	}
	kind := ""
	if h.anisotropic {
		kind = ", anisotropic"
	}
	g.text = fmt.Sprintf("%s, %d levels down to %d rows, nodes of %d, %d near-null vectors, operator complexity %.2f%s",
		AMG, len(g.levels)+1, h.a.Rows, size, len(h.null), float64(h.nonzeros)/float64(max(m.NNZ(), 1)), kind)
	return g, nil
}

// newCycle stores the matrices of all levels.
func newCycle(s setup, levels []levelMatrices, coarsest *csr.Matrix) (*multigrid, error) {
	g := &multigrid{}
	var scaling csr.Scaling // of the current level
	for k, m := range levels {
		l := level{space: linop.NewHost(m.a.Rows, s.pool), w: m.m, work: make(vector, m.a.Rows)}
		var c Cost
		var err error
		if k == 0 {
			scaling = csr.Scaling{Row: make([]int, m.a.Rows), Col: make([]int, m.a.Rows)}
			l.a, c, err = s.operator(g.cost.Bytes)
		} else {
			l.a, c, err = store(scaling.Apply(m.a, s.pool), s.Epsilon, s.pool)
		}
		if err != nil {
			return nil, err
		}
		g.cost = g.cost.Add(c)
		columns := csr.Scaling{Row: make([]int, m.a.Rows)}
		for i, e := range scaling.Col {
			l.w[i] = csr.Ldexp(l.w[i], -2*e)
			columns.Row[i] = -e
		}
		for _, omega := range m.steps {
			l.omega = append(l.omega, scalar(omega))
		}
		// Unknowns of the coarser level are scaled by powers of two, so that its
		// diagonal is near 1 and one absolute accuracy suits all of its matrix.
		next := coarsest
		if k+1 < len(levels) {
			next = levels[k+1].a
		}
		if scaling, err = csr.SymmetricScaling(next, s.pool); err != nil {
			return nil, err
		}
		columns.Col = scaling.Col
		if l.p, l.r, c, err = storeBoth(columns.Apply(m.p, s.pool), s.Epsilon, s.pool); err != nil {
			return nil, err
		}
		n := int64(m.a.Rows)
		g.cost = g.cost.Add(c).Add(fp64Cost(n)).Add(workCost(2*n + 2*int64(next.Rows)))
		l.xc, l.bc = make(vector, next.Rows), make(vector, next.Rows)
		g.levels = append(g.levels, l)
		levels[k] = levelMatrices{}
	}
	if len(levels) > 0 {
		coarsest = scaling.Apply(coarsest, s.pool)
	}
	n := int64(coarsest.Rows)
	g.cost = g.cost.Add(fp64Cost(n * n))
	var err error
	if g.coarse, err = newCoarse(coarsest, s.Options); err != nil {
		return nil, err
	}
	if s.Multigrid.KCycle {
		g.iterate(s.Symmetric)
	}
	return g, nil
}
