package choice

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A Workload is the data of a system from which Estimates are made.
type Workload struct {
	N, Nnz float64
	Shape  features.GraphShape
	Nodes  int     // unknowns of a node
	least  float64 // LeastIterations
}

// Workload returns the workload of the system.
func (s *System) Workload() Workload {
	return Workload{float64(s.Rows()), float64(s.Nonzeros()), s.Shape(), s.NodeSize(), s.LeastIterations()}
}

// Estimate estimates a solve with a fallback on a backend with the speed at. The host sets up the preconditioner: a multiplication
// of the set-up takes it as long as one of its iterations.
func (w Workload) Estimate(r Fallback, at, host Speed) Estimate {
	e := Estimate{
		Method: string(r.Method), Precond: r.Variant.String(), Iterations: w.Iterations(r.Method, r.Kind), Speed: at,
		SetUp: w.setUp(r.Method, r.Kind) * rules.StoredElement / host.Bandwidth,
	}
	e.Bytes, e.Passes = w.iteration(r.Method, r.Kind, e.Iterations)
	if at.Link > 0 {
		e.Copied = (rules.GivenElement+rules.StoredElement)*w.Nnz + w.applied(r.Kind) + 3*8*w.N
	}
	return e
}

// Iterations returns the number of iterations that a method is expected to take.
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

// setUp returns the multiplications of setting up a preconditioner: its work in all, less the work of its iterations.
func (w Workload) setUp(method solve.Method, kind precond.Kind) float64 {
	all := rules.AlternativeWork[kind][w.Shape] * w.Nnz
	if kind == precond.AMG && w.Nodes > 1 {
		all = rules.NodesWork * w.Nnz
	}
	spent := w.Iterations(method, kind) * IterationWork(method, kind, w.N, w.Nnz, rules.Expectations[kind].Values*w.Nnz)
	return max(all-spent, all/3)
}

// iteration returns the bytes that an iteration reads and writes, and the number of its passes over data.
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

// applied returns the bytes that an application of a preconditioner reads and writes.
func (w Workload) applied(kind precond.Kind) float64 {
	switch kind {
	case precond.None:
		return 0
	case precond.BlockJacobi:
		return 4*float64(max(w.Nodes, 1))*w.N + 16*w.N
	}
	return rules.StoredElement*rules.Expectations[kind].Values*w.Nnz + 24*w.N
}

// IterationWork returns the number of multiplications of an iteration of a method, without the projections of GMRES, with a
// preconditioner of a kind that stores so many values.
func IterationWork(method solve.Method, kind precond.Kind, n, nnz, values float64) float64 {
	m, _ := krylov.KindOf(string(method))
	products := float64(m.Products)
	applied := values
	switch kind {
	case precond.Chebyshev: // multiplies with the matrix
		applied = rules.Smoothing * nnz
	case precond.AMG: // smooths on each level, and stores the coarse ones
		applied = rules.CycleProducts * (nnz + values)
	}
	return products*(nnz+applied) + rules.VectorWork*n
}
