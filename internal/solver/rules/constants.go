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
	// Unit: nonzeros. Source: docs/solvers.md, "What the choice costs". Fit: make choice.
	MultigridNonzeros = 100_000
	// SparseRows is the size from which ILU(0) comes before ILUT.
	// Unit: rows. Source: docs/solvers.md, "What the choice costs". Fit: make choice.
	SparseRows = 40_000
	// WideFill is the fill of an incomplete factorisation with a small drop tolerance.
	// Unit: entries, relative to those of the matrix. Source: chosen. Fit: make solver-table TABLE_FLAGS='-part kinds'.
	WideFill = 30
	// MeshSpread is the most that the numbers of nonzeros of the rows of a grid vary: its boundary alone makes up to 0.12.
	// Unit: standard deviation, relative to the mean. Source: counting on generated systems. Fit: make choice.
	MeshSpread = 0.15
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
	// Unit: nonzeros. Source: the order takes as long as some tens of products, docs/features.md. Fit: make choice.
	SmallNonzeros = 150_000
	// DirectRows is the size up to which complete factors come first: they are certain to solve, and take hardly longer than looking for anything else.
	// Unit: rows. Source: docs/solvers.md, "What the choice costs". Fit: make choice.
	DirectRows = 1000
	// DirectSaddlePoint is the same for saddle points on irregular meshes: minimal residuals with the diagonal take 3 to 7 times as long, and show it late.
	// Unit: rows. Source: 11 systems of Taylor and Hood's elements and of interior points, 2,300 to 4,600 rows. Fit: make choice.
	DirectSaddlePoint = 6_000
	// FewRows is the size up to which each element of a symmetric matrix is looked at.
	// Unit: rows. Source: docs/complete-factors.md, "Small systems". Fit: bench/peers/direct.sh MPSOLVE --small.
	FewRows = 5_000
	// NarrowNonzeros is the size up to which complete factors are tried where the width of the matrix promises little work: the width is
	// found in a few passes, the order in some hundreds of products.
	// Unit: nonzeros. Source: docs/solvers.md, "What the choice costs". Fit: bench/peers/factors.sh.
	NarrowNonzeros = 10_000_000
)

// Constants by which package features decides.
const (
	// SampledRows is about the number of rows in a sample.
	// Unit: rows. Source: chosen: a share of the rows is known to two per cent. Fit: not fitted: chosen by judgement.
	SampledRows = 1000
	// Mostly is the share of the rows that counts as most of them.
	// Unit: rows, relative to all. Source: chosen: boundary conditions change up to a tenth. Fit: not fitted: chosen by judgement.
	Mostly = 0.9
	// Dominance is the largest sum of the other magnitudes in a row that counts as diagonally dominant.
	// Unit: relative to the diagonal. Source: chosen: rounded coefficients exceed 1 a little. Fit: not fitted: chosen by judgement.
	Dominance = 1.01
	// ShapeStarts is the number of rows whose neighbourhoods are looked at.
	// Unit: rows. Source: chosen. Fit: not fitted: chosen by judgement.
	ShapeStarts = 16
	// ShapeLevels is the distance up to which neighbours are counted.
	// Unit: edges of the graph. Source: chosen: the ratio of two levels tells planes from space. Fit: not fitted: chosen by judgement.
	ShapeLevels = 3
	// ShapeNeighbours is the number of neighbours from which a graph counts as an expander.
	// Unit: rows. Source: chosen: a ball of radius 3 of the 27-point stencil has 343. Fit: not fitted: chosen by judgement.
	ShapeNeighbours = 5000
	// LeastNeighbours is that number for small graphs, of which it is at most a quarter of the rows.
	// Unit: rows. Source: chosen. Fit: not fitted: chosen by judgement.
	LeastNeighbours = 1000
	// PlanarGrowth is the most by which the levels of a mesh in the plane grow: 3/2, and up to 1.7 where it is unstructured, mostly.
	// Unit: rows of level 3, relative to level 2. Source: counting on meshes. Fit: go test ./internal/solver -run TestShape.
	PlanarGrowth = 1.8
	// SpatialGrowth is the same in space: (3/2)^2, and up to 2.65 where it is unstructured; random graphs have 2.8 and more.
	// Unit: rows of level 3, relative to level 2. Source: counting on meshes. Fit: go test ./internal/solver -run TestShape.
	SpatialGrowth = 2.75
	// VertexRows is how much longer the rows of vertices are than the mean from which neighbourhoods are counted from vertices.
	// Unit: ratio. Source: quadratic elements 1.98 to 2.65, linear ones up to 1.66. Fit: go test ./internal/solver -run TestShape.
	VertexRows = 1.75
	// HubRows is the most that this may be: more are hubs, and pressures beside several velocities.
	// Unit: ratio. Source: quadratic elements 1.98 to 2.65, Taylor-Hood in space 4.8. Fit: go test ./internal/solver -run TestShape.
	HubRows = 3
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

// Bending is the least sum of the other magnitudes of a row of a plate or a shell. Differences of fourth order have 2.2, diffusion has 1, and elements of second order
// have 1.2 to 1.7.
// Unit: relative to the diagonal. Source: stencils, and meshes of triangles. Fit: not fitted: it follows from the source.
const Bending = 1.9

// Relaxed ILU(0) and convection.
const (
	// OneWay is the share of couplings with a direction from which transport decides.
	// Unit: relative to all couplings. Source: docs/preconditioners.md, "Relaxed ILU(0)". Fit: make choice.
	OneWay = 0.5
	// Relaxation is the share of dropped entries that relaxed ILU(0) adds to the diagonal.
	// Unit: relative to what is dropped. Source: [Gustafsson78]; docs/preconditioners.md, "Relaxed ILU(0)". Fit: make choice.
	Relaxation = 0.95
	// MostRelaxed is the share of couplings with a direction up to which ILU(0) is relaxed.
	// Unit: relative to all couplings. Source: docs/preconditioners.md, "Relaxed ILU(0)". Fit: make choice.
	MostRelaxed = 0.75
	// LeastLoaded is the mean of row sums up to which ILU(0) is relaxed.
	// Unit: relative to the diagonal. Source: docs/preconditioners.md, "Relaxed ILU(0)". Fit: make choice.
	LeastLoaded = 0.1
	// SweepIterations is about how many iterations BiCGStab takes with ILU(0) where transport goes along the order of the rows.
	// Unit: iterations. Source: convdiff3d and transport3d. Fit: make choice.
	SweepIterations = 15
	// SweepRoot is about how many it takes with relaxed ILU(0) on meshes in space, relative to the square root of the number of points along an edge.
	// Unit: iterations. Source: [Gustafsson78] for the root; convdiff3d for the factor. Fit: make choice.
	SweepRoot = 3
	// LeastDirection is the share of couplings with a direction from which iterations are that few.
	// Unit: relative to all couplings. Source: docs/preconditioners.md, "Relaxed ILU(0)". Fit: make choice.
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
)

// What set-ups are expected to take, see choice.Bet. A multiplication of work takes as long as one of a product with a matrix in the
// cache: about 0.5 ns on two threads.
const (
	// OrderRow is the work of ordering complete factors, of planning and of assembling them.
	// Unit: work for a row. Source: set-ups of complete factors of 60 systems, less what factors take. Fit: make choice.
	OrderRow = 1400
	// OrderWork is the same for a nonzero.
	// Unit: work for a nonzero. Source: the same. Fit: make choice.
	OrderWork = 140
	// RegularSetUp is what a set-up that follows the graph takes where neighbours have neighbouring numbers.
	// Unit: ratio. Source: grids. Fit: make choice.
	RegularSetUp = 0.75
	// EntryWork is the work of an entry of complete factors besides multiplications: its memory is new.
	// Unit: work. Source: meshes in the plane and circuits. Fit: make choice.
	EntryWork = 25
	// PlanarFill is the number of entries of the factors of a mesh in the plane, relative to n log2 n.
	// Unit: entries. Source: [George73] for the law; counting on meshes of triangles. Fit: bench/peers/factors.sh.
	PlanarFill = 2.2
	// PlanarRow is the number of nonzeros of a row of such a mesh. Denser rows fill more: plates, shells, and discontinuous elements.
	// Unit: nonzeros a row. Source: triangles. Fit: bench/peers/factors.sh.
	PlanarRow = 7
	// ThinWidth is the width up to which a mesh is as thin as one in the plane.
	// Unit: relative to n^(2/3). Source: quadratic and discontinuous elements in the plane have 0.3 to 0.57, cubes 0.7 and more. Fit: make choice.
	ThinWidth = 0.6
	// SpatialFill is the number of entries of the factors of a mesh in space, relative to n^(4/3).
	// Unit: entries. Source: [George73] for the law; counting on tetrahedra. Fit: bench/peers/factors.sh.
	SpatialFill = 6
	// GridWidth is the size of a separator of a grid in space, relative to n^(2/3): cubes with an unknown at each point have 0.62 to 0.74, edge elements 1, a
	// staggered grid 1.1.
	// Unit: ratio. Source: csr.LevelWidth on cubes of 10 to 60 points. Fit: make choice.
	GridWidth = 0.7
	// SpatialAssembly is what a row of a mesh in space takes besides: fronts of few unknowns are many.
	// Unit: work for a row. Source: set-ups of complete factors of 53 systems in space. Fit: make choice.
	SpatialAssembly = 3000
	// SpatialRow is the number of nonzeros of a row of such a mesh.
	// Unit: nonzeros a row. Source: tetrahedra. Fit: bench/peers/factors.sh.
	SpatialRow = 15
	// ExpanderFill is the number of entries of the factors of other graphs, relative to n^2.
	// Unit: entries. Source: counting on random graphs. Fit: bench/peers/factors.sh.
	ExpanderFill = 0.08
	// NetworkFill is the same of a network, relative to its nonzeros.
	// Unit: entries. Source: circuits and power networks. Fit: bench/peers/factors.sh.
	NetworkFill = 6
	// LevelsRow is the work of setting up multigrid, besides that for nonzeros.
	// Unit: work for a row. Source: set-ups on meshes and networks. Fit: make choice.
	LevelsRow = 1000
	// FrontSpeed is the number of multiplications in dense fronts that take as long as one of a product.
	// Unit: ratio. Source: docs/complete-factors.md. Fit: make choice.
	FrontSpeed = 15
	// InnerIterations is the number of iterations in FP32 of an application of inexact conjugate gradients, at most.
	// Unit: iterations. Source: the most iterations of an application in package precond. Fit: not fitted: it follows from the source.
	InnerIterations = 80
	// MostInner is the number of iterations with the diagonal up to which inexact conjugate gradients take three applications. From more on they take many.
	// Unit: iterations. Source: three times InnerIterations, over Restarted. Fit: not fitted: it follows from the source.
	MostInner = 218
	// Restarted is the number of these iterations in all, relative to iterations that do not begin again.
	// Unit: ratio. Source: docs/preconditioners.md, "Conjugate gradients in FP32". Fit: make choice.
	Restarted = 1.1
	// SingleWork is the work of an iteration in FP32, relative to one in FP64.
	// Unit: ratio. Source: BenchmarkKinds in package precond. Fit: go test ./pkg/precond -run '^$' -bench Kinds/poisson3d/cg32.
	SingleWork = 0.6
	// ShortRow is the mean length of rows up to which vectors take more time than the matrix.
	// Unit: nonzeros a row. Source: bytes of an iteration of CG. Fit: not fitted: it follows from the source.
	ShortRow = 10
	// PassWork is the work of an iteration that does not depend on the size: threads wait for each other.
	// Unit: work. Source: about 5 microseconds, on systems of 1,000 to 5,000 rows. Fit: make choice.
	PassWork = 10_000
	// RegularShare is what an iteration with a regular matrix takes: neighbours of a row are near it, and the layout leaves out indices.
	// Unit: ratio. Source: grids beside unstructured meshes of the same size. Fit: make choice.
	RegularShare = 0.5
	// NodesShare is the same on grids whose nodes have several unknowns: rows are long, and half of the elements suffice.
	// Unit: ratio. Source: elasticity3d with 6 decades: 3.1 ms an iteration for 22 million nonzeros. Fit: make choice.
	NodesShare = 0.3
	// SpatialILUT is how much longer ILUT takes in space than in the plane.
	// Unit: ratio. Source: two-phase flow, Stokes, queues: 2.6 to 8 thousand a nonzero. Fit: make choice.
	SpatialILUT = 2.5
	// ExpanderILUT is the same for other graphs.
	// Unit: ratio. Source: Taylor-Hood elements in space, dominant matrices: 10 to 16 thousand a nonzero. Fit: make choice.
	ExpanderILUT = 4
	// WorthWidth is the work of complete factors from which their estimate is worth the search for a separator.
	// Unit: work for a nonzero. Source: some ten times the work of the search. Fit: not fitted: it follows from the source.
	WorthWidth = 300
	// CachedNonzeros is the size from which set-ups that follow an irregular graph, and iterations, find their data outside the cache.
	// Unit: nonzeros. Source: triangles of 45,000 to 600,000 rows. Fit: make choice.
	CachedNonzeros = 300_000.
	// CoarsestWork is the work of the coarsest level of multigrid, and of what does not depend on the size.
	// Unit: work. Source: small meshes. Fit: make choice.
	CoarsestWork = 8e6
	// PlanarFactors is the work of complete factors of a mesh in the plane, relative to n^1.5.
	// Unit: multiplications. Source: [George73] for the power; counting on meshes of triangles. Fit: bench/peers/factors.sh.
	PlanarFactors = 8
	// SpatialFactors is the same for a mesh in space, relative to n^2.
	// Unit: multiplications. Source: counting on grids and tetrahedra. Fit: bench/peers/factors.sh.
	SpatialFactors = 3
	// ExpanderFactors is the same for other graphs, relative to n^3.
	// Unit: multiplications. Source: counting on random graphs, 0.001 to 0.02. Fit: bench/peers/factors.sh.
	ExpanderFactors = 0.008
	// NetworkFactors is the work of complete factors of a network.
	// Unit: multiplications a nonzero. Source: counting on circuits and power networks. Fit: bench/peers/factors.sh.
	NetworkFactors = 500
	// WidthFactors is the most that complete factors take, relative to the third power of the size of a separator that cuts the graph in half.
	// Unit: multiplications. Source: [George73], nested dissection, with a margin. Fit: bench/peers/factors.sh.
	WidthFactors = 8
	// ExpanderLevels is by how much the set-up of multigrid takes longer where the coarse levels fill.
	// Unit: ratio. Source: graphs of scale-free networks. Fit: make choice.
	ExpanderLevels = 3
	// AsSlow is the number of iterations, relative to those with the diagonal, from which a preconditioner is no alternative to it: where the diagonal is
	// slow, so is the other one, as an iteration takes longer.
	// Unit: ratio. Source: meshes, docs/solvers.md. Fit: make choice.
	AsSlow = 0.25
	// GridShare is what multigrid takes of the iterations where the matrix is an M-matrix on a grid.
	// Unit: ratio. Source: nine points, heat, reservoirs. Fit: make choice.
	GridShare = 0.5
	// MostLeast is the most by which row sums may raise the iterations that a mesh of the size is expected to take: where they are all but zero, the constant
	// vector is an eigenvector apart from the others, which takes one iteration.
	// Unit: ratio. Source: triangles, implicit steps, reservoirs. Fit: make choice.
	MostLeast = 4
	// NotDiffusion is by how much multigrid and the diagonal take more iterations where most rows are not like those of an M-matrix.
	// Unit: ratio. Source: plates, shells, quadratic elements. Fit: make choice.
	NotDiffusion = 2
	// Recirculation is by how much the diagonal takes more iterations where transport decides, and does not follow the order of the rows.
	// Unit: ratio. Source: recirculating flow. Fit: make choice.
	Recirculation = 8
	// LoadedMeshes is the number of cycles on irregular meshes in the plane whose rows do not sum to zero, relative to diffusion: mass outweighs stiffness in some
	// elements and not in others.
	// Unit: ratio. Source: implicit steps of diffusion with jumps, 1,469 to 219,753 rows: 51 to 133 cycles instead of 30. Fit: make choice.
	LoadedMeshes = 2.5
	// OtherGrids is by how much multigrid takes more iterations on such grids: unknowns of several kinds, or elements of higher order.
	// Unit: ratio. Source: curl-curl, discontinuous elements, blocks. Fit: make choice.
	OtherGrids = 16
	// EdgeWidth is the least size of a separator of a grid whose unknowns belong to edges, relative to GridWidth.
	// Unit: ratio. Source: between grids with an unknown at each point, 1.05, and edge elements, 1.42. Fit: make choice.
	EdgeWidth = 1.25
	// OfEdges is how many iterations multigrid takes for edge elements, relative to the diagonal.
	// Unit: ratio. Source: edge elements with 2,430 to 38,088 unknowns, 0.59 and 0.60. Fit: make choice.
	OfEdges = 0.6
	// MassSum is the mean of row sums, at most 1, from which elements hardly cancel, as in a mass matrix.
	// Unit: relative to the diagonal. Source: mass matrices of linear and quadratic elements have 1. Fit: make choice.
	MassSum = 0.95
	// MassDiagonal is the number of iterations that the diagonal takes with a mass matrix: eigenvalues are bounded whatever the mesh.
	// Unit: iterations. Source: [Wathen87]. Fit: make choice.
	MassDiagonal = 40
	// LeastExcess is the mean excess of the diagonal from which it bounds iterations.
	// Unit: relative to the diagonal. Source: implicit steps, blocks; 0.05 and less says little. Fit: make choice.
	LeastExcess = 0.05
	// OfExcess is by how much iterations exceed what the mean excess says: some rows have less.
	// Unit: ratio. Source: implicit steps, blocks. Fit: make choice.
	OfExcess = 3
	// ByDomain is the number of iterations with complete factors of domains, relative to those with the diagonal.
	// Unit: ratio. Source: docs/domains.md. Fit: not fitted: chosen by judgement.
	ByDomain = 0.2
	// OfNetworks is by how much multigrid, and the diagonal beside a mesh in the plane, take more iterations for networks that are not symmetric.
	// Unit: ratio. Source: circuits. Fit: make choice.
	OfNetworks = 4
	// OfEddies is the same for multigrid and recirculating flow, on which it takes twice as many iterations as for networks or does not converge: where complete factors
	// take about as much, they come first.
	// Unit: ratio. Source: eddies of seeds 21 to 29. Fit: make choice CHOICE_FLAGS='--classes eddies'.
	OfEddies = 6
	// Indefinite is by how much preconditioners other than complete factors take more iterations where a symmetric matrix is not definite.
	// Unit: ratio. Source: saddle points. Fit: make choice.
	Indefinite = 3.5
	// NotDefinite is by how much the methods for general systems are expected to take more where conjugate gradients suit.
	// Unit: ratio. Source: chosen: above the odds that a matrix with a positive diagonal is not definite. Fit: not fitted: chosen by judgement.
	NotDefinite = 4
)

// Bets. A fallback goes on until another one is expected to take less, see choice.Probe. What is lost in an attempt whose rate never promises less is Stake of what the
// alternative is expected to take, and less than all of that where the rate was better before. A set-up counts before it is begun.
const (
	// FirstLook is the number of iterations after which the rate of a method is first looked at.
	// Unit: iterations. Source: chosen: first iterations tell little. Fit: make choice.
	FirstLook = 8
	// ProbeOdds is how many times the work of the best alternative the diagonal may be expected to take for a probe run, which stakes a fifth of that. Where a matrix is
	// known not to be definite, it may not take more.
	// Unit: ratio. Source: generated systems. Fit: make choice.
	ProbeOdds = 1.8
	// ProbeShare is the share of the work of the alternative after which the rate is first looked at, if that is later.
	// Unit: relative to the alternative. Source: the fifth look, each after half as many iterations more, is where the stake is spent. Fit: make choice.
	ProbeShare = 16. / 81 * Stake
	// Stake is the share of the work of the alternative that a method may spend while its rate promises to take longer than that.
	// Unit: relative to the alternative. Source: recorded residuals; at 1, what is lost is bounded as well as without any expectation (ski rental, [Karlin88]). Fit: bench/choice/stake.sh MPSOLVE.
	Stake = 0.2
	// Unshown is the ratio of the stakes of a method whose residual has not become smaller yet to those of others: many such methods converge soon after.
	// Unit: ratio. Source: recorded residuals. Fit: bench/choice/stake.sh MPSOLVE.
	Unshown = 1.5
	// Hopeless is the ratio of the work that is left to that of the alternative where a method is left without a rate.
	// Unit: ratio. Source: chosen. Fit: make choice.
	Hopeless = 4
	// FirstBudget is the work that the set-up of incomplete factors and of multigrid may take at first: what meshes take, three times over (see precond.Description).
	// Unit: multiplications a nonzero. Source: set-ups on meshes. Fit: make solver-table TABLE_FLAGS='-part kinds'.
	FirstBudget = 500
	// LeastBudget is the work that any set-up may take: some 0.01 s.
	// Unit: multiplications. Source: chosen. Fit: not fitted: chosen by judgement.
	LeastBudget = 2e7
	// BudgetGrowth is the factor from the budget of one set-up to the next, after a refusal.
	// Unit: ratio. Source: [Korf85], iterative deepening. Fit: not fitted: it follows from the source.
	BudgetGrowth = 4
	// MostWork is the work from which a set-up is not worth trying.
	// Unit: work for a nonzero. Source: chosen: minutes for a million rows. Fit: not fitted: chosen by judgement.
	MostWork = 100_000
	// StaleReduction is what attempts have to reduce the measure to; otherwise they are stale.
	// Unit: ratio. Source: chosen. Fit: not fitted: chosen by judgement.
	StaleReduction = 0.5
	// StaleVisits is the number of stale attempts in a row after which nothing is tried twice.
	// Unit: attempts. Source: chosen. Fit: not fitted: chosen by judgement.
	StaleVisits = 8
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
	PlanarEdge = 5
	// SpatialEdge is the same in space.
	// Unit: iterations. Source: CG on poisson3d, darcy3d and stencil27. Fit: make solver-table TABLE_FLAGS='-part growth'.
	SpatialEdge = 8
	// SpatialNodes is the same in space where nodes have several unknowns.
	// Unit: iterations. Source: CG on elasticity3d. Fit: make solver-table TABLE_FLAGS='-part growth'.
	SpatialNodes = 12
	// OtherGraphs is the number of iterations with the diagonal where the graph is no mesh.
	// Unit: iterations. Source: chosen. Fit: make solver-table TABLE_FLAGS='-part kinds'.
	OtherGraphs = 100.
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
	// Unit: ratio. Source: circuits and block systems, of which BiCGStab takes 1.5 times the iterations without scaling. Fit: make choice.
	Unbalanced = 64
	// MaxRestart is the length to which cycles of GMRES may grow by themselves: a cycle costs 2 m^2 n flops in orthogonalisation.
	// Unit: iterations. Source: chosen; where twice that length spans the whole space, cycles may grow to n. Fit: not fitted: chosen by judgement.
	MaxRestart = 1280
)

// Constants by which rows are cut into domains: in the order given, or by the graph of the matrix.
const (
	// FewGhosts is the most ghosts with which domains are ranges of the rows given: their exchange takes less than a tenth of a product then.
	// Unit: ghosts a row. Source: 16 bytes for a ghost, 12 for a nonzero; of tridiagonal systems in a random order two domains have 0.75.
	// Fit: not fitted: it follows from the source.
	FewGhosts = 0.5
	// GhostsLeft is the largest share of these ghosts that domains by the graph may have.
	// Unit: ratio. Source: chosen. Fit: not fitted: chosen so that the gain pays for sending all rows to other ranks.
	GhostsLeft = 0.5
	// HeaviestDomain is the largest weight of a domain by the graph: a nonzero counts 1, a row as many as rows have in the mean.
	// Unit: relative to the mean. Source: meshes have 1.05 in domains of 200 rows. Fit: go test ./internal/direct/order -run TestPartition -v.
	HeaviestDomain = 1.1
	// GraphNodeBytes is the memory of a node where rank 0 halves the graph with GraphThreads threads.
	// Unit: bytes. Source: the arrays that live at one time. Fit: go test ./internal/solver/ranks -run TestMemoryOfCut -v.
	GraphNodeBytes = 150
	// GraphEdgeBytes is that of a neighbour of a node.
	// Unit: bytes. Source: the arrays that live at one time. Fit: go test ./internal/solver/ranks -run TestMemoryOfCut -v.
	GraphEdgeBytes = 60
	// GraphThreads is the number of threads: the first halves take longest, and memory grows with threads.
	// Unit: threads. Source: chosen. Fit: not fitted: chosen by judgement.
	GraphThreads = 4
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
	// SavedByStoring is the share of a product that fewer bytes save.
	// Unit: ratio. Source: docs/performance.md, "Real matrices". Fit: bench/real.py MPSOLVE FILE...
	SavedByStoring = 0.4
	// StoringProducts is how many products take as long as storing the matrix: 21 (elasticity) to 33 (power law) on two threads.
	// Unit: products. Source: docs/precision.md. Fit: bench/uniform.sh MPSOLVE 2 FILE..., the difference of build times.
	StoringProducts = 30
	// ManyProducts is how many products a preconditioner that is asked for is taken to leave.
	// Unit: products. Source: real matrices with Jacobi, docs/matrices.md. Fit: make table.
	ManyProducts = 200.0
	// LayoutWork is what the choice of a layout takes besides: a sample is stored in all of them.
	// Unit: multiplications of products on two threads. Source: gun_K and Andrews, docs/precision.md. Fit: bench/uniform.sh MPSOLVE 2 FILE...
	LayoutWork = 5e6
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
	// SetUpAgain is what setting up a preconditioner again takes, with what is kept of the pattern, relative to its bet.
	// Unit: ratio. Source: BenchmarkMultigrid in package precond. Fit: not fitted: it is measured.
	SetUpAgain = 0.5
	// Systems is the number of systems of a sequence that a set-up is expected to serve.
	// Unit: systems. Source: chosen: sequences have tens. Fit: go run ./examples/sequence heat.
	Systems = 4
	// WorstGuess is the residual of a guess, relative to b in the maximum norm, up to which a solve begins with it.
	// Unit: ratio. Source: chosen: where a step changes the size of x, the x before is a bad guess. Fit: not fitted: chosen by judgement.
	WorstGuess = 100
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
	// Unit: ratio. Source: docs/double-double.md, "When `auto` goes over". Fit: make solver-table TABLE_FLAGS='-part vectors'.
	Overdue = 4
)

// Work on digits and evidence after the solve.
const (
	// DigitsShare is the share of the work of a solve that the estimate of digits may take.
	// Unit: ratio. Source: chosen. Fit: make digits DIGITS_FLAGS=-cost.
	DigitsShare = 0.1
	// LeastDigits is the least number of iterations that it may take.
	// Unit: iterations. Source: chosen. Fit: make digits.
	LeastDigits = 2
	// EnoughDigits is the number of digits with which a proved bound of the error takes the place of an estimate.
	// Unit: decimal digits. Source: chosen: half of what the tolerance 1e-10 asks for, and one more. Fit: make digits.
	EnoughDigits = 6
	// ResidualWork is the work of an accurate residual.
	// Unit: multiplications a nonzero. Source: measured beside plain products. Fit: go test ./pkg/linop -run '^$' -bench Residual.
	ResidualWork = 3
	// EstimateWork is the work of random numbers, weights and norms.
	// Unit: multiplications a row. Source: generated systems. Fit: make digits DIGITS_FLAGS=-cost.
	EstimateWork = 40
	// LookWork is the work of looking at a matrix, scaling and storing it.
	// Unit: multiplications a nonzero. Source: set-ups of generated systems. Fit: make choice.
	LookWork = 60
	// SmallProduct is the size up to which iterations cost next to nothing.
	// Unit: nonzeros. Source: chosen: a product takes some 20 microseconds. Fit: make digits.
	SmallProduct = 4_000
	// SmallIter is the number of such iterations that the estimate may take.
	// Unit: iterations. Source: chosen. Fit: make digits.
	SmallIter = 400
	// CompleteIter is the number of iterations that it may take with complete factors, which solve a system in a few iterations unless it is singular.
	// Unit: iterations. Source: chosen. Fit: make digits.
	CompleteIter = 60
	// FurtherIter is the number of iterations that going on with an x that does not explain b may take, or twice the iterations so far. With complete
	// factors it is FirstLook.
	// Unit: iterations. Source: chosen. Fit: make stress.
	FurtherIter = 200
	// EvidenceWork is the work of factors that may show a null vector.
	// Unit: multiplications a nonzero. Source: chosen; factors may take as long as the solve before in any case. Fit: make stress.
	EvidenceWork = 20_000
	// EvidenceOdds is how many times as much they may be expected to take, since shapes foretell the count of factors roughly.
	// Unit: ratio. Source: chosen. Fit: make stress.
	EvidenceOdds = 3
	// Oversized is the size of x beside b, by rows, from which a contradiction may be why.
	// Unit: ratio. Source: chosen: a plane mesh of a million nodes has 3e5. Fit: make stress.
	Oversized = 1e6
	// LeastEvidence is the work that such factors may take in any case: some 0.3 s.
	// Unit: multiplications. Source: chosen. Fit: make stress.
	LeastEvidence = 1e9
	// DenseRows is the size up to which null vectors are found by elimination.
	// Unit: rows. Source: chosen: n^3 takes a second. Fit: make stress.
	DenseRows = 400
	// FactorRows is the size up to which factors of multiple precision are the last resort of a number of digits.
	// Unit: rows. Source: chosen: a dense matrix takes half a minute of processor time in 106 bits, about five minutes in 1696. Fit: go test ./internal/mp -run '^$' -bench LU.
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

// An Expectation is what a preconditioner is expected to take.
type Expectation struct {
	SetUp                   float64 // work for a nonzero, besides storing A once; of complete factors see choice.Bet
	Relative, RelativeNodes float64 // iterations relative to those with the diagonal, where nodes have one unknown and where they have several
	Count, CountNodes       float64 // or, where they hardly depend on that, their number
	Values                  float64 // stored, relative to nonzeros, or read in that time
	Passes                  float64 // over data
	Slower                  float64 // how many times as long a multiplication with them takes as one of a product; 0: 1
}

// Expectations are the expectations of preconditioners.
// Unit: ratios, iterations and passes as in Expectation. Source: docs/solvers.md, "What the choice costs". Fit: make choice.
var Expectations = map[precond.Kind]Expectation{
	precond.None:        {Relative: 4, RelativeNodes: 4},
	precond.Jacobi:      {SetUp: 2, Relative: 1, RelativeNodes: 1, Passes: 1},
	precond.CG32:        {SetUp: 2, Count: 3, CountNodes: 3, Values: 1, Passes: 150},
	precond.BlockJacobi: {SetUp: 4, Relative: 0.95, RelativeNodes: 0.85, Passes: 1},
	precond.Chebyshev:   {SetUp: 4, Relative: 0.3, RelativeNodes: 0.3, Values: Smoothing, Passes: Smoothing},
	precond.FSAI:        {SetUp: 200, Relative: 0.5, RelativeNodes: 0.3, Values: 1, Passes: 2, Slower: 1.5},
	precond.IC0:         {SetUp: 80, Relative: 0.33, RelativeNodes: 0.28, Values: 1, Passes: 2, Slower: 4},
	precond.ILU0:        {SetUp: 100, Relative: 0.3, RelativeNodes: 0.3, Values: 1, Passes: 2, Slower: 6},
	precond.ICT:         {SetUp: 1200, Relative: 0.05, RelativeNodes: 0.05, Values: 10, Passes: 2, Slower: 2},
	precond.ILUT:        {SetUp: 1800, Relative: 0.05, RelativeNodes: 0.05, Values: 10, Passes: 2, Slower: 1.5},
	precond.LU:          {Count: 2, CountNodes: 2, Values: 20, Passes: 2},
	precond.Cholesky:    {Count: 2, CountNodes: 2, Values: 10, Passes: 2},
	precond.ISAI:        {SetUp: 200, Relative: 0.35, RelativeNodes: 0.3, Values: 3, Passes: 2},
	precond.AMG:         {SetUp: 160, Count: 30, CountNodes: 50, Values: 1.5, Passes: 30},
	precond.Schur:       {SetUp: 300, Count: 45, CountNodes: 45, Values: 14, Passes: 120},
}

// A Drop is what a drop tolerance changes.
type Drop struct{ SetUp, Iterations float64 }

// Drops are the drop tolerances of the fallbacks, beside the default of 1e-5.
// Unit: ratios to what the default takes. Source: chosen. Fit: make choice.
var Drops = map[float64]Drop{1e-2: {0.25, 6}, 1e-3: {0.5, 3}, 1e-8: {3, 0.5}}

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
