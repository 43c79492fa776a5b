package choice

import (
	"cmp"
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A Workload is the data of a system from which Bets and Estimates are made.
type Workload struct {
	N, Nnz    float64
	Shape     features.GraphShape
	Nodes     int     // unknowns of a node
	Diagonal  float64 // iterations of conjugate gradients that the diagonal is expected to take as the preconditioner
	Width     float64 // see csr.LevelWidth; 0: not known
	Irregular bool    // the numbers of nonzeros of the rows vary, as those of unstructured meshes and of networks do
	Sweeps    float64 // see features.Matrix.FewSweeps
	Network   bool    // see features.Matrix.Network
	MMatrix   bool    // most rows are like those of an M-matrix
	Signs     bool    // the matrix is not symmetric, and most rows have the signs of an M-matrix
	Bounded   bool    // sums of rows bound the iterations that the diagonal takes
	Sequence  bool    // the set-up serves several systems
	Loaded    bool    // many rows have sums that are not zero: the constant vector is not nearly a null vector
	Eddies    bool    // transport decides on a mesh, see features.Couplings.Recirculates

	Definite   bool    // conjugate gradients are chosen
	Indefinite bool    // the matrix is symmetric, and its diagonal not of one sign
	Doubtful   bool    // the matrix may well not be definite, though its diagonal is of one sign
	least      float64 // LeastIterations
}

// indefinite reports whether the matrix is symmetric, and its diagonal not of one sign.
func (s *System) indefinite() bool { return s.Facts.Symmetric && s.Facts.DiagonalSign() == 0 }

// Workload returns the workload of the system, found once.
func (s *System) Workload() Workload { return s.Weighed.Get(s.weigh) }

func (s *System) weigh() Workload {
	s.Look()
	w := Workload{
		N: float64(s.Rows()), Nnz: float64(s.Nonzeros()), Shape: s.Shape(), Nodes: s.NodeSize(), least: s.LeastIterations(),
		Irregular: s.Irregular(), MMatrix: s.LikeMMatrix(), Definite: s.Method == solve.CG,
		Indefinite: s.indefinite(), Sequence: s.Opt.Updates,
	}
	if !s.Facts.Symmetric && s.Diagonal() {
		w.Sweeps = s.FewSweeps()
	}
	w.Network, w.Signs = s.Network(), s.Diffusion()
	w.Eddies = !s.Facts.Symmetric && w.Shape != features.Expander && s.Couplings().Recirculates()
	w.Loaded, w.Doubtful = s.RowSums().Share > rules.SurfaceShare, w.Definite && s.RowSums().Negative > rules.MostlyLoaded
	w.Bounded = w.MMatrix && w.Definite && s.RowSums().Share >= rules.Mostly
	w.Diagonal = s.diagonal(w)
	w.Width = s.worthWidth(w)
	return w
}

// worthWidth returns the width of the graph, see csr.LevelWidth, where a better estimate of complete factors is worth the search for it; 0: it is not.
func (s *System) worthWidth(w Workload) float64 {
	alone := w.Bet(Fallback{Method: solve.CG, Variant: Variant{Kind: precond.Jacobi}})
	if work := w.completeWork(precond.Cholesky); work > rules.WorthWidth*w.Nnz && w.orderWork() < alone.Work() {
		return float64(s.Width())
	}
	return 0
}

// diagonal returns the number of iterations that the diagonal is expected to take: that on a mesh of the size, corrected by what the rows show.
func (s *System) diagonal(w Workload) float64 {
	sums, root := s.RowSums(), math.Log(2/krylov.DefaultTol)/2
	count := max(w.meshDiagonal(), w.least)
	if w.MMatrix && !w.Network {
		count = min(count, rules.MostLeast*w.meshDiagonal())
	}
	switch {
	case w.MMatrix && sums.Share >= rules.Mostly: // the eigenvalues of D^-1 A are at least about the mean
		return max(min(count, root*math.Sqrt(2/sums.Mean)), min(count, w.least))
	case w.Definite && sums.Mean >= rules.MassSum:
		return rules.MassDiagonal
	case w.Network && !s.Facts.Symmetric && s.Couplings().Direction() < rules.OneWay:
		return rules.OfNetworks * rules.PlanarEdge * math.Sqrt(w.N)
	case sums.Excess > rules.LeastExcess && sums.Share >= rules.Mostly:
		return min(count, rules.OfExcess*root*math.Sqrt(2/sums.Excess))
	case w.Eddies:
		return rules.Recirculation * count
	case w.MMatrix || w.Doubtful || w.Indefinite:
		return count
	case w.Shape == features.Planar: // plates, shells, discontinuous elements have denser rows, and worse conditions
		return rules.NotDiffusion * count * max(1, w.denser())
	case w.Shape == features.Spatial && w.Nodes <= 1 && !w.Irregular:
		return rules.NotDiffusion * count
	}
	return count
}

// meshDiagonal returns the number of iterations that the diagonal is expected to take on a mesh.
func (w Workload) meshDiagonal() float64 {
	points := w.N / float64(max(w.Nodes, 1))
	switch {
	case w.Shape == features.Planar:
		return rules.PlanarEdge * math.Sqrt(points)
	case w.Shape == features.Spatial && w.Nodes > 1:
		return rules.SpatialNodes * math.Cbrt(points)
	case w.Shape == features.Spatial:
		return rules.SpatialEdge * math.Cbrt(points)
	}
	return rules.OtherGraphs
}

// Estimate estimates a solve with a fallback on a backend with the speed at. The host sets up the preconditioner: a multiplication
// of the set-up takes it as long as one of its iterations.
func (w Workload) Estimate(r Fallback, at, host Speed) Estimate {
	e := Estimate{
		Method: string(r.Method), Precond: r.Variant.String(), Iterations: w.Iterations(r.Method, r.Kind), Speed: at,
		SetUp: w.Bet(r).SetUp * rules.StoredElement / host.Bandwidth,
	}
	e.Bytes, e.Passes = w.iteration(r.Method, r.Kind, e.Iterations)
	if at.Link > 0 {
		e.Copied = (rules.GivenElement+rules.StoredElement)*w.Nnz + w.applied(r.Kind) + 3*8*w.N
	}
	return e
}

// Iterations returns the number of iterations that a method is expected to take.
func (w Workload) Iterations(method solve.Method, kind precond.Kind) float64 {
	x := w.expectation(kind)
	relative, count := x.Relative, x.Count
	if w.Nodes > 1 {
		relative, count = x.RelativeNodes, x.CountNodes
	}
	switch {
	case kind == precond.ILU0 && w.Sweeps > 0:
		count = w.Sweeps
	case kind == precond.AMG && w.edges():
		count = max(count, rules.OfEdges*w.Diagonal)
	case kind == precond.CG32:
		count = max(count, rules.Restarted*w.Iterations(solve.CG, precond.Jacobi)/rules.InnerIterations)
	}
	if count == 0 {
		count = relative * cmp.Or(w.Diagonal, max(w.meshDiagonal(), w.least))
		if method == solve.GMRES && relative == 1 { // it restarts
			count *= rules.RestartFactor
		}
	}
	if method == solve.BiCGStab && kind != precond.ILU0 { // an iteration has two products
		count *= rules.TwoProducts
	}
	return math.Ceil(min(max(count, 1), max(w.N, 1)))
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
	case precond.AMG:
		return rules.StoredElement*rules.CycleProducts*rules.Expectations[kind].Values*w.Nnz + 24*w.N
	}
	return rules.StoredElement*rules.Expectations[kind].Values*w.Nnz + 24*w.N
}

// singleWork returns the work of an iteration of conjugate gradients in FP32.
func singleWork(n, nnz float64) float64 {
	return rules.SingleWork * IterationWork(solve.CG, precond.None, n, nnz, 0)
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
	case precond.CG32: // iterates
		applied = rules.InnerIterations * singleWork(n, nnz)
	case precond.AMG: // smooths on each level, and stores the coarse ones
		applied = rules.CycleProducts * (nnz + values)
	}
	return products*(nnz+applied) + rules.VectorWork*n
}
