package cli

import (
	"context"
	"io"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// writeCondition writes bounds of the eigenvalues and an estimate of the condition number, as far as there are any.
func writeCondition(ctx context.Context, w io.Writer, m *csr.Matrix, f csr.Facts, opt solve.Options) error {
	if f.Symmetric {
		low, high := m.Gershgorin()
		report.Line(w, "eigenvalues", "between %.3g and %.3g (Gershgorin's bounds, which hold)", low, high)
	}
	if f.Rows != f.Cols {
		report.Line(w, "condition", "not estimated: the matrix is not square")
		return nil
	}
	c, err := solve.Condition(ctx, m, opt)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		report.Line(w, "condition", "not known: %s", oneLine(err))
	default:
		report.Line(w, "condition", "about %.1e in the 1-norm (estimated from below by Hager and Higham's method; as read, without scaling)", c)
	}
	return nil
}
