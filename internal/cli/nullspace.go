package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// nullSpaceFlags are the flags for the null space of a singular matrix.
type nullSpaceFlags struct{ right, left string }

// nullSpaceWords are the values of --nullspace other than files.
var nullSpaceWords = []string{string(solve.NullSpaceAuto), string(solve.NullSpaceNone), string(solve.NullSpaceConstant)}

func (f *nullSpaceFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.right, "nullspace", "auto", "null space of a singular matrix: auto (constants if every row sums to zero), none, constant (on each connected component) or a `file` whose columns span it; x is orthogonal to it")
	fl.StringVar(&f.left, "left-nullspace", "", "`file` whose columns span the null space of the transpose (default: computed)")
	completeWords(c, "nullspace", nullSpaceWords)
}

// given reports whether the null space is in a file.
func (f *nullSpaceFlags) given() bool { return !slices.Contains(nullSpaceWords, f.right) }

// files returns the input files.
func (f *nullSpaceFlags) files() []string {
	if f.given() {
		return []string{f.right, f.left}
	}
	return []string{f.left}
}

// check returns an error if the flags contradict each other.
func (f *nullSpaceFlags) check() error {
	if f.left != "" && !f.given() && f.right != string(solve.NullSpaceConstant) {
		return usage("--left-nullspace needs --nullspace constant or a file")
	}
	return nil
}

// read reads the null space of a matrix of n rows into opt.
func (f *nullSpaceFlags) read(ctx context.Context, in input, n int, opt *solve.Options) (err error) {
	opt.NullSpace.Kind = solve.NullSpaceKind(f.right)
	if f.given() {
		opt.NullSpace.Kind = solve.NullSpaceGiven
		if opt.NullSpace.Right, err = nullVectors(ctx, in, f.right, n); err != nil {
			return err
		}
	}
	if f.left != "" {
		opt.NullSpace.Left, err = nullVectors(ctx, in, f.left, n)
	}
	return err
}

// nullVectors reads the columns of a file, vectors of n elements.
func nullVectors(ctx context.Context, in input, path string, n int) ([][]float64, error) {
	columns, err := in.columns(ctx, path)
	if err != nil {
		return nil, err
	}
	if len(columns) == 0 {
		return nil, &exitError{exitInput, fmt.Errorf("%s: the file has no columns", path)}
	}
	for k, v := range columns {
		if err := options.CheckVector(fmt.Sprintf("vector in column %d", k+1), v, n); err != nil {
			return nil, &exitError{exitInput, fmt.Errorf("%s: %w", path, err)}
		}
	}
	return columns, nil
}
