package solve

import (
	"cmp"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
)

// Storage says how to store the matrix that the method multiplies with. The residuals of refinement and the verdict always use the
// matrix as given, so reduced precision costs refinement steps, never accuracy. By default Set is adaptive.AFX, or adaptive.FP64 without
// refinement, which is plain CSR. Epsilon is 2^-24, or 2^-53 where the preconditioner leaves few iterations. Criterion is
// adaptive.NW for symmetric matrices and adaptive.CW for others. See adaptive.Spec.
type Storage struct {
	Set               adaptive.Set       // set of formats, such as adaptive.AFX or adaptive.FP64; adaptive.Sets lists all
	Epsilon           float64            // target accuracy, 2^-53 <= Epsilon < 1
	Criterion         adaptive.Criterion // what Epsilon is relative to
	Layout            adaptive.Layout    // in memory
	NoDrop            bool               // keeps elements that are smaller than the accuracy
	GuardBits         int                // extra bits for AFX: each halves its error
	PaperExact        bool               // takes the intervals of formats as [Molina24] prints them; for reproduction only
	StorageArithmetic bool               // multiplies and adds heads of FP32 in FP32, not in FP64
	DD                bool               // products are with double-double vectors; the solver sets it
	Kernels           string             // name of the kernels of the whole solve on the host; "": the best of this processor
	Model             *adaptive.Model    // model by which layouts are chosen; nil: the model of the kernels
}

// String describes the storage. What the storage leaves open has its default for a matrix that is not symmetric.
func (t Storage) String() string {
	if t.Set.Uniform && t.Set.Name == "FP64" {
		return "FP64"
	}
	if len(t.Set.Formats) == 0 {
		t.Set = adaptive.AFX
	}
	return adaptive.Spec{
		Set: t.Set, Epsilon: cmp.Or(t.Epsilon, 0x1p-24), Criterion: cmp.Or(t.Criterion, adaptive.CW), Layout: t.Layout, NoDrop: t.NoDrop,
		GuardBits: t.GuardBits, PaperExact: t.PaperExact, StorageArithmetic: t.StorageArithmetic, DD: t.DD, Model: t.Model,
	}.String()
}
