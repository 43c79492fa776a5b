package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// checkRHS checks the seed of random:SEED.
func checkRHS(rhs string) error {
	if text, ok := strings.CutPrefix(rhs, "random:"); ok {
		if _, err := strconv.ParseUint(text, 10, 64); err != nil {
			return usage("--rhs %s: the seed is not a whole number", rhs)
		}
	}
	return nil
}

// rightHandSides makes or reads the right-hand sides and describes them in r.
func (f *solveFlags) rightHandSides(ctx context.Context, in input, m *csr.Matrix, r *report.Report) ([][]float64, error) {
	r.RHS = f.rhs
	if f.rhs == "ones" {
		b, ones := generate.DefaultRHS(m)
		r.RHS = "b = A·ones"
		if !ones {
			r.RHS = "b = A·x, x random (seed 1), since A·ones is zero up to rounding"
		}
		return [][]float64{b}, nil
	}
	if text, ok := strings.CutPrefix(f.rhs, "random:"); ok {
		seed, err := strconv.ParseUint(text, 10, 64)
		r.RHS = fmt.Sprintf("b = A·x, x random (seed %d)", seed)
		return [][]float64{generate.RandomRHS(m, seed)}, err
	}
	b, err := in.columns(ctx, f.rhs)
	if err == nil && len(b) == 0 {
		err = &exitError{exitInput, fmt.Errorf("%s: the file has no columns", f.rhs)}
	}
	r.RHS = fmt.Sprintf("%d from %s", len(b), f.rhs)
	return b, err
}

// guesses returns an initial guess for each right-hand side, nil for none.
func (f *solveFlags) guesses(ctx context.Context, in input, count int) ([][]float64, error) {
	x0 := make([][]float64, count)
	if f.guess == "" {
		return x0, nil
	}
	columns, err := in.columns(ctx, f.guess)
	if err != nil {
		return nil, err
	}
	if len(columns) != 1 && len(columns) != count {
		return nil, &solve.InputError{Msg: fmt.Sprintf("%s has %d columns for %d right-hand sides; want 1 or %d",
			f.guess, len(columns), count, count)}
	}
	for k := range x0 {
		x0[k] = columns[min(k, len(columns)-1)]
	}
	return x0, nil
}

// columns reads a file of vectors.
func (in input) columns(ctx context.Context, path string) ([][]float64, error) {
	content, err := in.read(ctx, path)
	if err != nil {
		return nil, err
	}
	columns, err := content.Columns()
	if err != nil && !errors.Is(err, matrixmarket.ErrTooLarge) {
		err = &exitError{exitInput, fmt.Errorf("%s: %w", path, err)}
	}
	return columns, err
}
