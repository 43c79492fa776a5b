package solve

import (
	"cmp"
	"context"
	"errors"
	"fmt"

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
	if !oneOf(p.Overlap, precond.Overlaps) {
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

// symmetric reports whether a preconditioner has to be symmetric and may take the
// matrix for definite.
func (s *Solver) symmetric() bool {
	return s.Facts.Symmetric && (s.Scale == ScaleSym || s.Scale == ScaleNone) &&
		(s.Method == CG || s.Method == MINRES || s.Facts.DiagonalSign() > 0)
}

// precondition sets up a preconditioner of the scaled matrix m, which the method has as a, within
// a budget of multiplications (0: no limit), beside others of so many bytes, and says how many
// multiplications it took.
func (s *Solver) precondition(
	ctx context.Context, m *csr.Matrix, v variant, budget float64, held int64, a stored,
) (made precond.Preconditioner, work float64, err error) {
	p := s.opt.Precond
	s.opt.Stage(fmt.Sprintf("setting up %s", v.kind))
	total, last := 2*float64(s.nonzeros()), int64(0) // one pass at least
	opt := precond.Options{
		Epsilon: p.Epsilon, Symmetric: s.symmetric(), Kernels: s.opt.Storage.Kernels, Model: s.opt.Storage.Model,
		Log:       func(line string) { s.say("precond %s", line) },
		Stage:     func(text string) { s.opt.Stage(fmt.Sprintf("setting up %s: %s", v.kind, text)) },
		BlockSize: p.BlockSize, DropTol: cmp.Or(p.DropTol, v.dropTol), Fill: cmp.Or(p.Fill, v.fill), Overlap: p.Overlap,
		Worked: func(multiplications int64) {
			if multiplications < last { // it starts again
				total += float64(last)
			}
			last = multiplications
		},
	}
	if d, ok := precond.Lookup(v.kind); ok && budget > 0 && d.MaxWork > 0 {
		opt.MaxWork = budget / float64(s.nonzeros())
		if d.Kind == precond.AMG {
			opt.MaxWork *= d.MaxWork / firstBudget // which is for each product
		}
	}
	opt.Multigrid.KCycle, opt.Portable = p.KCycle, s.opt.Device != nil
	besides := held + s.uncounted(a) + s.kept.Bytes()
	if s.opt.MaxMemory > 0 {
		opt.MaxBytes = max(1, s.opt.MaxMemory-s.memory()-besides)
	}
	opt.Needs = func(bytes int64) { s.needed.note(v.kind, besides+bytes) }
	if !s.Method.transposes() { // otherwise there are two matrices
		opt.Kept = s.kept
	}
	if v.kind == precond.BlockJacobi && p.Kind == PrecondAuto && opt.BlockSize == 0 && s.hasNodes() && s.opt.Device == nil {
		opt.BlockSize = s.nodeSize() // more unknowns take more time, and fewer iterations only sometimes
	}
	if v.kind == precond.ILU0 && s.transports() {
		opt.Undivided = true
		s.say("precond ilu0: rows in one order: most couplings have a direction, which subdomains would break")
	}
	if v.kind == precond.ILU0 && s.diffuses() && !s.Method.transposes() {
		s.say("precond ilu0: relaxed by %g: most rows have the sum zero, and most couplings no direction", relaxation)
		opt.Relax, opt.Multigrid.NearNull = relaxation, s.nearNull(1)
	}
	if v.kind == precond.AMG {
		if opt.BlockSize == 0 {
			opt.BlockSize = s.nodeSize()
		}
		opt.Multigrid.NearNull = s.nearNull(opt.BlockSize)
	}
	if p.Epsilon == 0 || a.storage.Epsilon <= p.Epsilon {
		opt.Operator = a.relaxer
	}
	if j := s.job; j != nil {
		if s.Method.transposes() { // which overlap has not
			opt.Overlap = precond.OverlapNone
		}
		made, err = precond.NewDistributed(ownContext(ctx), v.kind, j.Matrix, m, opt, s.pool)
	} else {
		made, err = precond.New(ctx, v.kind, m, opt, s.pool)
	}
	return made, total + float64(last), err
}

// nearNull is the near-null space of the scaled matrix D_r A D_c, v becomes D_c^-1 v:
// as given, otherwise constants for nodes of that size.
func (s *Solver) nearNull(size int) [][]float64 {
	var space [][]float64
	for _, v := range s.opt.Precond.NearNull {
		if s.job != nil {
			whole := make([]float64, s.job.Len)
			s.job.Spread(whole, v)
			space = append(space, whole)
			continue
		}
		space = append(space, append([]float64(nil), s.Order.forth(v)...))
	}
	switch {
	case len(space) > 0:
	case s.job != nil:
		space = s.job.constants(size)
	default:
		space = precond.Constants(s.m.Rows, size)
	}
	for _, v := range space {
		for i := range v {
			v[i] = csr.Ldexp(v[i], -s.scaled.Col[i])
		}
	}
	return space
}
