package solve

import (
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// PrecondAuto leaves the choice of the preconditioner to the rules of
// docs/solvers.md.
const PrecondAuto precond.Kind = "auto"

// Precond describes the preconditioner; the zero value is useful.
type Precond struct {
	Kind      precond.Kind // "": PrecondAuto
	Epsilon   float64      // accuracy of its values; 0: precond.DefaultEpsilon
	NearNull  [][]float64  // near-null vectors of A as given, for multigrid; see precond.MultigridOptions
	KCycle    bool         // multigrid with K-cycles instead of V-cycles
	BlockSize int          // unknowns of a node, or largest block of block Jacobi; 0: found from the pattern
	DropTol   float64      // of the incomplete factorisations with threshold; 0: their default
	Fill      float64      // of the same factorisations; 0: their default

	Overlap precond.Overlap // of preconditioners that are made for each domain of a matrix over ranks
}
