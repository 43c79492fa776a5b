package choice

import (
	"reflect"
	"slices"

	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// FewIterations reports whether few iterations are expected with a preconditioner, since it couples unknowns far from each other. The
// other preconditioners leave hundreds of iterations.
func FewIterations(kind precond.Kind) bool {
	switch kind {
	case precond.None, precond.Jacobi, precond.BlockJacobi, precond.Chebyshev, precond.FSAI, precond.ISAI:
		return false
	}
	return true
}

// Why a storage was chosen.
const (
	WhyFine   = "few iterations are expected, for which bytes of products count less than refinement steps"
	WhyCoarse = "many iterations are expected, for which bytes of products count most; refinement steps make up for it"
	WhyPlain  = "complete factors are expected to leave too few products to repay storing"
	whyWide   = "what products with double-double vectors take are operations rather than bytes"
	WhyCycles = "multigrid is expected to leave too few products to repay storing"
)

// StoredPlain says that the matrix stays in FP64.
const StoredPlain = "storage FP64: %s"

// Storage returns how the method's matrix is stored at first, and why. Replacing the residual in a refinement step takes some three
// products with the matrix as given, and methods that restart lose more. Where there are many iterations, the bytes that a coarse
// matrix saves in each repay that. The matrix stays in FP64 with multigrid, and where complete factors come first or after a probe
// run: storing it takes as long as some twenty products, and would save half of each of forty.
func (s *System) Storage(fallbacks []Fallback) (t solve.Storage, why string) {
	t = s.Opt.Storage
	switch {
	case s.Opt.NoRefine || options.Plain(t) || t.Epsilon != 0: // requested
	case s.fewProducts(fallbacks) && s.StorageOpen():
		return options.FP64(options.StorageWithDefaults(solve.Storage{}, s.Facts.Symmetric, false)), WhyPlain
	case fallbacks[0].Kind == precond.AMG && s.StorageOpen():
		return options.FP64(options.StorageWithDefaults(solve.Storage{}, s.Facts.Symmetric, false)), WhyCycles
	case s.Opt.Vectors.Kind == solve.VectorsDD && s.StorageOpen():
		return options.FP64(options.StorageWithDefaults(solve.Storage{DD: true}, s.Facts.Symmetric, false)), whyWide
	case FewIterations(fallbacks[0].Kind):
		t.Epsilon = options.PreconditionedEpsilon
		why = WhyFine
	default:
		t.Epsilon = options.DefaultEpsilon
		why = WhyCoarse
	}
	t.DD = s.Opt.Vectors.Kind == solve.VectorsDD
	return options.StorageWithDefaults(t, s.Facts.Symmetric, s.Opt.NoRefine), why
}

// Spares reports whether a fallback leaves the matrix in FP64, since storing it does not pay.
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
