package cli

import (
	"context"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// mostOrdered is the number of nonzeros up to which info finds an order for complete factors, which takes a microsecond or two for each.
const mostOrdered = 10_000_000

// forecastComplete forecasts complete factors of the kind that suits a matrix, within the memory that the run may have; nil where there are none.
func (r *solveRun) forecastComplete(ctx context.Context, m *csr.Matrix, f csr.Facts, pool *parallel.Pool) (*report.Complete, error) {
	if f.Rows != f.Cols || f.Rows == 0 || f.NonFinite > 0 || r.problem.domains() > 1 {
		return nil, nil
	}
	if f.NNZ > mostOrdered {
		return &report.Complete{Unknown: fmt.Sprintf("finding an order for more than %d nonzeros takes long", mostOrdered)}, nil
	}
	kind := precond.LU
	if f.Symmetric && f.DiagonalSign() != 0 {
		kind = precond.Cholesky
	}
	if kind == precond.Cholesky && f.DiagonalSign() < 0 { // solve takes -A
		negative := *m
		negative.Val = make([]float64, len(m.Val))
		for k, v := range m.Val {
			negative.Val[k] = -v
		}
		m = &negative
	}
	opt := precond.Options{Symmetric: f.Symmetric}
	if r.opt.MaxMemory > 0 {
		opt.MaxBytes = max(1, r.opt.MaxMemory-programBytes-4*m.Bytes()) // as read, scaled, stored, and -A
	}
	c, err := precond.ForecastComplete(ctx, kind, m, opt, pool)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return &report.Complete{Unknown: oneLine(err)}, nil
	}
	forecast := report.CompleteForecast(c)
	return &report.Complete{CompleteForecast: &forecast}, nil
}
