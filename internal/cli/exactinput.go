package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// exactInput is the flag --exact-input, and the digits of the right-hand sides that float64 does not hold.
type exactInput struct {
	asked bool
	b     [][][]float64 // for each right-hand side of the file, the parts that are added to its float64
}

func (f *exactInput) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.asked, "exact-input", false, "with --digits above 15 or --x-bits: keep all digits of the files of A and b, not only their nearest float64")
}

// check returns an error if the flag does not suit the other options, which must be complete.
func (f *exactInput) check(s *solveFlags) error {
	switch {
	case !f.asked:
		return nil
	case s.opt.Digits <= solve.MaxDigits:
		return usage("--exact-input needs --digits %d or more, or --x-bits", solve.MaxDigits+1)
	case s.domains.count > 1:
		return usage("--exact-input needs --domains 1")
	}
	return nil
}

// input returns in, reading as many float64 for each value as the options need.
func (f *exactInput) input(in input, opt solve.Options) input {
	if f.asked {
		in.parts = min(options.Parts(opt), matrixmarket.MaxParts)
	}
	return in
}

// lowerParts returns the matrices that are added to the matrix of float64 to get the values of the file exactly.
func lowerParts(c *matrixmarket.Content) (parts []*csr.Matrix, err error) {
	for _, low := range c.Lower {
		m, err := low.CSR()
		if err != nil {
			return nil, err
		}
		parts = append(parts, m)
	}
	return parts, nil
}

// read reads right-hand sides of that many rows, and keeps their lower parts.
func (f *exactInput) read(ctx context.Context, in input, path string, rows int) (b [][]float64, err error) {
	in.check = ofLength(path, rightHandSide, int64(rows))
	content, err := in.read(ctx, path)
	if err != nil {
		return nil, err
	}
	columns, err := content.ColumnParts()
	if err != nil {
		return nil, &exitError{exitInput, fmt.Errorf("%s: %w", path, err)}
	}
	f.b = nil
	for _, parts := range columns {
		b, f.b = append(b, parts[0]), append(f.b, parts[1:])
	}
	return b, checkColumns(path, rightHandSide, b, func(name string, v []float64) error { return options.CheckVector(name, v, rows) })
}

// parts returns the float64 vectors whose sum is right-hand side k exactly; b is the first of them.
func (f *exactInput) parts(k int, b []float64) [][]float64 {
	all := [][]float64{b}
	if k < len(f.b) {
		all = append(all, f.b[k]...)
	}
	return all
}

// text says how many float64 hold a value exactly, given the number of lower parts of the matrix.
func (f *exactInput) text(lower int) string {
	text := fmt.Sprintf("input exact: each element of A is a sum of %d float64", 1+lower)
	if len(f.b) > 0 {
		text += fmt.Sprintf(", each element of b of %d", 1+len(f.b[0]))
	}
	return text
}
