// Package rules has what the solver takes as given. Of solve.Options it has the values, the defaults and the faults, the options that
// devices and domains support, and the checks of the matrices and vectors that a solve is given. Of the choice it has the constants: when a
// preconditioner is worth trying, what it is expected to take, and when it is left for another. The constants are in one file, so that a
// fit of the rules to a machine or to a collection of matrices has one place to change.
package rules

import (
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Each constant has its unit, its source (a paper or a measurement), and the command that fits it or repeats the measurement. "not fitted"
// means that there is no such command, and says how the number was chosen. Work is counted in multiplications rather than in seconds, so
// that a solve takes the same decisions on any machine and under any load.

// Sizes from which a preconditioner is worth trying.
const (
	// MultigridNonzeros is the size from which multigrid is tried first.
	// Unit: nonzeros. Source: docs/solvers.md, "The choice against the best fallback". Fit: make choice.
	MultigridNonzeros = 100_000
	// SparseRows is the size from which ILU(0) comes before ILUT.
	// Unit: rows. Source: docs/solvers.md, "The choice against the best fallback". Fit: make choice.
	SparseRows = 40_000
	// WideFill is the fill of an incomplete factorisation with a small drop tolerance.
	// Unit: entries, relative to those of the matrix. Source: chosen. Fit: make solver-table TABLE_FLAGS='-part kinds'.
	WideFill = 30
	// NetworkNonzeros is the most that a row of a network has, in the mean.
	// Unit: nonzeros a row. Source: power networks among the real matrices, docs/matrices.md. Fit: make table.
	NetworkNonzeros = 10
	// NetworkSpread is the least standard deviation of the nonzeros of its rows: circuits and power networks have 0.35 to 0.6, triangles 0.24, grids 0.1.
	// Unit: relative to the mean. Source: counting on generated systems. Fit: bench/peers/factors.sh.
	NetworkSpread = 0.3
)

// Complete factors come first where they cost little. In dense fronts a multiplication takes about a tenth of the time that it
// takes in an iteration or in an incomplete factorisation.
const (
	// SmallNonzeros is the size up to which a minimum degree order is found to count what complete factors take.
	// Unit: nonzeros. Source: the order takes as long as some tens of products, docs/solvers.md. Fit: make choice.
	SmallNonzeros = 150_000
	// SmallWork is the largest work of complete factors of such a matrix: about the time of ICT.
	// Unit: multiplications a nonzero. Source: docs/solvers.md, "The choice against the best fallback". Fit: make choice.
	SmallWork = 10_000
	// FewRows is the size up to which complete factors of such a matrix come before any probe run: the features by which a probe run is
	// judged take as long as the factors.
	// Unit: rows. Source: docs/solvers.md, "Small systems". Fit: bench/peers/direct.sh MPSOLVE --small.
	FewRows = 5_000
	// NarrowNonzeros is the size up to which complete factors are tried where the width of the matrix promises little work: the width is
	// found in a few passes, the order in some hundreds of products.
	// Unit: nonzeros. Source: docs/solvers.md, "The choice against the best fallback". Fit: bench/peers/factors.sh.
	NarrowNonzeros = 10_000_000
	// ModestNonzeros is the size of such a matrix up to which complete factors come before multigrid.
	// Unit: nonzeros. Source: docs/solvers.md, "The choice against the best fallback". Fit: make choice.
	ModestNonzeros = 1_000_000
	// CompleteWork is the largest work of complete factors of such a matrix. In dense fronts, 20 multiplications take as long as one of
	// an iteration, so that it takes as long as another fallback that is tried in vain.
	// Unit: multiplications a nonzero. Source: docs/solvers.md, "The choice against the best fallback". Fit: bench/peers/factors.sh.
	CompleteWork = 20_000
	// NetworkWork is the largest work of complete factors of a network that come before multigrid, which takes about as long in vain.
	// Unit: multiplications a nonzero. Source: circuits of docs/solvers.md, "Complete factors". Fit: bench/peers/factors.sh.
	NetworkWork = 5_000
	// LittleWork is the work of a complete factorisation that costs no more than ILUT.
	// Unit: multiplications a nonzero. Source: power networks, docs/matrices.md. Fit: make table.
	LittleWork = 100
	// WidthWork is the work of the factors of a mesh, relative to the third power of the size of the separator that cuts it in half.
	// Unit: multiplications. Source: [George73], nested dissection of a square. Fit: not fitted: it follows from the paper.
	WidthWork = 8
)

// Constants by which package features decides.
const (
	// SampledRows is about the number of rows in a sample.
	// Unit: rows. Source: chosen: a share of the rows is known to one per cent. Fit: not fitted: chosen by judgement.
	SampledRows = 10000
	// Mostly is the share of the rows that counts as most of them.
	// Unit: rows, relative to all. Source: chosen: boundary conditions change up to a tenth. Fit: not fitted: chosen by judgement.
	Mostly = 0.9
	// Dominance is the largest sum of the other magnitudes in a row that counts as diagonally dominant.
	// Unit: relative to the diagonal. Source: chosen: rounded coefficients exceed 1 a little. Fit: not fitted: chosen by judgement.
	Dominance = 1.01
	// ShapeStarts is the number of rows whose neighbourhoods are looked at.
	// Unit: rows. Source: chosen. Fit: not fitted: chosen by judgement.
	ShapeStarts = 8
	// ShapeLevels is the distance up to which neighbours are counted.
	// Unit: edges of the graph. Source: chosen: the ratio of two levels tells planes from space. Fit: not fitted: chosen by judgement.
	ShapeLevels = 3
	// ShapeNeighbours is the number of neighbours from which a graph counts as an expander.
	// Unit: rows. Source: chosen: a ball of radius 3 of the 27-point stencil has 343. Fit: not fitted: chosen by judgement.
	ShapeNeighbours = 5000
	// PlanarGrowth is the most by which the levels of a mesh in the plane grow: 3/2, and some more near the boundary.
	// Unit: rows of level 3, relative to level 2. Source: counting on meshes. Fit: go test ./internal/solver -run TestShape.
	PlanarGrowth = 1.6
	// SpatialGrowth is the same in space: (3/2)^2, and some more near the boundary.
	// Unit: rows of level 3, relative to level 2. Source: counting on meshes. Fit: go test ./internal/solver -run TestShape.
	SpatialGrowth = 2.6
	// LeastSum is the least sum of a row that counts as different from zero: smaller sums may be rounding.
	// Unit: relative to the diagonal. Source: chosen, between rounding of coefficients and a shift that matters. Fit: not fitted: chosen by judgement.
	LeastSum = 0x1p-14
	// MostlyLoaded is the share of rows with sums from which the matrix is that of a mesh with a shift.
	// Unit: rows, relative to all. Source: chosen. Fit: not fitted: chosen by judgement.
	MostlyLoaded = 0.5
	// SurfaceShare is the largest share of rows with sums if these are the boundary of a mesh.
	// Unit: rows, relative to all. Source: meshes with 8 and more points along an edge. Fit: make choice.
	SurfaceShare = 0.25
	// SurfaceNeighbours is the least share of such rows among the neighbours of such rows.
	// Unit: rows, relative to neighbours. Source: counting on meshes. Fit: not fitted: chosen below what meshes have.
	SurfaceNeighbours = 0.3
	// SurfaceDenser is the least ratio of the share of such rows among their neighbours to the share among all rows.
	// Unit: ratio. Source: chosen. Fit: not fitted: chosen by judgement.
	SurfaceDenser = 2
	// SurfaceRoot bounds sqrt(kappa) by SurfaceRoot/f where rows with sums are a share f, in layers 2/f apart: 2.2/f for a slab, 2.7/f for a cube.
	// Unit: ratio. Source: first eigenvalue of the Laplacian of a slab; smooth right-hand sides take somewhat less. Fit: not fitted: it follows from the source.
	SurfaceRoot = 2
	// Smoother is by how much sqrt(kappa) of a mesh exceeds what the constant vector shows, at least.
	// Unit: ratio. Source: poisson2d and poisson3d. Fit: make solver-table TABLE_FLAGS='-part growth'.
	Smoother = 2
	// StructureWork bounds the search for the structural rank.
	// Unit: visits of each nonzero. Source: chosen. Fit: not fitted: chosen by judgement.
	StructureWork = 50
)

// Relaxed ILU(0) and convection.
const (
	// OneWay is the share of couplings with a direction from which transport decides.
	// Unit: relative to all couplings. Source: docs/solvers.md, "Relaxed ILU(0)". Fit: make choice.
	OneWay = 0.5
	// Relaxation is the share of dropped entries that relaxed ILU(0) adds to the diagonal.
	// Unit: relative to what is dropped. Source: [Gustafsson78]; docs/solvers.md, "Relaxed ILU(0)". Fit: make choice.
	Relaxation = 0.95
	// MostRelaxed is the share of couplings with a direction up to which ILU(0) is relaxed.
	// Unit: relative to all couplings. Source: docs/solvers.md, "Relaxed ILU(0)". Fit: make choice.
	MostRelaxed = 0.75
	// LeastLoaded is the mean of row sums up to which ILU(0) is relaxed.
	// Unit: relative to the diagonal. Source: docs/solvers.md, "Relaxed ILU(0)". Fit: make choice.
	LeastLoaded = 0.1
	// SweepRoot is about how many iterations BiCGStab takes with relaxed ILU(0) on meshes in space, relative to the square root
	// of the number of points along an edge.
	// Unit: iterations. Source: [Gustafsson78] for the root; convdiff3d for the factor. Fit: make choice.
	SweepRoot = 3
	// SweptWork is the work of multigrid on such meshes in all: convdiff3d takes as long with either at some 70 points along an edge.
	// Unit: multiplications a nonzero. Source: docs/solvers.md, "Relaxed ILU(0)". Fit: make choice.
	SweptWork = 120
	// LeastDirection is the share of couplings with a direction from which iterations are that few.
	// Unit: relative to all couplings. Source: docs/solvers.md, "Relaxed ILU(0)". Fit: make choice.
	LeastDirection = 0.1
)

// Work of iterations.
const (
	// Smoothing is the number of products in a Chebyshev polynomial.
	// Unit: products. Source: the degree that pkg/precond takes. Fit: not fitted: it follows from the source.
	Smoothing = 4
	// CycleProducts is the number of products in FP64 that take as long as a level of a cycle of multigrid, which has three products with values of 16 bits.
	// Unit: products in FP64. Source: bytes of a cycle. Fit: go test ./pkg/precond -run '^$' -bench BenchmarkCycle.
	CycleProducts = 2
	// VectorWork is the work of an iteration besides products: CG has six updates and inner products.
	// Unit: multiplications a row. Source: counting in conjugate gradients. Fit: not fitted: it follows from the source.
	VectorWork = 6
	// ProjectionWork is the work of a projection of GMRES.
	// Unit: multiplications a row. Source: counting. Fit: not fitted: it follows from the source.
	ProjectionWork = 2
	// NodesWork is the work of multigrid in all where nodes have several unknowns.
	// Unit: multiplications a nonzero. Source: elasticity3d; docs/solvers.md, "What happens by default". Fit: make choice.
	NodesWork = 1400
	// Unexpected is the work in all of a preconditioner without a row in AlternativeWork.
	// Unit: multiplications a nonzero. Source: chosen. Fit: not fitted: chosen by judgement.
	Unexpected = 600
)

// AlternativeWork is the work of preconditioners in all, by the shape of the graph: planar, spatial, expander. The faster neighbourhoods
// grow, the more do incomplete factors with a threshold and the coarse levels of multigrid fill.
// Unit: multiplications a nonzero. Source: docs/solvers.md, "What happens by default". Fit: make choice.
var AlternativeWork = map[precond.Kind][3]float64{
	precond.AMG:      {500, 500, 1500},
	precond.ICT:      {400, 1500, 800},
	precond.ILUT:     {400, 1500, 800},
	precond.IC0:      {400, 400, 400},
	precond.ILU0:     {400, 400, 400},
	precond.LU:       {400, 1500, 800},
	precond.Cholesky: {400, 1500, 800},
}

// EarlyWork is the work of complete factors that come first, in multiplications of iterations that take as long: half of it is for their order.
// Unit: multiplications a nonzero. Source: docs/solvers.md, "What happens by default". Fit: make choice.
var EarlyWork = map[precond.Kind]float64{precond.Cholesky: 330, precond.LU: 500}

// Probe runs. A probe run is a fallback whose preconditioner costs next to nothing. Its iterations show how fast it converges, which nothing
// cheaper does. Their work is not lost, since the next fallback goes on from their x. A probe run lasts while the rest of it promises to take
// less than the next fallback.
const (
	// LeastProbeRun is the number of iterations before a probe run is first looked at.
	// Unit: iterations. Source: chosen. Fit: make choice.
	LeastProbeRun = 8
	// ProbeRunShare is the work that a probe run may take, whatever its rate.
	// Unit: relative to the work of the next fallback. Source: chosen. Fit: make choice.
	ProbeRunShare = 1. / 16
	// FirstLook is the number of iterations after which the rate of a method is first looked at.
	// Unit: iterations. Source: chosen: first iterations tell little. Fit: make choice.
	FirstLook = 32
	// ProbeShare is the share of the budget after which the rate is first looked at, if that is later.
	// Unit: relative to the budget. Source: chosen. Fit: make choice.
	ProbeShare = 1. / 8
	// Hopeless is the ratio of the expected work to the budget from which a method is left: rates are rough, and mostly grow.
	// Unit: relative to the budget. Source: chosen. Fit: make choice.
	Hopeless = 2
)

// Budgets. In each round a fallback may take the budget to set up, and several times as much to iterate. The first is what meshes take,
// three times over (see precond.Description), and at least LeastBudget; each round has RoundGrowth times the budget of the one before, and
// at least what all have spent so far. So a solve takes at most a small multiple of what the fallback that solves takes alone: nothing cheap
// is left untried while something expensive goes on ([Korf85], iterative deepening).
const (
	// FirstBudget is that of the first round.
	// Unit: multiplications a nonzero. Source: set-ups on meshes, docs/solvers.md. Fit: make solver-table TABLE_FLAGS='-part kinds'.
	FirstBudget = 500
	// LeastBudget is that of the first round at least: some 0.05 s.
	// Unit: multiplications. Source: chosen. Fit: not fitted: chosen by judgement.
	LeastBudget = 2e7
	// RoundGrowth is the factor from one round to the next.
	// Unit: ratio. Source: [Korf85]. Fit: not fitted: it follows from the source.
	RoundGrowth = 4
	// Solving is how many times the budget iterations may take, which take less time for a multiplication than set-ups.
	// Unit: ratio. Source: docs/solvers.md, "What happens by default". Fit: make choice.
	Solving = 4
	// Completing is the same for complete factorisations, which besides are sure to solve.
	// Unit: ratio. Source: docs/solvers.md, "What happens by default". Fit: make choice.
	Completing = 40
	// Balance is how many times the work of the set-up iterations may take in the first round.
	// Unit: ratio. Source: chosen. Fit: make choice.
	Balance = 16
	// StaleReduction is what a round has to reduce the measure to; otherwise the round is stale.
	// Unit: ratio. Source: chosen. Fit: not fitted: chosen by judgement.
	StaleReduction = 0.5
	// StaleRounds is the number of stale rounds after which nothing else is tried.
	// Unit: rounds. Source: chosen. Fit: not fitted: chosen by judgement.
	StaleRounds = 3
)

// What a solve is expected to take on the host and on a device, see Estimate.
const (
	// DeviceMargin is how many times as long the host must be expected to take for a device to be used.
	// Unit: ratio. Source: chosen: estimates are rough, and the host has more fallbacks. Fit: not fitted: chosen by judgement.
	DeviceMargin = 1.5
	// HostPass is the time of waking the threads of a pool.
	// Unit: seconds. Source: a round number. Fit: not fitted: chosen by the order of magnitude of a wake-up of threads.
	HostPass = 5e-6
	// DevicePass is the time of launching a kernel after another.
	// Unit: seconds. Source: a round number; docs/gpu.md, "Proven, counted, guessed": guessed. Fit: bench/gpu/run.sh, on a machine with a GPU.
	DevicePass = 5e-6
	// DeviceStart is the time of opening a device, the translation of kernels in the driver's cache included.
	// Unit: seconds. Source: a round number; docs/gpu.md, "Proven, counted, guessed": guessed. Fit: bench/gpu/run.sh, on a machine with a GPU.
	DeviceStart = 0.3
	// DeviceLink is the speed of copies from memory that is not page-locked.
	// Unit: bytes a second. Source: PCI Express 3. Fit: bench/gpu/run.sh, on a machine with a GPU.
	DeviceLink = 12e9
	// PeakShare is the share of a data sheet's bandwidth that products and vectors get.
	// Unit: ratio. Source: a round number; docs/gpu.md: guessed. Fit: bench/gpu/run.sh, on a machine with a GPU.
	PeakShare = 0.8
	// StoredElement is the size of a nonzero of the method's matrix at 2^-24.
	// Unit: bytes. Source: docs/storage.md. Fit: make storage-figure.
	StoredElement = 6
	// GivenElement is the size of a nonzero of the matrix as given.
	// Unit: bytes. Source: FP64 CSR: 8 for the value, 4 for the column. Fit: not fitted: it follows from the source.
	GivenElement = 12
	// PlanarEdge is the number of iterations with the diagonal, relative to the points along an edge of a mesh in the plane.
	// Unit: iterations. Source: CG on poisson2d. Fit: make solver-table TABLE_FLAGS='-part growth'.
	PlanarEdge = 2
	// SpatialEdge is the same in space.
	// Unit: iterations. Source: CG on poisson3d, darcy3d and stencil27. Fit: make solver-table TABLE_FLAGS='-part growth'.
	SpatialEdge = 2.8
	// SpatialNodes is the same in space where nodes have several unknowns.
	// Unit: iterations. Source: CG on elasticity3d. Fit: make solver-table TABLE_FLAGS='-part growth'.
	SpatialNodes = 20
	// OtherGraphs is the number of iterations with the diagonal where the graph is no mesh.
	// Unit: iterations. Source: chosen. Fit: make solver-table TABLE_FLAGS='-part kinds'.
	OtherGraphs = 150.
)

// Scaling.
const (
	// SameScale bounds the exponent of a power of two by which all entries may be multiplied or not.
	// Unit: binary exponent. Source: chosen, far from the ends of the range of FP64. Fit: not fitted: chosen by judgement.
	SameScale = 32
	// Unscaled is the least and, inverted, the largest magnitude of a nonzero with which a matrix may do without scaling.
	// Unit: magnitude. Source: chosen: products of three stay within the range of FP64. Fit: not fitted: chosen by judgement.
	Unscaled = 0x1p-100
	// Unbalanced is the quotient of row sums up to which a matrix may do without scaling.
	// Unit: ratio. Source: chosen, below 1/u. Fit: not fitted: chosen by judgement.
	Unbalanced = 0x1p32
	// MaxRestart is the length to which cycles of GMRES may grow by themselves: a cycle costs 2 m^2 n flops in orthogonalisation.
	// Unit: iterations. Source: chosen; where twice that length spans the whole space, cycles may grow to n. Fit: not fitted: chosen by judgement.
	MaxRestart = 1280
)

// The model of ReorderAuto, measured on matrices of 0.5 to 12 million nonzeros with two threads. The number of threads in use does not
// enter, so that results do not depend on it.
const (
	// ReorderProducts is the number of products of a solve.
	// Unit: products. Source: chosen. Fit: not fitted: chosen by judgement.
	ReorderProducts = 500
	// ReorderBelow is the largest share of the cache lines of x that products may still read.
	// Unit: ratio. Source: chosen. Fit: not fitted: chosen so that a gain is clear of noise; go test ./internal/solver -run TestReorderAuto shows what it decides.
	ReorderBelow = 0.7
	// ReorderRows is the size up to which 16-bit columns reach all rows, and x is in the cache.
	// Unit: rows. Source: the width of a column. Fit: not fitted: it follows from the source.
	ReorderRows = 1 << 16
	// LineTime is the time of a product for a cache line of x.
	// Unit: ns. Source: products in given and in RCM order. Fit: not fitted: chosen by the times of product and reordering that mpsolve solve --reorder prints.
	LineTime = 1.0
	// OrderTime is the time of reordering for a nonzero.
	// Unit: ns. Source: RCM of the same matrices. Fit: not fitted: chosen by the times of product and reordering that mpsolve solve --reorder prints.
	OrderTime = 40.0
	// OrderLineTime is the time of reordering for a cache line, since it goes from row to row as well.
	// Unit: ns. Source: RCM of the same matrices. Fit: not fitted: chosen by the times of product and reordering that mpsolve solve --reorder prints.
	OrderLineTime = 150.0
	// PanelRows is the number of rows whose products find the cache lines of x that they share in the cache.
	// Unit: rows. Source: 1024 lines are 64 kB. Fit: not fitted: it follows from the source.
	PanelRows = 1024
	// SampledPanels is the number of panels that are looked at.
	// Unit: panels. Source: chosen. Fit: not fitted: chosen by judgement.
	SampledPanels = 64
	// LineElements is the number of elements of x in a cache line.
	// Unit: elements. Source: lines of 64 bytes. Fit: not fitted: it follows from the source.
	LineElements = 8
)

// The precision of the method's matrix within refinement; docs/precision.md has the measurements.
const (
	// StorageFloor is the share of the storage error to which a correction is worth being solved for.
	// Unit: ratio. Source: docs/precision.md. Fit: make rule-figure.
	StorageFloor = 0.25
	// ReplaceAt is this share where the method goes on from a residual that replaces its own: G3_circuit takes 57 iterations at 64,
	// 67 at 16, 72 at 1, and 56 in FP64.
	// Unit: ratio. Source: docs/precision.md, "What replacing residuals gains". Fit: make rule-figure.
	ReplaceAt = 64
	// ReplaceAfter is the reduction of the measure after which a residual may be replaced early.
	// Unit: ratio. Source: docs/precision.md. Fit: make rule-figure.
	ReplaceAfter = 0.1
)

// Sequences of systems, see Update.
const (
	// Worn is the multiple of the iterations at first from which the transfers of multigrid are made again.
	// Unit: ratio. Source: chosen. Fit: go run ./examples/sequence heat.
	Worn = 1.5
	// MostRescaled is the exponent up to which a new scaling may differ from the one before, which then stays.
	// Unit: binary exponent. Source: chosen. Fit: not fitted: chosen by judgement.
	MostRescaled = 8
)

// Double-double vectors that take over where float64 ends.
const (
	// GapEvery is the number of iterations after which the true residual is computed.
	// Unit: iterations. Source: chosen: costs 1/64. Fit: not fitted: chosen by judgement.
	GapEvery = 64
	// Overdue is how many times n iterations a method may be expected to take before double-double takes over: without roundings it takes n at
	// most.
	// Unit: ratio. Source: docs/solvers.md, "Double-double vectors". Fit: make solver-table TABLE_FLAGS='-part vectors'.
	Overdue = 4
)

// Work on digits and evidence after the solve.
const (
	// LargeWork is the work of a solve from which the estimate of digits is a rough one.
	// Unit: multiplications. Source: chosen: less costs next to nothing. Fit: make digits.
	LargeWork = 2e7
	// LargeShare is the share of the iterations of such a solve that the estimate may take.
	// Unit: ratio. Source: chosen. Fit: make digits.
	LargeShare = 0.25
	// LeastLarge is the least number of iterations that it may take.
	// Unit: iterations. Source: chosen. Fit: make digits.
	LeastLarge = 4
	// SmallProduct is the size up to which iterations cost next to nothing.
	// Unit: nonzeros. Source: chosen: a product takes some 20 microseconds. Fit: make digits.
	SmallProduct = 20_000
	// SmallIter is the number of such iterations that the estimate may take.
	// Unit: iterations. Source: chosen. Fit: make digits.
	SmallIter = 400
	// CompleteIter is the number of iterations that it may take with complete factors, which solve a system in a few iterations unless it is singular.
	// Unit: iterations. Source: chosen. Fit: make digits.
	CompleteIter = 60
	// FurtherIter is the number of iterations that going on with an x that does not explain b may take, or twice the iterations so far.
	// Unit: iterations. Source: chosen. Fit: make stress.
	FurtherIter = 200
	// DenseRows is the size up to which null vectors are found by elimination.
	// Unit: rows. Source: chosen: n^3 takes a second. Fit: make stress.
	DenseRows = 400
	// FactorRows is the size up to which factors of multiple precision are the last resort of a number of digits.
	// Unit: rows. Source: chosen: a dense matrix takes half a minute of processor time in 106 bits, about five minutes in 1696. Fit: go test ./internal/mp -run XXX -bench LU.
	FactorRows = 2000
	// GatheredRows is the size up to which each rank gathers the whole matrix to look for a contradiction.
	// Unit: rows. Source: chosen: memory of a rank. Fit: not fitted: chosen by judgement.
	GatheredRows = 100_000
)

// Expected iterations.
const (
	// RestartFactor is the ratio of the iterations of GMRES with restarts to those of CG, with the diagonal or without a preconditioner.
	// Unit: ratio. Source: chosen. Fit: not fitted: chosen by judgement.
	RestartFactor = 3
	// TwoProducts is the ratio of the iterations of BiCGStab, which have two products, to those of CG.
	// Unit: ratio. Source: chosen. Fit: not fitted: chosen by judgement.
	TwoProducts = 0.7
)

// An Expectation is what a preconditioner is expected to take in iterations and data.
type Expectation struct {
	Relative, RelativeNodes float64 // iterations relative to those with the diagonal, where nodes have one unknown and where they have several
	Count, CountNodes       float64 // or, where they hardly depend on that, their number
	Values                  float64 // stored, relative to nonzeros, or read in that time
	Passes                  float64 // over data
}

// Expectations are the expectations of preconditioners.
// Unit: ratios, iterations and passes as in Expectation. Source: CG on poisson2d, poisson3d, elasticity3d, darcy3d and stencil27 with up to 90,000
// rows; ILUT and ICT of docs/gpu.md, "Does it pay?". Fit: make solver-table TABLE_FLAGS='-part kinds'.
var Expectations = map[precond.Kind]Expectation{
	precond.None:        {Relative: 1, RelativeNodes: 1},
	precond.Jacobi:      {Relative: 1, RelativeNodes: 1, Passes: 1},
	precond.BlockJacobi: {Relative: 0.95, RelativeNodes: 0.8, Passes: 1},
	precond.Chebyshev:   {Relative: 0.3, RelativeNodes: 0.3, Values: Smoothing, Passes: Smoothing},
	precond.FSAI:        {Relative: 0.7, RelativeNodes: 0.25, Values: 1, Passes: 2},
	precond.IC0:         {Relative: 0.3, RelativeNodes: 0.2, Values: 1, Passes: 2},
	precond.ILU0:        {Relative: 0.3, RelativeNodes: 0.2, Values: 1, Passes: 2},
	precond.ICT:         {Relative: 0.1, RelativeNodes: 0.1, Values: 3, Passes: 2},
	precond.ILUT:        {Relative: 0.1, RelativeNodes: 0.1, Values: 3, Passes: 2},
	precond.LU:          {Count: 2, CountNodes: 2, Values: 20, Passes: 2},
	precond.Cholesky:    {Count: 2, CountNodes: 2, Values: 20, Passes: 2},
	precond.ISAI:        {Relative: 0.35, RelativeNodes: 0.3, Values: 3, Passes: 2},
	precond.AMG:         {Count: 13, CountNodes: 50, Values: 1.5 * CycleProducts, Passes: 30},
}

// VectorPasses are the vectors that an iteration of a method reads and writes besides products, and its passes over data.
// Unit: vectors of FP64, passes. Source: counting in package krylov; docs/solvers.md, "Methods". Fit: not fitted: they are counted.
var VectorPasses = map[solve.Method][2]float64{solve.CG: {9, 3}, solve.BiCGStab: {20, 6}, solve.MINRES: {14, 4}, solve.GMRES: {6, 6}}

// Memory.
const (
	// CommonVectors is the number of vectors that any solve has besides those of the method: x and b, and those of refinement, correction and measure.
	// Unit: vectors of FP64. Source: counting in package refine. Fit: not fitted: it is counted.
	CommonVectors = 8
	// ReorderVectors is the number that a new order of rows adds: x and b, reordered.
	// Unit: vectors of FP64. Source: counting. Fit: not fitted: it is counted.
	ReorderVectors = 2
	// DigitsVectors is the number that the estimate of digits adds: weights, probe and steps.
	// Unit: vectors of FP64. Source: counting in package digits. Fit: not fitted: it is counted.
	DigitsVectors = 5
	// StoredBytes is the largest size of the method's matrix, its indices included, besides the scaled FP64 values that it is made from.
	// Unit: bytes a nonzero. Source: FP64 CSR: 8 for the value, 4 for the column. Fit: not fitted: it follows from the layout.
	StoredBytes = 12
	// BasisMemory bounds the memory by which a basis of GMRES grows, whatever the limit.
	// Unit: bytes. Source: chosen. Fit: not fitted: chosen as a small share of the memory of a workstation.
	BasisMemory = 2 << 30
	// BufferMemory is the memory of scalars and kernels on a device.
	// Unit: bytes. Source: chosen. Fit: not fitted: chosen above what the emulated device counts.
	BufferMemory = 16 << 20
	// MostRanks is the number of ranks above which more ranks are no advice for a solve that takes too much memory.
	// Unit: ranks. Source: chosen. Fit: not fitted: chosen by judgement.
	MostRanks = 64
)
