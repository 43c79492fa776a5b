package choice

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A workload is what is known of a system before it is solved, for an Estimate.
type Workload struct {
	N, Nnz float64
	Shape  features.GraphShape
	Nodes  int     // unknowns of one
	least  float64 // LeastIterations
}

func (s *System) Workload() Workload {
	return Workload{float64(s.Rows()), float64(s.Nonzeros()), s.Shape(), s.NodeSize(), s.LeastIterations()}
}

// Estimate is what a solve with a fallback takes with a backend's speed. A multiplication of a set-up takes the host as long
// as one of its iterations.
func (w Workload) Estimate(r Fallback, at, host solve.Speed) solve.Estimate {
	e := solve.Estimate{
		Method: string(r.Method), Precond: r.Variant.String(), Iterations: w.Iterations(r.Method, r.Kind), Speed: at,
		SetUp: w.setUp(r.Method, r.Kind) * rules.StoredElement / host.Bandwidth,
	}
	e.Bytes, e.Passes = w.iteration(r.Method, r.Kind, e.Iterations)
	if at.Link > 0 {
		e.Copied = (rules.GivenElement+rules.StoredElement)*w.Nnz + w.applied(r.Kind) + 3*8*w.N
	}
	return e
}

// Iterations are those that a method is expected to take.
func (w Workload) Iterations(method solve.Method, kind precond.Kind) float64 {
	points, diagonal := w.N/float64(max(w.Nodes, 1)), rules.OtherGraphs
	switch {
	case w.Shape == features.Planar:
		diagonal = rules.PlanarEdge * math.Sqrt(points)
	case w.Shape == features.Spatial && w.Nodes > 1:
		diagonal = rules.SpatialNodes * math.Cbrt(points)
	case w.Shape == features.Spatial:
		diagonal = rules.SpatialEdge * math.Cbrt(points)
	}
	diagonal = max(diagonal, w.least)
	x, known := rules.Expectations[kind]
	if !known {
		x = rules.Expectations[precond.ILU0]
	}
	relative, count := x.Relative, x.Count
	if w.Nodes > 1 {
		relative, count = x.RelativeNodes, x.CountNodes
	}
	if count == 0 {
		count = relative * diagonal
		switch {
		case method == solve.GMRES && relative == 1: // it restarts
			count *= rules.RestartFactor
		case method == solve.BiCGStab: // an iteration has two products
			count *= rules.TwoProducts
		}
	}
	return math.Ceil(min(max(count, 1), max(w.N, 1)))
}

// setUp is what setting up a preconditioner takes, in multiplications: what it takes in all, less its iterations.
func (w Workload) setUp(method solve.Method, kind precond.Kind) float64 {
	all := rules.AlternativeWork[kind][w.Shape] * w.Nnz
	if kind == precond.AMG && w.Nodes > 1 {
		all = rules.NodesWork * w.Nnz
	}
	spent := w.Iterations(method, kind) * IterationWork(method, kind, w.N, w.Nnz, rules.Expectations[kind].Values*w.Nnz)
	return max(all-spent, all/3)
}

// iteration is what one of so many iterations reads and writes, and in how many passes.
func (w Workload) iteration(method solve.Method, kind precond.Kind, iterations float64) (bytes, passes float64) {
	m, _ := krylov.KindOf(string(method))
	v, known := rules.VectorPasses[method]
	if !known {
		v = rules.VectorPasses[solve.BiCGStab]
	}
	products := float64(max(m.Products, 1))
	bytes = products*(rules.StoredElement*w.Nnz+16*w.N) + 8*v[0]*w.N
	passes = v[1]
	if method == solve.GMRES { // on average half of a cycle, four times
		length := min(iterations, krylov.DefaultRestart) / 2
		bytes += 4 * 8 * length * w.N
		passes += 4 * math.Ceil(length/8)
	}
	bytes += products * w.applied(kind)
	passes += products * rules.Expectations[kind].Passes
	return bytes, passes
}

// applied is what applying a preconditioner reads and writes, in bytes.
func (w Workload) applied(kind precond.Kind) float64 {
	switch kind {
	case precond.None:
		return 0
	case precond.BlockJacobi:
		return 4*float64(max(w.Nodes, 1))*w.N + 16*w.N
	}
	return rules.StoredElement*rules.Expectations[kind].Values*w.Nnz + 24*w.N
}
