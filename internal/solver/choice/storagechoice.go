package choice

import (
	"reflect"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// FewIterations reports whether few are expected with a preconditioner: it couples unknowns
// far from each other. The others leave hundreds.
func FewIterations(kind precond.Kind) bool {
	switch kind {
	case precond.None, precond.Jacobi, precond.BlockJacobi, precond.Chebyshev, precond.FSAI, precond.ISAI:
		return false
	}
	return true
}

// Why an epsilon was chosen.
const (
	WhyFine   = "few iterations are expected, for which bytes of products count less than refinement steps"
	WhyCoarse = "many iterations are expected, for which bytes of products count most; refinement steps make up for it"
	WhyPlain  = "complete factors are expected to leave too few products to repay storing"
	whyWide   = "what products with double-double vectors take are operations rather than bytes"
	WhyCycles = "multigrid is expected to leave too few products to repay storing"
)

// StoredPlain says that the matrix stays in FP64.
const StoredPlain = "storage FP64: %s"

// Storage is how the method's matrix is stored at first, and why. A refinement step takes some
// three products with the matrix as given, to replace the residual, where methods that restart
// lose more. The bytes that a coarse matrix saves in each iteration repay that where there are
// many. Where complete factors come first, or after a probe run, and with multigrid, the matrix stays
// in FP64: storing it takes some twenty products, and saves half of each of forty.
func (s *System) Storage(fallbacks []Fallback) (t solve.Storage, why string) {
	t = s.Opt.Storage
	switch {
	case s.Opt.NoRefine || t.Plain() || t.Epsilon != 0: // requested
	case s.fewProducts(fallbacks) && s.StorageOpen():
		return solve.Storage{}.WithDefaults(s.Facts.Symmetric, false).FP64(), WhyPlain
	case fallbacks[0].Kind == precond.AMG && s.StorageOpen():
		return solve.Storage{}.WithDefaults(s.Facts.Symmetric, false).FP64(), WhyCycles
	case s.Opt.Vectors.Kind == solve.VectorsDD && s.StorageOpen():
		return solve.Storage{DD: true}.WithDefaults(s.Facts.Symmetric, false).FP64(), whyWide
	case FewIterations(fallbacks[0].Kind):
		t.Epsilon = solve.PreconditionedEpsilon
		why = WhyFine
	default:
		t.Epsilon = solve.DefaultEpsilon
		why = WhyCoarse
	}
	t.DD = s.Opt.Vectors.Kind == solve.VectorsDD
	return t.WithDefaults(s.Facts.Symmetric, s.Opt.NoRefine), why
}

// Spares reports whether a fallback lets the matrix in FP64 since storing it does not pay.
func (s *System) Spares(fallbacks []Fallback) bool {
	return s.StorageOpen() && s.Opt.Vectors.Kind != solve.VectorsDD &&
		(s.fewProducts(fallbacks) || slices.ContainsFunc(fallbacks, func(r Fallback) bool { return r.Kind == precond.AMG }))
}

// StorageOpen reports whether the options leave the storage to the rules.
func (s *System) StorageOpen() bool {
	t := s.Opt.Storage
	t.Kernels, t.Model = "", nil
	return !s.Opt.NoRefine && reflect.ValueOf(t).IsZero()
}
