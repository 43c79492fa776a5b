package solver

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

func TestOptionsValidate(t *testing.T) {
	for _, c := range []struct {
		opt    solve.Options
		faults []string
	}{
		{solve.Options{}, nil},
		{solve.Options{Method: solve.BiCGStab, Scale: solve.ScaleRow, Accuracy: solve.Accuracy{Stop: solve.StopCW, Tol: 0.1, InnerTol: 0.1}, Krylov: solve.Krylov{Restart: 1}, Limits: solve.Limits{MaxIter: 1, Threads: 1, MaxMemory: 1 << 20}}, nil},
		{solve.Options{Method: "lu"}, []string{`unknown method "lu"`}},
		{solve.Options{Scale: "x"}, []string{`unknown scaling "x"`}},
		{solve.Options{Accuracy: solve.Accuracy{Stop: "y"}}, []string{`unknown stopping criterion "y"`}},
		{solve.Options{Accuracy: solve.Accuracy{Tol: 1}}, []string{"tolerance 1 "}},
		{solve.Options{Accuracy: solve.Accuracy{Tol: math.NaN(), InnerTol: -1}}, []string{"tolerance NaN", "inner tolerance -1"}},
		{solve.Options{Limits: solve.Limits{MaxIter: -1}}, []string{"negative limit"}},
		{solve.Options{Krylov: solve.Krylov{Restart: -1}}, []string{"negative limit"}},
		{solve.Options{Limits: solve.Limits{Threads: -1}}, []string{"negative limit"}},
		{solve.Options{Limits: solve.Limits{MaxMemory: -1}}, []string{"negative limit"}},
		{solve.Options{Storage: solve.Storage{Epsilon: 2}}, []string{"epsilon 2"}},
		{solve.Options{Storage: solve.Storage{Epsilon: -1}}, []string{"accuracy -1"}},
		{solve.Options{Storage: solve.Storage{Epsilon: math.NaN()}}, []string{"NaN"}},
		{solve.Options{Storage: solve.Storage{Criterion: "mw"}}, []string{`unknown criterion "mw"`}},
		{solve.Options{Storage: solve.Storage{NoDrop: true}}, []string{"guard"}}, // AFX without a guard bit
		{solve.Options{Storage: solve.Storage{GuardBits: 40}}, []string{"guard"}},
		{solve.Options{Method: "a", Scale: "b", Accuracy: solve.Accuracy{Stop: "c"}}, []string{"method", "scaling", "criterion"}},
	} {
		err := options.Validate(c.opt)
		if (err != nil) != (len(c.faults) > 0) {
			t.Errorf("%+v: error %v", c.opt, err)
			continue
		}
		for _, f := range c.faults {
			if !strings.Contains(err.Error(), f) {
				t.Errorf("%+v: error %q does not say %q", c.opt, err, f)
			}
		}
		if _, newErr := New(t.Context(), grid(2, 0, 0), c.opt); (newErr != nil) != (err != nil) {
			t.Errorf("%+v: New says %v, Validate %v", c.opt, newErr, err)
		}
	}
}

// The schema of reports names the methods.
func TestMethodsInSchema(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "report.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties struct{ Method struct{ Enum []solve.Method } }
	}
	want := append(slices.Clone(options.Methods[1:]), special.SubstitutionMethod)
	if err := json.Unmarshal(text, &schema); err != nil || !slices.Equal(schema.Properties.Method.Enum, want) {
		t.Errorf("%v, %v; want %v", schema.Properties.Method.Enum, err, want)
	}
}

// The method alone: there is no second step, and the counts are those of the method.
func TestNoRefine(t *testing.T) {
	m := grid(10, 0.2, 0)
	for _, method := range []solve.Method{solve.BiCGStab, solve.GMRES} {
		if r := solved(t, m, rhs(m, 1), nil, solve.Options{Method: method, Krylov: solve.Krylov{NoRefine: true}}); r.Outer != 1 {
			t.Errorf("%s: %d steps", method, r.Outer)
		}
	}
	m = grid(12, 0, -2.5) // indefinite
	var log logged
	r := mustSolve(t, m, rhs(m, 1), nil, log.options(solve.Options{Krylov: solve.Krylov{NoRefine: true}}))
	if r.Reason != krylov.Indefinite || r.Method != "cg" || r.Outer != 1 || log.says("continuing") {
		t.Errorf("%v by %s after %d steps, log %q", r.Reason, r.Method, r.Outer, log.lines)
	}
	// A tolerance below what float64 holds: the recurrence claims it, the
	// verdict does not confirm it.
	m = grid(12, 0, -0.135)
	checked(t, m, random(3, m.Rows), nil, solve.Options{Krylov: solve.Krylov{NoRefine: true}, Method: solve.CG, Accuracy: solve.Accuracy{Stop: solve.StopRel, Tol: 1e-15}, Scale: solve.ScaleNone})
}

// A loose inner tolerance takes several steps to the same goal.
func TestInnerTol(t *testing.T) {
	m := grid(15, 0.2, 0)
	steps := 0
	for _, inner := range []float64{0, 1e-4, 0.1} {
		r := solved(t, m, rhs(m, 1), nil, solve.Options{Precond: unpreconditioned, Accuracy: solve.Accuracy{InnerTol: inner}})
		if r.Outer <= steps {
			t.Errorf("inner tolerance %g: %d steps, %d with a stricter one", inner, r.Outer, steps)
		}
		steps = r.Outer
	}
}
