package cli

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/quantize"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
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
func predict(ctx context.Context, m *csr.Matrix, pool *parallel.Pool) (*sets, error) {
	here, err := model()
	if err != nil {
		return nil, err
	}
	var specs []adaptive.Spec
	s := new(sets)
	for _, e := range []string{"2^-53", "2^-37", "2^-24"} {
		epsilon, err := quantize.ParseEpsilon(e)
		if err != nil {
			return nil, err
		}
		for _, c := range adaptive.Criteria {
			s.columns = append(s.columns, e+" "+string(c))
			s.specs = append(s.specs, report.SpecBytes{Epsilon: epsilon, Criterion: string(c)})
			specs = append(specs, adaptive.Spec{Epsilon: epsilon, Criterion: c, Model: here})
		}
	}
	for _, set := range quantize.Sets() {
		row := report.Prediction{Set: set.Name}
		for _, spec := range specs {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			spec.Set = set
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
