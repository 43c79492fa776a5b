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

// exactInput is the flag that keeps the digits of files that float64 does not hold, and what they are.
type exactInput struct {
	asked bool
	b     [][][]float64 // lower parts of each right-hand side of a file
}

func (f *exactInput) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.asked, "exact-input", false, "with --digits above 15 or --x-bits: keep all digits of the files of A and b, not only their nearest float64")
}

// check checks what the flag is for, with options that are complete but for it.
func (f *exactInput) check(s *solveFlags) error {
	switch {
	case !f.asked:
		return nil
	case s.opt.Digits <= solve.MaxDigits:
		return usage("--exact-input: is for --digits %d and more, or --x-bits", solve.MaxDigits+1)
	case s.domains.count > 1:
		return usage("--exact-input: is for one domain")
	}
	return nil
}

// input is in with as many parts to a value as the options need.
func (f *exactInput) input(in input, opt solve.Options) input {
	if f.asked {
		in.parts = min(options.Parts(opt), matrixmarket.MaxParts)
	}
	return in
}

// lowerParts are the matrices of what a file has beyond float64.
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

// read reads right-hand sides of so many rows, and keeps their lower parts.
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

// parts are those of a right-hand side, b the first of them.
func (f *exactInput) parts(k int, b []float64) [][]float64 {
	all := [][]float64{b}
	if k < len(f.b) {
		all = append(all, f.b[k]...)
	}
	return all
}

// text says how much was kept.
func (f *exactInput) text(lower int) string {
	text := fmt.Sprintf("input exact: the elements of A are sums of %d float64", 1+lower)
	if len(f.b) > 0 {
		text += fmt.Sprintf(", those of b of %d", 1+len(f.b[0]))
	}
	return text
}
