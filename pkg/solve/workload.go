package solve

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// A workload is what is known of a system before it is solved, for an Estimate.
type workload struct {
	n, nnz float64
	shape  graphShape
	nodes  int     // unknowns of one
	least  float64 // leastIterations
}

func (s *Solver) workload() workload {
	return workload{float64(s.rows()), float64(s.nonzeros()), s.shape(), s.nodeSize(), s.leastIterations()}
}

// estimate is what a solve with a rung takes with a place's speed. A multiplication of a set-up takes the host as long
// as one of its iterations.
func (w workload) estimate(r rung, at, host Speed) Estimate {
	e := Estimate{
		Method: string(r.method), Precond: r.variant.String(), Iterations: w.iterations(r.method, r.kind), Speed: at,
		SetUp: w.setUp(r.method, r.kind) * storedElement / host.Bandwidth,
	}
	e.Bytes, e.Passes = w.iteration(r.method, r.kind, e.Iterations)
	if at.Link > 0 {
		e.Copied = (givenElement+storedElement)*w.nnz + w.applied(r.kind) + 3*8*w.n
	}
	return e
}

// Bytes of a nonzero: as the method's matrix has it at 2^-24, and as given.
const (
	storedElement = 6
	givenElement  = 12
)

// expectations are what is expected of a preconditioner: iterations relative to those with the diagonal, or, where
// they hardly depend on that, their number, where nodes have one unknown and where they have several.
// Iterations are those of CG on poisson2d, poisson3d, elasticity3d, darcy3d and stencil27 with up to 90,000 rows, and those of
// ILUT and ICT of docs/gpu.md.
var expectations = map[precond.Kind]struct {
	relative, relativeNodes float64
	count, countNodes       float64
	values                  float64 // stored, relative to nonzeros, or read in that time
	passes                  float64 // over data
}{
	precond.None:        {relative: 1, relativeNodes: 1},
	precond.Jacobi:      {relative: 1, relativeNodes: 1, passes: 1},
	precond.BlockJacobi: {relative: 0.95, relativeNodes: 0.8, passes: 1},
	precond.Chebyshev:   {relative: 0.3, relativeNodes: 0.3, values: smoothing, passes: smoothing},
	precond.FSAI:        {relative: 0.7, relativeNodes: 0.25, values: 1, passes: 2},
	precond.IC0:         {relative: 0.3, relativeNodes: 0.2, values: 1, passes: 2},
	precond.ILU0:        {relative: 0.3, relativeNodes: 0.2, values: 1, passes: 2},
	precond.ICT:         {relative: 0.1, relativeNodes: 0.1, values: 3, passes: 2},
	precond.ILUT:        {relative: 0.1, relativeNodes: 0.1, values: 3, passes: 2},
	precond.LU:          {count: 2, countNodes: 2, values: 20, passes: 2},
	precond.Cholesky:    {count: 2, countNodes: 2, values: 20, passes: 2},
	precond.ISAI:        {relative: 0.35, relativeNodes: 0.3, values: 3, passes: 2},
	precond.AMG:         {count: 13, countNodes: 50, values: 1.5 * cycleProducts, passes: 30},
}

// Iterations with the diagonal relative to the number of points along an edge of a mesh, where nodes have one unknown
// and where they have several; and those of other graphs.
const (
	planarEdge   = 2
	spatialEdge  = 2.8
	spatialNodes = 20
	otherGraphs  = 150.
)

// iterations are those that a method is expected to take.
func (w workload) iterations(method Method, kind precond.Kind) float64 {
	points, diagonal := w.n/float64(max(w.nodes, 1)), otherGraphs
	switch {
	case w.shape == planar:
		diagonal = planarEdge * math.Sqrt(points)
	case w.shape == spatial && w.nodes > 1:
		diagonal = spatialNodes * math.Cbrt(points)
	case w.shape == spatial:
		diagonal = spatialEdge * math.Cbrt(points)
	}
	diagonal = max(diagonal, w.least)
	x, known := expectations[kind]
	if !known {
		x = expectations[precond.ILU0]
	}
	relative, count := x.relative, x.count
	if w.nodes > 1 {
		relative, count = x.relativeNodes, x.countNodes
	}
	if count == 0 {
		count = relative * diagonal
		switch {
		case method == GMRES && relative == 1: // it restarts
			count *= 3
		case method == BiCGStab: // an iteration has two products
			count *= 0.7
		}
	}
	return math.Ceil(min(max(count, 1), max(w.n, 1)))
}

// setUp is what setting up a preconditioner takes, in multiplications: what it takes in all, less its iterations.
func (w workload) setUp(method Method, kind precond.Kind) float64 {
	all := rivalWork[kind][w.shape] * w.nnz
	if kind == precond.AMG && w.nodes > 1 {
		all = nodesWork * w.nnz
	}
	spent := w.iterations(method, kind) * iterationWork(method, kind, w.n, w.nnz, expectations[kind].values*w.nnz)
	return max(all-spent, all/3)
}

// vectorPasses are the vectors that an iteration of a method reads and writes besides products, and passes over data.
var vectorPasses = map[Method][2]float64{CG: {9, 3}, BiCGStab: {20, 6}, MINRES: {14, 4}, GMRES: {6, 6}}

// iteration is what one of so many iterations reads and writes, and in how many passes.
func (w workload) iteration(method Method, kind precond.Kind, iterations float64) (bytes, passes float64) {
	m, _ := krylov.KindOf(string(method))
	v, known := vectorPasses[method]
	if !known {
		v = vectorPasses[BiCGStab]
	}
	products := float64(max(m.Products, 1))
	bytes = products*(storedElement*w.nnz+16*w.n) + 8*v[0]*w.n
	passes = v[1]
	if method == GMRES { // on average half of a cycle, four times
		length := min(iterations, krylov.DefaultRestart) / 2
		bytes += 4 * 8 * length * w.n
		passes += 4 * math.Ceil(length/8)
	}
	bytes += products * w.applied(kind)
	passes += products * expectations[kind].passes
	return bytes, passes
}

// applied is what applying a preconditioner reads and writes, in bytes.
func (w workload) applied(kind precond.Kind) float64 {
	switch kind {
	case precond.None:
		return 0
	case precond.BlockJacobi:
		return 4*float64(max(w.nodes, 1))*w.n + 16*w.n
	}
	return storedElement*expectations[kind].values*w.nnz + 24*w.n
}
