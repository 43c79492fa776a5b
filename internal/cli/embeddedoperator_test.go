package cli

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver"
)

// A solve with products alone has a report that follows the schema, with the verdict that the products allow.
func TestEmbeddedOperator(t *testing.T) {
	m, b := plate(t)
	validate := validator(t, "report.schema.json")
	for _, method := range []string{"auto", "cg", "bicgstab", "minres", "bicg", "idr", "lsqr"} {
		e := embedded(t, "method", method, "tol", "1e-11")
		last := math.Inf(1)
		a := solver.Operator{
			N:      m.Rows,
			Apply:  func(y, x []float64) error { m.MulVec(y, x); return nil },
			ApplyT: func(y, x []float64) error { m.MulVec(y, x); return nil },
			Show:   func(_ int, residual float64, _ []float64) { last = residual },
		}
		if err := e.SetOperator(a); err != nil {
			t.Fatal(err)
		}
		x := make([]float64, m.Cols)
		if err := e.Solve(context.Background(), [][]float64{b}, [][]float64{nil}, [][]float64{x}); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		for i, v := range x {
			if math.Abs(v-1) > 1e-8 {
				t.Fatalf("%s: element %d is %g, want 1", method, i, v)
			}
		}
		if err := validate(string(e.Report())); err != nil {
			t.Errorf("%s: %v\n%s", method, err, e.Report())
		}
		var report struct {
			Converged        bool
			Method           string
			BackwardError    struct{ Row *float64 } `json:"backward_error"`
			RelativeResidual float64                `json:"relative_residual"`
			Cautions         []string
		}
		if err := json.Unmarshal(e.Report(), &report); err != nil {
			t.Fatal(err)
		}
		if !report.Converged || report.BackwardError.Row != nil || report.RelativeResidual > 1e-11 || len(report.Cautions) != 1 || last > 1e-10 {
			t.Errorf("%s: %+v, last residual %g", method, report, last)
		}
	}
}

// Faults of operators, and options that need entries.
func TestEmbeddedOperatorErrors(t *testing.T) {
	m, b := plate(t)
	multiply := func(y, x []float64) error { m.MulVec(y, x); return nil }
	failure := errors.New("no more products")
	for _, c := range []struct {
		code    int
		words   string
		apply   solver.Product
		options []string
	}{
		{exitUsage, "precond needs the entries", multiply, []string{"precond", "amg"}},
		{exitUsage, "stop nw needs the entries", multiply, []string{"stop", "nw"}},
		{exitUsage, "--tol", multiply, []string{"tol", "2"}},
		{exitInput, "transposes", multiply, []string{"method", "bicg"}},
		{exitFailure, "memory", multiply, []string{"max-memory", "10MB", "restart", "100000"}},
		{exitNotConverged, "iteration limit", multiply, []string{"max-iter", "2"}},
		{exitNotConverged, "not symmetric", func(y, x []float64) error { m.MulVec(y, x); y[0] += 30 * x[m.Rows-1]; return nil }, []string{"method", "minres"}},
		{exitFailure, failure.Error(), func(_, _ []float64) error { return failure }, nil},
	} {
		e := embedded(t, c.options...)
		err := e.SetOperator(solver.Operator{N: m.Rows, Apply: c.apply})
		if err == nil {
			err = e.Solve(context.Background(), [][]float64{b}, [][]float64{nil}, [][]float64{make([]float64, m.Cols)})
		}
		if code, text := Code(err); code != c.code || !strings.Contains(text, c.words) {
			t.Errorf("%q: code %d, %q; want %d and %q", c.options, code, text, c.code, c.words)
		}
		if err := e.SetMatrix(m); err == nil {
			t.Errorf("%q: there could be a matrix besides the operator", c.options)
		}
	}
}
