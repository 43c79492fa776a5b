package solve

import (
	"cmp"
	"context"
	"math"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// A trial is a rung whose preconditioner costs next to nothing. Its iterations show how fast it
// converges, which nothing cheaper does, and their work is kept: what follows goes on from its x.
// It lasts while the rest promises to take less than the rung that it is to save.
const (
	leastTrial = 8       // iterations before the first look
	trialShare = 1. / 16 // of the cost of the next rung: what a trial may take, whatever its rate

	leastSum   = 0x1p-14 // of a row, relative to its diagonal: less is rounding, or as good as it
	smoother   = 2       // sqrt(kappa) of meshes by that which the constant shows, at least
	nodesWork  = 1400    // of multigrid, in multiplications a nonzero, where nodes have several unknowns
	unexpected = 600     // the same of what has no row here
)

// A graphShape is what the neighbourhoods of a matrix's rows look like.
type graphShape int

const (
	planar   graphShape = iota // those of points of a mesh in the plane, or a line
	spatial                    // in space
	expander                   // they grow like those of a random graph
)

// looks are what the rules of choice see in a matrix, each looked for once.
type looks struct {
	ctx       context.Context // of the set-up, with which looking ends
	shape     once[graphShape]
	nodes     once[int] // unknowns of one
	compact   once[bool]
	rungs     once[[]rung]
	mMatrix   once[bool]    // see likeMMatrix
	direction once[float64] // see direction
	sums      once[rowSums]
}

// once is a value that is computed when it is wanted first.
type once[T any] struct {
	known bool
	value T
}

func (o *once[T]) get(compute func() T) T {
	if !o.known {
		o.known, o.value = true, compute()
	}
	return o.value
}

func (s *Solver) shape() graphShape {
	return s.looks.shape.get(s.sight().shape)
}

// rivalWork is what preconditioners take in all, in multiplications a nonzero, by the shape of the
// matrix; docs/solvers.md has the measurements. Incomplete factors with a threshold fill, and so
// do the coarse levels of multigrid, the more, the faster neighbourhoods grow.
var rivalWork = map[precond.Kind][expander + 1]float64{
	precond.AMG:      {500, 500, 1500},
	precond.ICT:      {400, 1500, 800},
	precond.ILUT:     {400, 1500, 800},
	precond.IC0:      {400, 400, 400},
	precond.ILU0:     {400, 400, 400},
	precond.LU:       {400, 1500, 800},
	precond.Cholesky: {400, 1500, 800},
}

// earlyWork is what complete factors take that come first, in the time of multiplications of
// iterations: half of it for their order.
var earlyWork = map[precond.Kind]float64{precond.Cholesky: 330, precond.LU: 500}

// rivals returns for each trial what the first rung after it that is none, or relaxed ILU(0) that is expected to win, is expected to take.
func (s *Solver) rivals(rungs []rung) []float64 {
	shape, nodes := s.shape(), s.hasNodes()
	work, next := make([]float64, len(rungs)), math.Inf(1)
	for k := len(rungs) - 1; k >= 0; k-- {
		work[k] = next
		switch r := rungs[k]; {
		case r.trial && r.kind == precond.ILU0 && s.largeSwept():
			next = min(next, sweptWork*float64(s.nonzeros()))
		case r.trial, r.early() && s.refused(shape):
		case r.early():
			next = earlyWork[r.kind] * float64(s.nonzeros())
		case r.kind == precond.AMG && nodes:
			next = nodesWork * float64(s.nonzeros())
		default:
			next = cmp.Or(rivalWork[r.kind][shape], unexpected) * float64(s.nonzeros())
		}
	}
	return work
}

// refused reports whether complete factors of a matrix of that shape are expected to take more
// than completeWork: those of a mesh in space take widthWork n^2, those of a random graph more,
// unless its separators are small.
func (s *Solver) refused(shape graphShape) bool {
	n := float64(s.rows())
	return shape != planar && widthWork*n*n > completeWork*float64(s.nonzeros()) && !s.compact()
}

// withoutIdle returns the rungs without a first one that is a trial and that the matrix shows to be idle.
func (s *Solver) withoutIdle(rungs []rung) []rung {
	if len(rungs) == 0 || !rungs[0].trial {
		return rungs
	}
	n, nnz := float64(s.rows()), float64(s.nonzeros())
	if s.leastIterations()*iterationWork(CG, precond.Jacobi, n, nnz, n) > s.rivals(rungs)[0] {
		return rungs[1:]
	}
	return rungs
}

const (
	// sweepRoot is about how many iterations BiCGStab takes with relaxed ILU(0) on meshes in space, relative
	// to the square root of the number of points along an edge, with which they grow [Gustafsson78].
	sweepRoot = 3
	// sweptWork is what multigrid takes there in all, in multiplications a nonzero: convdiff3d takes as long with
	// either at some 70 points along an edge.
	sweptWork = 120
	// leastDirection is the share of couplings with a direction from which they are that few.
	leastDirection = 0.1
)

// fewSweeps reports whether BiCGStab with relaxed ILU(0) is expected to take less than multigrid: with
// some convection, on a mesh in space of up to some 70 points along an edge.
func (s *Solver) fewSweeps() bool {
	n, nnz := float64(s.rows()), float64(s.nonzeros())
	work := sweepRoot * math.Sqrt(math.Cbrt(n)) * iterationWork(BiCGStab, precond.ILU0, n, nnz, nnz)
	return s.shape() == spatial && s.direction() > leastDirection && work <= sweptWork*nnz
}

// leastIterations is how many iterations conjugate gradients take at least with the diagonal as
// the preconditioner: sqrt(kappa)/2 ln(2/tol) ([Saad03], equation 6.128), where kappa of D^-1 A
// is estimated by a sample of the rows. On meshes there are many eigenvalues as small as the
// least, and on other graphs few, which take an iteration each: 0.
func (s *Solver) leastIterations() float64 {
	sums := s.rowSums()
	if s.shape() == expander || !(sums.mean < 1) {
		return 0
	}
	root := 1 / math.Sqrt(max(sums.mean, leastSum))
	if sums.share < mostlyLoaded { // the constant is not the first eigenvector
		root *= smoother
	}
	if sums.surface && s.Facts.Symmetric {
		root = max(root, surfaceRoot/sums.share)
	}
	return math.Log(2/krylov.DefaultTol) / 2 * root
}

// rowSums are sums of rows relative to their diagonals, in a sample: what A makes of the constant.
type rowSums struct {
	mean    float64 // of magnitudes, up to 1: the Rayleigh quotient of the constant
	share   float64 // of the rows, those whose sum is not as good as zero
	surface bool    // these are the boundary of a mesh: few, and neighbours of each other
}

// The first eigenvector of a mesh falls to zero at a boundary of the rows that have sums. Where
// these are a share f of all, layers of them are 2/f apart, and sqrt(kappa) is at least 2.2/f,
// that of a slab; for a cube it is 2.7/f. Right-hand sides that are smooth take somewhat less.
const (
	surfaceRoot       = 2
	surfaceShare      = 0.25 // of the rows, at most
	surfaceNeighbours = 0.3  // of the neighbours of such rows, at least, and surfaceDenser times their share of all rows
	surfaceDenser     = 2

	mostlyLoaded = 0.5 // share of rows with sums from which A is a mesh with a shift
)

func (s *Solver) rowSums() rowSums { return s.looks.sums.get(s.sight().sums) }

// newTrial watches a method from a measure on, which is to take less than rival.
func newTrial(from, goal, iteration, rival float64) *probe {
	first := max(leastTrial, int(min(trialShare*rival/iteration, math.MaxInt32)))
	return &probe{goal: goal, iteration: iteration, trial: true, lookout: lookout{Look: first, Least: from, Budget: rival}}
}

// idle reports whether a trial that has spent some work is to be left, with so much to come:
// what has been spent is gone, and does not count until it has been as much as the rival takes.
func (p *probe) idle(spent, rest float64) bool { return rest > min(p.Budget, 2*p.Budget-spent) }
