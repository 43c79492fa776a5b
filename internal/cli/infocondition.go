package cli

import (
	"context"
	"math"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// condition bounds the eigenvalues of a symmetric matrix and estimates the condition number of a square one.
func condition(ctx context.Context, m *csr.Matrix, f csr.Facts, opt solve.Options, pool *parallel.Pool) (*report.Condition, error) {
	c := new(report.Condition)
	if f.Symmetric && f.NonFinite == 0 {
		low, high := m.Gershgorin()
		c.Gershgorin = &report.Bounds{Low: low, High: high}
		if low, high, steps, err := features.Ritz(ctx, m, pool); err == nil && steps > 0 {
			c.Ritz, c.Steps = &report.Bounds{Low: low, High: high}, steps
		}
	}
	if f.Rows != f.Cols {
		c.Unknown, c.Estimate = "not estimated: the matrix is not square", report.Number(math.NaN())
		return c, nil
	}
	estimate, err := solver.Condition(ctx, m, opt)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		c.Unknown, estimate = "not known: "+oneLine(err), math.NaN()
	}
	c.Estimate = report.Number(estimate)
	return c, nil
}
