package solve

import (
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
)

// DefaultEpsilon is the accuracy that the method's matrix is stored with at
// first.
const DefaultEpsilon = 0x1p-24

// PreconditionedEpsilon takes its place where a preconditioner leaves few iterations.
const PreconditionedEpsilon = 0x1p-53

// Storage is how the matrix that the method multiplies with is stored. The
// residuals of refinement and the verdict always use the matrix as given, so
// reduced precision costs refinement steps, never accuracy. In the zero value Set is
// AFX, without refinement FP64, which is plain CSR; Epsilon is DefaultEpsilon or
// PreconditionedEpsilon; and Criterion is NW for symmetric matrices, CW for others. See adaptive.Spec.
type Storage struct {
	Set               adaptive.Set       // of formats, such as adaptive.AFX or adaptive.FP64
	Epsilon           float64            // target accuracy, 2^-53 <= Epsilon < 1
	Criterion         adaptive.Criterion // what Epsilon is relative to
	Layout            adaptive.Layout    // in memory
	NoDrop            bool               // keeps elements that are smaller than the accuracy
	GuardBits         int                // extra bits for AFX: each halves its error
	PaperExact        bool               // intervals of formats as [Molina24] prints them; for reproduction only
	StorageArithmetic bool               // multiplies and adds heads of FP32 in FP32, not in FP64
	DD                bool               // products are with double-double vectors; the solver sets it
	Kernels           string             // name of the kernels of the whole solve on the host; "": the best of this processor
	Model             *adaptive.Model    // that layouts are chosen by; nil: the model of the kernels
}

// Plain reports whether nothing is to be gained or lost: FP64 throughout.
func (t Storage) Plain() bool { return t.Set.Uniform && t.Set.Name == "FP64" }

// WithDefaults fills in what was left open. Symmetric matrices get NW, after
// symmetric scaling: CW would store a_ij and a_ji differently.
func (t Storage) WithDefaults(symmetric, noRefine bool) Storage {
	switch {
	case len(t.Set.Formats) > 0:
	case noRefine:
		t.Set = adaptive.FP64
	default:
		t.Set = adaptive.AFX
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
func (t Storage) Spec(symmetric bool) adaptive.Spec {
	t = t.WithDefaults(symmetric, false)
	return adaptive.Spec{
		Set: t.Set, Epsilon: t.Epsilon, Criterion: t.Criterion, Layout: t.Layout, NoDrop: t.NoDrop, GuardBits: t.GuardBits,
		PaperExact: t.PaperExact, StorageArithmetic: t.StorageArithmetic, DD: t.DD, Kernels: kernels.Find(t.Kernels), Model: t.Model,
	}
}

// Same reports whether two storages are alike.
func (t Storage) Same(o Storage) bool {
	return t.Set.Name == o.Set.Name && t.Epsilon == o.Epsilon && t.DD == o.DD
}

// FP64 is plain CSR, or what is fastest in FP64 for double-double vectors.
func (t Storage) FP64() Storage {
	return Storage{Set: adaptive.FP64, Epsilon: adaptive.MinEpsilon, Criterion: t.Criterion, DD: t.DD}
}

// Wide is FP64 for double-double vectors.
func (t Storage) Wide() Storage {
	t.DD = true
	return t.FP64()
}

func (t Storage) String() string {
	if t.Plain() {
		return "FP64"
	}
	return t.Spec(false).String()
}
