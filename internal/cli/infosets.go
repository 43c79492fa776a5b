package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/reproduce/records"
	"github.com/spf13/cobra"
)

// sets has the sizes of a matrix in each of the papers' sets of formats, and the layouts that AFX would choose for it.
type sets struct {
	columns []string
	specs   []report.SpecBytes
	rows    []report.Prediction
	layouts []string // the layout with AFX, for each column
}

// writeLayouts writes each layout once, with the columns that have it.
func (s *sets) writeLayouts(w io.Writer) {
	for k, layout := range s.layouts {
		if slices.Contains(s.layouts[:k], layout) {
			continue
		}
		var columns []string
		for j, other := range s.layouts {
			if other == layout {
				columns = append(columns, s.columns[j])
			}
		}
		report.Line(w, "layout", "AFX %s: %s", strings.Join(columns, ", "), layout)
	}
}

// predict computes the bytes per nonzero of the matrix in every set of formats.
func predict(ctx context.Context, m *csr.Matrix, measure bool, pool *parallel.Pool) (*sets, error) {
	here, err := model(measure)
	if err != nil {
		return nil, err
	}
	var specs []adaptive.Spec
	s := new(sets)
	for _, e := range []string{"2^-53", "2^-37", "2^-24"} {
		epsilon, err := packed.ParseEpsilon(e)
		if err != nil {
			return nil, err
		}
		for _, c := range adaptive.Criteria {
			s.columns = append(s.columns, e+" "+string(c))
			s.specs = append(s.specs, report.SpecBytes{Epsilon: epsilon, Criterion: string(c)})
			specs = append(specs, adaptive.Spec{Epsilon: epsilon, Criterion: c, Model: here})
		}
	}
	for _, set := range packed.Sets() {
		row := report.Prediction{Set: set.Name}
		for _, spec := range specs {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			spec.Set = adaptive.Set(set)
			stats, err := adaptive.Predict(m, spec, pool)
			if err != nil {
				return nil, err
			}
			row.Stats = append(row.Stats, stats)
		}
		s.rows = append(s.rows, row)
	}
	afx, err := adaptive.LookupSet("AFX")
	if err != nil {
		return nil, err
	}
	for _, spec := range specs {
		spec.Set = afx
		_, text, err := adaptive.Choose(m, spec, pool)
		if err != nil {
			return nil, err
		}
		s.layouts = append(s.layouts, text)
	}
	return s, nil
}

// spyFlags say whether and where the pattern of the matrix is drawn.
type spyFlags struct {
	spy    bool
	output string
}

func (f *spyFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.spy, "spy", false, "draw where the matrix has entries")
	c.Flags().StringVarP(&f.output, "output", "o", "", "with --spy: draw into this `file` (.svg) instead of the terminal")
}

func (f *spyFlags) check(input string) error {
	switch {
	case f.output == "":
		return nil
	case !f.spy:
		return usage("--output %s: needs --spy", f.output)
	case !strings.HasSuffix(f.output, ".svg"):
		return usage("--output %s: want a name that ends in .svg", f.output)
	}
	return checkOutput("output", f.output, input)
}

// spyCells is the number of cells along the longer side of a figure.
const spyCells = 256

// draw draws the pattern into the file or, without one, to w.
func (f *spyFlags) draw(ctx context.Context, w io.Writer, file string, m *csr.Matrix) error {
	if f.output == "" {
		fmt.Fprintln(w)
		report.Spy(w, m)
		return nil
	}
	part := min(1, spyCells/float64(max(m.Rows, m.Cols)))
	high, wide := max(1, int(part*float64(m.Rows))), max(1, int(part*float64(m.Cols)))
	title := fmt.Sprintf("%s: %d x %d, %d %s", filepath.Base(file), m.Rows, m.Cols, m.NNZ(), english.PluralWord(m.NNZ(), "nonzero", "nonzeros"))
	err := writeFile(ctx, f.output, func(to io.Writer) error {
		return records.Spy(to, m.Density(high, wide), high, wide, m.Rows, m.Cols, title)
	})
	if err == nil {
		report.Line(w, "pattern", "drawn in %s", f.output)
	}
	return err
}
