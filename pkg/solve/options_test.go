package solve

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/pkg/krylov"
)

func TestOptionsValidate(t *testing.T) {
	for _, c := range []struct {
		opt    Options
		faults []string
	}{
		{Options{}, nil},
		{Options{Method: BiCGStab, Scale: ScaleRow, Stop: StopCW, Tol: 0.1, InnerTol: 0.1, MaxIter: 1, Restart: 1, Threads: 1, MaxMemory: 1 << 20}, nil},
		{Options{Method: "lu"}, []string{`unknown method "lu"`}},
		{Options{Scale: "x"}, []string{`unknown scaling "x"`}},
		{Options{Stop: "y"}, []string{`unknown stopping criterion "y"`}},
		{Options{Tol: 1}, []string{"tolerance 1 "}},
		{Options{Tol: math.NaN(), InnerTol: -1}, []string{"tolerance NaN", "inner tolerance -1"}},
		{Options{MaxIter: -1}, []string{"negative limit"}},
		{Options{Restart: -1}, []string{"negative limit"}},
		{Options{Threads: -1}, []string{"negative limit"}},
		{Options{MaxMemory: -1}, []string{"negative limit"}},
		{Options{Method: "a", Scale: "b", Stop: "c"}, []string{"method", "scaling", "criterion"}},
	} {
		err := c.opt.Validate()
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
		Properties struct{ Method struct{ Enum []Method } }
	}
	if err := json.Unmarshal(text, &schema); err != nil || !slices.Equal(schema.Properties.Method.Enum, Methods[1:]) {
		t.Errorf("%v, %v; want %v", schema.Properties.Method.Enum, err, Methods[1:])
	}
}

// The method alone: no second step, and what it says is what it did.
func TestNoRefine(t *testing.T) {
	m := grid(10, 0.2, 0)
	b := rhs(m, 1)
	for _, method := range []Method{BiCGStab, GMRES} {
		r := mustSolve(t, m, b, nil, Options{Method: method, NoRefine: true})
		if e := bigMeasure(StopRow, m, r.X, b); r.Reason != krylov.Converged || r.Outer != 1 || e > krylov.DefaultTol {
			t.Errorf("%s: %v after %d steps with error %g", method, r.Reason, r.Outer, e)
		}
	}
	indefinite := grid(12, 0, -2.5)
	b = rhs(indefinite, 1)
	var log logged
	r := mustSolve(t, indefinite, b, nil, log.options(Options{NoRefine: true}))
	if r.Reason != krylov.Indefinite || r.Method != "cg" || r.Outer != 1 || log.says("continuing") {
		t.Errorf("%v by %s after %d steps, log %q", r.Reason, r.Method, r.Outer, log.lines)
	}
	// A tolerance below what float64 holds: the recurrence claims it, the
	// verdict does not confirm it.
	hard := rescaled(grid(12, 0, -0.135), same(1), same(1))
	r = mustSolve(t, hard, random(3, hard.Rows), nil, Options{NoRefine: true, Method: CG, Stop: StopRel, Tol: 1e-15, Scale: ScaleNone})
	if e := bigMeasure(StopRel, hard, r.X, random(3, hard.Rows)); r.Reason.Converged() != (e <= 1e-15) {
		t.Errorf("%v with relative residual %g", r.Reason, e)
	}
}

// A loose inner tolerance takes several steps to the same goal.
func TestInnerTol(t *testing.T) {
	m := grid(15, 0.2, 0)
	b := rhs(m, 1)
	outer := map[float64]int{}
	for _, inner := range []float64{0, 1e-4, 0.1} {
		r := mustSolve(t, m, b, nil, Options{Precond: unpreconditioned, InnerTol: inner})
		if e := bigMeasure(StopRow, m, r.X, b); r.Reason != krylov.Converged || e > krylov.DefaultTol {
			t.Errorf("inner tolerance %g: %v with error %g", inner, r.Reason, e)
		}
		outer[inner] = r.Outer
	}
	if !(outer[0] < outer[1e-4] && outer[1e-4] < outer[0.1]) {
		t.Errorf("refinement steps by inner tolerance: %v", outer)
	}
}

func TestLimits(t *testing.T) {
	m := grid(20, 0.2, 0)
	b := rhs(m, 1)
	for _, method := range Methods {
		var events []krylov.Event
		r := mustSolve(t, m, b, nil, Options{Method: method, Precond: unpreconditioned, Scale: ScaleNone, InnerTol: 0.3, MaxIter: 9, Monitor: func(e krylov.Event) { events = append(events, e) }})
		if method != CG && r.Reason != krylov.IterationLimit || r.Iterations > 9 || len(events) != r.Iterations {
			t.Errorf("%s: %v after %d iterations and %d events", method, r.Reason, r.Iterations, len(events))
		}
		for k, e := range events {
			if e.Iteration != k+1 || e.Outer < 1 || e.Outer > r.Outer {
				t.Errorf("%s: event %d is %+v", method, k, e)
			}
		}
	}
	past, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	s := newSolver(t, m, Options{})
	x0 := random(5, m.Rows)
	r, err := s.Solve(past, b, x0)
	if err != nil || r.Reason != krylov.TimeLimit || !slices.Equal(r.X, x0) {
		t.Errorf("deadline in the past: %v, %v; the guess is kept: %v", r.Reason, err, slices.Equal(r.X, x0))
	}
	if e := bigMeasure(StopRow, m, x0, b); math.Abs(r.Errors.Row-e) > 1e-9*e {
		t.Errorf("the error is reported as %g, it is %g", r.Errors.Row, e)
	}
}

// Time runs out during the solve: x is much better than zero and measured.
func TestTimeLimitKeepsTheBest(t *testing.T) {
	m := grid(20, 0, 0)
	b := rhs(m, 1)
	for _, method := range []Method{CG, BiCGStab, GMRES} {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		s, err := New(t.Context(), m, Options{Method: method, Precond: unpreconditioned, Tol: 1e-13, Monitor: func(e krylov.Event) {
			if e.Iteration == 40 {
				cancel()
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(ctx, b, nil)
		s.Close()
		cancel()
		e := bigMeasure(StopRow, m, r.X, b)
		if err != nil || r.Reason != krylov.Interrupted || e > 1e-3 || math.Abs(e-r.Errors.Row) > 1e-6*e {
			t.Errorf("%s: %v, %v, error %g reported as %g", method, r.Reason, err, e, r.Errors.Row)
		}
	}
}

// A good guess saves iterations, an exact one all, and a guess is not written.
func TestGuess(t *testing.T) {
	m := grid(15, 0.2, 0)
	exact := random(6, m.Rows)
	b := make([]float64, m.Rows)
	m.MulVec(b, exact)
	from0 := mustSolve(t, m, b, nil, Options{})
	near := slices.Clone(exact)
	for i := range near {
		near[i] *= 1 + 1e-6*math.Sin(float64(i))
	}
	kept := slices.Clone(near)
	fromNear := mustSolve(t, m, b, near, Options{})
	if !fromNear.Reason.Converged() || fromNear.Iterations >= from0.Iterations || !slices.Equal(near, kept) {
		t.Errorf("%v after %d iterations, from zero %d", fromNear.Reason, fromNear.Iterations, from0.Iterations)
	}
	if r := mustSolve(t, m, b, exact, Options{}); r.Reason != krylov.Converged || r.Iterations != 0 || r.Outer != 0 {
		t.Errorf("exact guess: %v after %d iterations", r.Reason, r.Iterations)
	}
}
