package solver

import (
	"context"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// checkLower reports lower parts that differ in shape from the matrix, or that are invalid.
func checkLower(m *csr.Matrix, lower []*csr.Matrix) error {
	for _, part := range lower {
		if part.Rows != m.Rows || part.Cols != m.Cols {
			return options.Invalid("a lower part of %d x %d for a matrix of %d x %d", part.Rows, part.Cols, m.Rows, m.Cols)
		}
		if err := part.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// SolveParts is Solve for a right-hand side that is the sum of several parts, for an x of multiple precision. The first part is
// much larger than the others, which hold what a file has beyond float64.
func (s *Solver) SolveParts(ctx context.Context, b [][]float64, x0 []float64) (solve.Result, error) {
	for _, part := range b[1:] {
		if err := options.CheckVector("lower part of the right-hand side", part, s.M.Rows); err != nil {
			return solve.Result{}, err
		}
	}
	if len(b) > 1 && (!options.Precise(s.Opt) || s.special != nil || s.root != nil || s.Job != nil) {
		return solve.Result{}, &solve.InputError{Msg: fmt.Sprintf("a right-hand side of several parts is for more than %d digits of the x of a square matrix on one rank", solve.MaxDigits)}
	}
	s.LowerB = b[1:]
	defer func() { s.LowerB = nil }()
	return s.Solve(ctx, b[0], x0)
}
