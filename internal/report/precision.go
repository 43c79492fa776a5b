package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
)

// writePrecision says in which precision everything is: the method's matrix, or why it is in FP64, the preconditioner, the vectors, and the verification.
func (r *Report) writePrecision(w io.Writer) {
	var parts []string
	say := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	switch n := float64(r.Matrix.NNZ); {
	case len(r.Formats) == 0 || n == 0:
	case r.storage == "FP64":
		say("matrix in %s", r.fp64())
	case r.storage == adaptive.Lossless.Name:
		say("matrix %.1f of %.1f bytes a nonzero (exact)%s", float64(r.Bytes.Stored)/n, float64(r.Bytes.FP64CSR)/n, r.whyExact())
	default:
		say("matrix %.1f of %.1f bytes a nonzero (%s)", float64(r.Bytes.Stored)/n, float64(r.Bytes.FP64CSR)/n, r.storage)
	}
	switch p := r.Preconditioner; {
	case p.Bytes == 0:
	case p.Bytes < p.FP64Bytes:
		say("preconditioner %s (%s in FP64)", bytes(p.Bytes), bytes(p.FP64Bytes))
	default:
		say("preconditioner in FP64")
	}
	vectors := r.Vectors
	if n := len(r.Attempts); n > 0 {
		vectors = r.Attempts[n-1].Vectors
	}
	say("vectors %s", strings.NewReplacer("double", "FP64", "dd", "double-double").Replace(vectors))
	if r.Converged {
		say("x verified in double-double")
	}
	Line(w, "precision", "%s", strings.Join(parts, "; "))
}

// fp64 says why the method's matrix is in FP64, or in which layout and why in this one, if the solver did.
func (r *Report) fp64() string {
	if why := r.whyExact(); why != "" {
		return "FP64" + why
	}
	for _, line := range slices.Backward(r.Events) {
		if layout, is := strings.CutPrefix(line, "layout FP64"); is {
			return "FP64" + layout
		}
	}
	return "FP64"
}

// whyExact says why the method's matrix has no errors, if the solver did.
func (r *Report) whyExact() (why string) {
	before, _, _ := strings.Cut(choice.StoredPlain, "%")
	for _, line := range r.Events {
		if reason, is := strings.CutPrefix(line, before); is {
			why = ", since " + reason
		}
		if failed, is := strings.CutSuffix(line, ": continuing with "+r.storage); is {
			why = ", after " + failed
		}
	}
	return why
}
