package solve

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// DefaultEpsilon is the accuracy that the method's matrix is stored with at
// first.
const DefaultEpsilon = 0x1p-24

// PreconditionedEpsilon takes its place where a preconditioner leaves few iterations.
const PreconditionedEpsilon = 0x1p-53

// fewIterations reports whether few are expected with a preconditioner: it couples unknowns
// far from each other. The others leave hundreds.
func fewIterations(kind precond.Kind) bool {
	switch kind {
	case precond.None, precond.Jacobi, precond.BlockJacobi, precond.Chebyshev, precond.FSAI, precond.ISAI:
		return false
	}
	return true
}

// levels are the accuracies that a solve goes through when one does not
// suffice; after the last comes FP64.
var levels = []float64{0x1p-24, 0x1p-37, 0x1p-53}

// Storage is how the matrix that the method multiplies with is stored. The
// residuals of refinement and the verdict always use the matrix as given, so
// reduced precision costs refinement steps, never accuracy. In the zero value Set is
// AFX, without refinement FP64, which is plain CSR; Epsilon is DefaultEpsilon or
// PreconditionedEpsilon; and Criterion is NW for symmetric matrices, CW for others. Kernels are those
// of the whole solve on the host.
type Storage adaptive.Spec

// plain reports whether nothing is to be gained or lost: FP64 throughout.
func (t Storage) plain() bool { return t.Set.Uniform && t.Set.Name == "FP64" }

// withDefaults fills in what was left open. Symmetric matrices get NW, after
// symmetric scaling: CW would store a_ij and a_ji differently.
func (t Storage) withDefaults(symmetric, noRefine bool) Storage {
	switch {
	case len(t.Set.Formats) > 0:
	case noRefine:
		t.Set = lookup("FP64")
	default:
		t.Set = lookup("AFX")
	}
	if t.Epsilon == 0 {
		t.Epsilon = DefaultEpsilon
	}
	if t.Criterion == "" {
		t.Criterion = adaptive.CW
		if symmetric {
			t.Criterion = adaptive.NW
		}
	}
	return t
}

// Spec is the storage as pkg/adaptive wants it, with what was left open filled
// in for a matrix that is symmetric or not.
func (t Storage) Spec(symmetric bool) adaptive.Spec { return t.withDefaults(symmetric, false).spec() }

// Why an epsilon was chosen.
const (
	whyFine   = "few iterations are expected, for which bytes of products count less than refinement steps"
	whyCoarse = "many iterations are expected, for which bytes of products count most; refinement steps make up for it"
	whyPlain  = "complete factors are expected to leave too few products to repay storing"
	whyWide   = "what products with double-double vectors take are operations rather than bytes"
	whyCycles = "multigrid is expected to leave too few products to repay storing"
)

// storedPlain says that the matrix stays in FP64.
const storedPlain = "storage FP64: %s"

// storage is how the method's matrix is stored at first, and why. A refinement step takes some
// three products with the matrix as given, to replace the residual, where methods that restart
// lose more. The bytes that a coarse matrix saves in each iteration repay that where there are
// many. Where complete factors come first, or after a trial, and with multigrid, the matrix stays
// in FP64: storing it takes some twenty products, and saves half of each of forty.
func (s *Solver) storage(rungs []rung) (t Storage, why string) {
	t = s.opt.Storage
	switch {
	case s.opt.NoRefine || t.plain() || t.Epsilon != 0: // requested
	case s.fewProducts(rungs) && s.storageOpen():
		return Storage{}.withDefaults(s.Facts.Symmetric, false).fp64(), whyPlain
	case rungs[0].kind == precond.AMG && s.storageOpen():
		return Storage{}.withDefaults(s.Facts.Symmetric, false).fp64(), whyCycles
	case s.opt.Vectors.Kind == VectorsDD && s.storageOpen():
		return Storage{DD: true}.withDefaults(s.Facts.Symmetric, false).fp64(), whyWide
	case fewIterations(rungs[0].kind):
		t.Epsilon = PreconditionedEpsilon
		why = whyFine
	default:
		t.Epsilon = DefaultEpsilon
		why = whyCoarse
	}
	t.DD = s.opt.Vectors.Kind == VectorsDD
	return t.withDefaults(s.Facts.Symmetric, s.opt.NoRefine), why
}

// spares reports whether a rung lets the matrix in FP64 since storing it does not pay.
func (s *Solver) spares(rungs []rung) bool {
	return s.storageOpen() && s.opt.Vectors.Kind != VectorsDD &&
		(s.fewProducts(rungs) || slices.ContainsFunc(rungs, func(r rung) bool { return r.kind == precond.AMG }))
}

// storageOpen reports whether the options leave the storage to the rules.
func (s *Solver) storageOpen() bool {
	t := s.opt.Storage
	t.Kernels, t.Model = nil, nil
	return !s.opt.NoRefine && reflect.ValueOf(t).IsZero()
}

// lookup returns a set that exists.
func lookup(name string) adaptive.Set {
	s, err := adaptive.LookupSet(name)
	if err != nil {
		panic(err)
	}
	return s
}

// same reports whether two storages are alike.
func (t Storage) same(o Storage) bool {
	return t.Set.Name == o.Set.Name && t.Epsilon == o.Epsilon && t.DD == o.DD
}

// spec is the storage as pkg/adaptive wants it.
func (t Storage) spec() adaptive.Spec { return adaptive.Spec(t) }

// next is the storage to go on with when this one does not suffice: more
// accurate if that may be the reason, FP64 otherwise.
func (t Storage) next(reason krylov.Reason) Storage {
	if reason == krylov.Slow || reason == krylov.Indefinite {
		for _, eps := range levels {
			if eps < t.Epsilon && !t.Set.Uniform {
				return t.at(precision{Epsilon: eps})
			}
		}
	}
	return t.fp64()
}

// precision is how accurate a storage is.
type precision struct {
	Plain   bool // FP64
	Epsilon float64
}

// precision returns that of the storage.
func (t Storage) precision() precision { return precision{t.plain(), t.Epsilon} }

// at is the storage with another precision.
func (t Storage) at(p precision) Storage {
	switch {
	case p.Plain:
		return t.fp64()
	case t.plain(): // by the rules
		t = Storage{Epsilon: p.Epsilon, Criterion: t.Criterion, DD: t.DD}.withDefaults(false, false)
	case p.Epsilon == t.Epsilon:
		return t
	}
	t.Epsilon, t.GuardBits = p.Epsilon, 0
	t.NoDrop = t.NoDrop && t.spec().Validate() == nil
	return t
}

// fp64 is plain CSR, or what is fastest in FP64 for double-double vectors.
func (t Storage) fp64() Storage {
	return Storage{Set: lookup("FP64"), Epsilon: adaptive.MinEpsilon, Criterion: t.Criterion, DD: t.DD}
}

// wide is FP64 for double-double vectors.
func (t Storage) wide() Storage {
	t.DD = true
	return t.fp64()
}

func (t Storage) String() string {
	if t.plain() {
		return "FP64"
	}
	return t.spec().String()
}

// stored describes how the scaled matrix is stored.
type stored struct {
	storage Storage
	bytes   int64
	stats   adaptive.Stats  // zero if it is plain CSR
	layout  string          // in words
	kind    adaptive.Layout // "": none of one name
	slow    bool            // slower than FP64 CSR
	rows    int

	relaxer linop.Relaxer[vector, scalar] // the matrix for preconditioners that multiply with it; nil: not on the host
	source  *csr.Matrix                   // the scaled matrix, if it is kept as part of this
}

// lines describes what was stored, with a line for each format.
func (a stored) lines() []string {
	if a.storage.plain() {
		lines := []string{"precision FP64"}
		if a.layout != "" {
			lines = append(lines, "layout "+a.layout)
		}
		return lines
	}
	s := a.stats
	fp64 := csr.Bytes(int64(a.rows), int64(s.NNZ))
	lines := []string{fmt.Sprintf("precision %v: %.2f bytes per nonzero instead of %.2f, indices included; %.2f %% dropped",
		a.storage, s.PerNonzero(), float64(fp64)/float64(max(s.NNZ, 1)), 100*float64(s.Dropped)/float64(max(s.NNZ, 1)))}
	layout := a.layout
	if a.slow {
		layout += "; slower than FP64 CSR if rows are short (--formats FP64)"
	}
	lines = append(lines, "layout "+layout)
	for _, f := range s.Formats {
		lines = append(lines, fmt.Sprintf("format %-8s %11d nonzeros %5.1f %% %11d bytes",
			f.Format.Name, f.Count, 100*float64(f.Count)/float64(max(s.NNZ, 1)), f.Bytes))
	}
	return lines
}

// formats names what is in use.
func (a stored) formats() []string {
	if a.storage.plain() {
		return []string{"FP64"}
	}
	var names []string
	for _, f := range a.stats.Formats {
		names = append(names, f.Format.Name)
	}
	return names
}
