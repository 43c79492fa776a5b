package choice

import (
	"cmp"
	"context"
	"fmt"
	"reflect"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// symmetric reports whether a preconditioner has to be symmetric, and may assume that the matrix is definite.
func (s *System) symmetric() bool {
	return s.scaledSymmetric() && (s.Method == solve.CG || s.Method == solve.MINRES || s.Facts.DiagonalSign() > 0)
}

// scaledSymmetric reports whether the scaled matrix is symmetric.
func (s *System) scaledSymmetric() bool {
	return s.Facts.Symmetric && (s.Scale == solve.ScaleSym || s.Scale == solve.ScaleNone)
}

// Precondition sets up a preconditioner of the scaled matrix m, which is stored as a for the method. budget limits the multiplications
// (0: no limit); held is the memory of other preconditioners, in bytes; work is the number of multiplications that the set-up took.
func (s *System) Precondition(
	ctx context.Context, m *csr.Matrix, v Variant, budget float64, held int64, a backend.Stored,
) (made precond.Preconditioner, work float64, err error) {
	p := s.Opt.Precond
	d, _ := precond.Lookup(v.Kind)
	if (d.Symmetric || d.Definite) && s.Facts.Symmetric && !s.scaledSymmetric() {
		return nil, 0, fmt.Errorf("%s: the matrix is symmetric, but not with scaling %s", v.Kind, s.Scale)
	}
	s.Opt.Stage(fmt.Sprintf("setting up %s", v.Kind))
	total, last := 2*float64(s.Nonzeros()), int64(0) // one pass at least
	opt := precond.Options{
		Epsilon: p.Epsilon, Symmetric: s.symmetric() || s.scaledSymmetric() && (v.Kind == precond.LDL || v.Kind == precond.Jacobi && p.Kind == solve.PrecondAuto), Kernels: s.Opt.Storage.Kernels, Model: s.Opt.Storage.Model,
		Log:       func(line string) { s.Say("precond %s", line) },
		Stage:     func(text string) { s.Opt.Stage(fmt.Sprintf("setting up %s: %s", v.Kind, text)) },
		BlockSize: p.BlockSize, Overlap: p.Overlap,
		Incomplete: precond.Incomplete{DropTol: cmp.Or(p.DropTol, v.DropTol), Fill: cmp.Or(p.Fill, v.Fill)},
	}
	opt.Worked = func(multiplications int64) {
		if multiplications < last { // it starts again
			total += float64(last)
		}
		last = multiplications
	}
	if budget > 0 && d.MaxWork > 0 {
		opt.MaxWork = budget / float64(s.Nonzeros())
		if d.Kind == precond.AMG || d.Kind == precond.Schur {
			opt.MaxWork *= d.MaxWork / rules.FirstBudget // multigrid's limit is for each product
		}
	}
	opt.Multigrid.KCycle, opt.Multigrid.Coarsening, opt.Portable = p.KCycle, p.Coarsening, s.backends() == onDevice
	besides := held + s.uncounted(a) + s.Kept.Bytes()
	if s.Opt.MaxMemory > 0 {
		opt.MaxBytes = max(1, s.Opt.MaxMemory-s.SolveBytes()-besides)
	}
	basis := s.BasisRoom(s.Method) // it is in held, but need not grow
	opt.Needs = func(bytes int64) { s.Needed.note(v.Kind, besides-basis+bytes) }
	if !rules.Transposes(s.Method) { // otherwise there are two preconditioners
		opt.Kept = s.Kept
	}
	if v.Kind == precond.BlockJacobi && p.Kind == solve.PrecondAuto && opt.BlockSize == 0 && s.HasNodes() && s.Opt.Device == nil {
		opt.BlockSize = s.NodeSize() // more unknowns take more time, and fewer iterations only sometimes
	}
	if v.Kind == precond.ILU0 && s.Transports() {
		opt.Undivided = true
		s.Say("precond ilu0: rows in one order: most couplings have a direction, which subdomains would break")
	}
	if v.Kind == precond.ILU0 && s.Diffuses() && !rules.Transposes(s.Method) {
		s.Say("precond ilu0: relaxed by %g: most rows have the sum zero, and most couplings no direction", rules.Relaxation)
		opt.Relax, opt.Multigrid.NearNull = rules.Relaxation, s.nearNull(1)
	}
	if v.Kind == precond.AMG {
		if opt.BlockSize == 0 {
			opt.BlockSize = s.NodeSize()
		}
		opt.Multigrid.NearNull = s.nearNull(opt.BlockSize)
	}
	if v.Kind == precond.Schur { // which finds the nodes of its fields
		opt.Multigrid.NearNull = s.nearNull(1)
	}
	if p.Epsilon == 0 || a.Storage.Epsilon <= p.Epsilon {
		opt.Operator = a.Relaxer
	}
	if j := s.Job; j != nil {
		if rules.Transposes(s.Method) { // overlap has no transpose
			opt.Overlap = precond.OverlapNone
		}
		made, err = precond.NewDistributed(ranks.OwnContext(ctx), v.Kind, j.Matrix, m, opt, s.Pool)
	} else {
		opt.Stiff = s.Bends
		made, err = precond.New(ctx, v.Kind, m, opt, s.Pool)
	}
	return made, total + float64(last), err
}

// nearNull returns the near-null space of the scaled matrix D_r A D_c, in which v becomes D_c^-1 v. It is as given in the options,
// or otherwise the constants for nodes of a size.
func (s *System) nearNull(size int) [][]float64 {
	var space [][]float64
	for _, v := range s.Opt.Precond.NearNull {
		if s.Job != nil {
			whole := make([]float64, s.Job.Len)
			s.Job.Spread(whole, v)
			space = append(space, whole)
			continue
		}
		space = append(space, append([]float64(nil), s.Order.Forth(v)...))
	}
	switch {
	case len(space) > 0:
	case s.Job != nil:
		space = s.Job.Constants(size)
	default:
		space = precond.Constants(s.M.Rows, size)
	}
	for _, v := range space {
		for i := range v {
			v[i] = dd.Ldexp(v[i], -s.Scaled.Col[i])
		}
	}
	return space
}

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
	WhyPlain  = "too few products are expected to repay storing it with fewer bytes"
	WhySmall  = "the matrix is small, so that bytes of products count less than refinement steps"
	whyRoom   = "a finer one has no room for so many guard bits"
	whyWide   = "what products with double-double vectors take are operations rather than bytes"
)

// StoredPlain says that the matrix stays in FP64.
const StoredPlain = "storage FP64: %s"

// Storage returns how the method's matrix is stored at first, and why. Replacing the residual in a refinement step takes some three
// products with the matrix as given, and methods that restart lose more. Where there are many iterations, the bytes that a coarse
// matrix saves in each repay that.
func (s *System) Storage(fallbacks []Fallback) (t solve.Storage, why string) {
	t = s.Opt.Storage
	plain := func(with solve.Storage) solve.Storage {
		return rules.FP64(rules.StorageWithDefaults(with, s.even(), false))
	}
	repays := s.Repays(fallbacks[0]) && !Favourite(fallbacks).Complete()
	switch {
	case s.Opt.NoRefine && repays && s.Opt.Device == nil && s.Opt.Vectors.Kind != solve.VectorsDD && !FewIterations(fallbacks[0].Kind) &&
		len(t.Set.Formats) == 0 && t.Layout == adaptive.LayoutAuto:
		t.Set = adaptive.Lossless
	case s.Opt.NoRefine || rules.Exact(t) || t.Epsilon != 0: // requested
	case s.Opt.Vectors.Kind == solve.VectorsDD && s.StorageOpen():
		return plain(solve.Storage{DD: true}), whyWide
	case !repays && s.StorageOpen():
		return plain(solve.Storage{}), WhyPlain
	default:
		t.Epsilon, why = s.EpsilonFor(fallbacks[0].Kind)
		if rules.Spec(t, s.even()).Validate() != nil {
			t.Epsilon, why = rules.DefaultEpsilon, whyRoom
		}
	}
	t.DD = s.Opt.Vectors.Kind == solve.VectorsDD
	return rules.StorageWithDefaults(t, s.even(), s.Opt.NoRefine), why
}

// EpsilonFor returns the accuracy with which the method's matrix is stored for a preconditioner, and why.
func (s *System) EpsilonFor(kind precond.Kind) (epsilon float64, why string) {
	switch {
	case FewIterations(kind):
		return rules.PreconditionedEpsilon, WhyFine
	case s.StorageOpen() && s.Opt.Device == nil && float64(s.Nonzeros()) <= rules.CachedNonzeros:
		return rules.PreconditionedEpsilon, WhySmall
	}
	return rules.DefaultEpsilon, WhyCoarse
}

// even reports whether errors relative to the norm of the matrix suit all rows: they are scaled to about the same size.
func (s *System) even() bool { return s.Facts.Symmetric || s.Opt.Scale != solve.ScaleNone }

// Repays reports whether the products of a fallback are expected to save more time than it takes to store the matrix with fewer bytes.
// On a device they are: products there wait for little else than bytes. With multigrid and complete factors, products are few.
func (s *System) Repays(r Fallback) bool {
	switch {
	case r.Complete() || r.Kind == precond.AMG || r.Kind == precond.CG32:
		return false
	case s.Opt.Device != nil:
		return true
	}
	products := rules.ManyProducts // of a preconditioner that is asked for: nothing is weighed
	if s.Opt.Precond.Kind == solve.PrecondAuto {
		m, _ := krylov.KindOf(string(r.Method))
		products = s.Workload().Bet(r).Iterations * float64(max(m.Products, 1))
	}
	nnz := float64(s.Nonzeros())
	return rules.SavedByStoring*products*nnz > rules.StoringProducts*nnz+rules.LayoutWork
}

// Spares reports whether a matrix stays in FP64 at first, and is stored for a later fallback that repays it.
func (s *System) Spares(first solve.Storage) bool {
	return s.StorageOpen() && rules.Plain(first) && s.Opt.Vectors.Kind != solve.VectorsDD
}

// StorageOpen reports whether the options leave the storage to the rules.
func (s *System) StorageOpen() bool {
	t := s.Opt.Storage
	t.Kernels, t.Model = "", nil
	return !s.Opt.NoRefine && reflect.ValueOf(t).IsZero()
}
