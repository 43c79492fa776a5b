package solve

import (
	"errors"
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// PrecondAuto leaves the choice of the preconditioner to the rules of
// docs/solvers.md.
const PrecondAuto precond.Kind = "auto"

// Preconds lists all preconditioners.
var Preconds = append([]precond.Kind{PrecondAuto}, precond.Kinds()...)

// Precond describes the preconditioner; the zero value is useful.
type Precond struct {
	Kind      precond.Kind // "": PrecondAuto
	Epsilon   float64      // accuracy of its values; 0: precond.DefaultEpsilon
	NearNull  [][]float64  // of A as given, for multigrid; see precond.MultigridOptions
	KCycle    bool         // of multigrid, instead of V-cycle
	BlockSize int          // unknowns of a node, or largest block of block Jacobi; 0: found from the pattern
	DropTol   float64      // of the incomplete factorisations with threshold; 0: their default
	Fill      float64      // the same

	Overlap precond.Overlap // of what is made for each domain of a matrix over ranks
}

// maxBlockSize bounds Precond.BlockSize: the set-up makes dense blocks of that size, and a
// node of any discretisation has fewer unknowns.
const maxBlockSize = 1024

func (p Precond) validate() (faults []error) {
	if !oneOf(p.Kind, Preconds) {
		faults = append(faults, fmt.Errorf("solve: unknown preconditioner %q", p.Kind))
	}
	if p.Epsilon != 0 && !(p.Epsilon >= adaptive.MinEpsilon && p.Epsilon < 1) {
		faults = append(faults, fmt.Errorf("solve: accuracy %g of the preconditioner is not in [2^-53, 1)", p.Epsilon))
	}
	if !oneOf(p.Overlap, []precond.Overlap{"", precond.OverlapNone, precond.OverlapOne}) {
		faults = append(faults, fmt.Errorf("solve: unknown overlap %q", p.Overlap))
	}
	if p.BlockSize > maxBlockSize {
		faults = append(faults, fmt.Errorf("solve: block size %d is more than %d", p.BlockSize, maxBlockSize))
	}
	if p.BlockSize < 0 || !(p.DropTol >= 0 && p.DropTol < 1) || !(p.Fill >= 0) {
		faults = append(faults, errors.New("solve: negative size, drop tolerance or fill of the preconditioner"))
	}
	return faults
}
