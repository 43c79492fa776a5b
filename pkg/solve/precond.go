package solve

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
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
	if p.BlockSize > maxBlockSize {
		faults = append(faults, fmt.Errorf("solve: block size %d is more than %d", p.BlockSize, maxBlockSize))
	}
	if p.BlockSize < 0 || !(p.DropTol >= 0 && p.DropTol < 1) || !(p.Fill >= 0) {
		faults = append(faults, errors.New("solve: negative size, drop tolerance or fill of the preconditioner"))
	}
	return faults
}

// Sizes at which the choice of PrecondAuto changes, from measurements of all kinds
// on real and generated matrices; see docs/solvers.md.
const (
	multigridNonzeros = 100_000 // nonzeros from which multigrid is tried first
	sparseRows        = 40_000  // rows from which ILU(0) takes the place of ILUT

	// completeDrop leaves out next to nothing: where ILUT with its default drops too
	// much, what remains is LU to the limit of fill.
	completeDrop = 1e-14
)

// choosePreconditioner returns the preconditioners to try, in order: those after the first
// take over where setting up fails or the method gets nowhere.
func (s *Solver) choosePreconditioner() []variant {
	n := s.m.Rows
	switch {
	case s.opt.Precond.Kind != PrecondAuto:
		s.say("precond %s: requested", s.opt.Precond.Kind)
		return []variant{{kind: s.opt.Precond.Kind}}
	case s.Method == MINRES:
		s.say("precond none: the scaling acts as Jacobi preconditioning")
		return []variant{{kind: precond.None}}
	case s.Method == CG && !s.symmetric():
		s.say("precond none: the scaled matrix is not symmetric")
		return []variant{{kind: precond.None}}
	case s.opt.Device != nil && precond.BlockSize(s.m) > 1:
		s.say("precond bjacobi: the matrix has nodes of several unknowns (on a device)")
		return []variant{{kind: precond.BlockJacobi}, {kind: precond.None}}
	case s.opt.Device != nil:
		s.say("precond none: the scaling acts as Jacobi preconditioning (on a device)")
		return []variant{{kind: precond.None}, {kind: precond.BlockJacobi}}
	case s.Method == CG && s.m.NNZ() >= multigridNonzeros:
		s.say("precond amg: the matrix is symmetric and large")
		return []variant{{kind: precond.AMG}, {kind: precond.ICT}, {kind: precond.IC0}, {kind: precond.None}}
	case s.Method == CG:
		s.say("precond ict: the matrix is symmetric and small")
		return []variant{{kind: precond.ICT}, {kind: precond.IC0}, {kind: precond.None}}
	case n >= sparseRows && likeMMatrix(s.m):
		s.say("precond amg: the matrix is large and nearly an M-matrix, as from diffusion")
		return []variant{{kind: precond.AMG}, {kind: precond.ILU0}, {kind: precond.None}}
	case n >= sparseRows:
		s.say("precond ilu0: the matrix is not definite and large")
		return []variant{{kind: precond.ILU0}, {kind: precond.None}}
	default:
		s.say("precond ilut: the matrix is not definite and small")
		return []variant{{kind: precond.ILUT}, {precond.ILUT, completeDrop}, {kind: precond.ILU0}, {kind: precond.None}}
	}
}

const (
	sampledRows   = 10000
	mostlyMMatrix = 0.9  // share of the rows
	dominance     = 1.01 // sum of a row's other magnitudes, relative to its diagonal
)

// likeMMatrix reports whether most rows of m, of a sample, are those of a diagonally
// dominant M-matrix: off-diagonal elements of the other sign than the diagonal, whose
// magnitudes add up to hardly more than that. Multigrid suits them, symmetric or not.
func likeMMatrix(m *csr.Matrix) bool {
	rows, good := 0, 0
	for i := 0; i < m.Rows; i += m.Rows/sampledRows + 1 {
		cols, vals := m.Row(i)
		d, sum, opposite := m.At(i, i), 0.0, true
		for k, j := range cols {
			if v := vals[k]; int(j) != i {
				sum += math.Abs(v)
				opposite = opposite && v*d <= 0
			}
		}
		rows++
		if d != 0 && opposite && sum <= dominance*math.Abs(d) {
			good++
		}
	}
	return float64(good) >= mostlyMMatrix*float64(rows)
}

// symmetric reports whether a preconditioner has to be symmetric and may take the
// matrix for definite.
func (s *Solver) symmetric() bool {
	return s.Facts.Symmetric && (s.Scale == ScaleSym || s.Scale == ScaleNone) &&
		(s.Method == CG || s.Method == MINRES || s.Facts.DiagonalSign() > 0)
}

// precondition sets up a preconditioner of the scaled matrix m, which the method has as a.
func (s *Solver) precondition(ctx context.Context, m *csr.Matrix, v variant, a stored) (precond.Preconditioner, error) {
	p := s.opt.Precond
	opt := precond.Options{
		Epsilon: p.Epsilon, Symmetric: s.symmetric(),
		Log:       func(line string) { s.say("precond %s", line) },
		BlockSize: p.BlockSize, DropTol: p.DropTol, Fill: p.Fill,
	}
	if opt.DropTol == 0 {
		opt.DropTol = v.dropTol
	}
	if p.Kind == PrecondAuto {
		if d, ok := precond.Lookup(v.kind); ok {
			opt.MaxWork = d.MaxWork
		}
	}
	opt.Multigrid.KCycle = p.KCycle
	if s.opt.MaxMemory > 0 {
		opt.MaxBytes = max(1, s.opt.MaxMemory-s.memory())
	}
	if v.kind == precond.AMG {
		if opt.BlockSize == 0 {
			opt.BlockSize = precond.BlockSize(m)
		}
		opt.Multigrid.NearNull = s.nearNull(opt.BlockSize)
	}
	if p.Epsilon == 0 || a.storage.Epsilon <= p.Epsilon {
		opt.Operator = a.relaxer
	}
	return precond.New(ctx, v.kind, m, opt, s.pool)
}

// nearNull is the near-null space of the scaled matrix D_r A D_c, v becomes D_c^-1 v:
// as given, otherwise constants for nodes of that size.
func (s *Solver) nearNull(size int) [][]float64 {
	var space [][]float64
	for _, v := range s.opt.Precond.NearNull {
		space = append(space, append([]float64(nil), s.Order.forth(v)...))
	}
	if len(space) == 0 {
		space = precond.Constants(s.m.Rows, size)
	}
	for _, v := range space {
		for i := range v {
			v[i] = csr.Ldexp(v[i], -s.scaled.Col[i])
		}
	}
	return space
}
