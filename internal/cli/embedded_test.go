package cli

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

func embedded(t *testing.T, options ...string) *Embedded {
	t.Helper()
	e := NewEmbedded()
	for k := 0; k < len(options); k += 2 {
		if err := e.Set(options[k], options[k+1]); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(e.Close)
	return e
}

func plate(t *testing.T) (m *csr.Matrix, b []float64) {
	t.Helper()
	m, err := generate.Generate("poisson2d", generate.Params{"n": 12})
	if err != nil {
		t.Fatal(err)
	}
	ones := make([]float64, m.Cols)
	for k := range ones {
		ones[k] = 1
	}
	b = make([]float64, m.Rows)
	m.MulVec(b, ones)
	return m, b
}

// randomly returns a matrix with random numbers of its rows.
func randomly(m *csr.Matrix) *csr.Matrix {
	p := make(csr.Permutation, m.Rows)
	for k, v := range rand.New(rand.NewPCG(1, 2)).Perm(m.Rows) {
		p[k] = int32(v)
	}
	return m.Permuted(p, p.Inverse(), nil)
}

func TestEmbeddedSolves(t *testing.T) {
	m, b := plate(t)
	e := embedded(t, "tol", "1e-13", "method", "gmres", "max_time", "90s")
	if err := e.SetMatrix(m); err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		x := [][]float64{make([]float64, m.Cols), make([]float64, m.Cols)}
		if err := e.Solve(context.Background(), [][]float64{b, b}, [][]float64{nil, x[1]}, x); err != nil {
			t.Fatal(err)
		}
		for k := range x {
			for i, v := range x[k] {
				if math.Abs(v-1) > 1e-9 {
					t.Fatalf("round %d: x %d, element %d: %g, want 1", round, k, i, v)
				}
			}
		}
		var report struct {
			Method    string
			Matrix    struct{ File string }
			RHS       string
			Solutions []any
		}
		if err := errors.Join(validator(t, "report.schema.json")(string(e.Report())), json.Unmarshal(e.Report(), &report)); err != nil {
			t.Fatal(err)
		}
		if report.Method != "gmres" || report.Matrix.File != arrays || len(report.Solutions) != 2 || report.RHS != "2 from memory" {
			t.Errorf("round %d: report %+v", round, report)
		}
	}
}

// A program that makes a solver for each of many small systems needs no more memory, and collects no garbage for each.
func TestEmbeddedReleased(t *testing.T) {
	m, b := plate(t)
	once := func() weak.Pointer[Embedded] {
		e := NewEmbedded()
		defer e.Close()
		x := make([]float64, m.Cols)
		if err := errors.Join(e.SetMatrix(m), e.Solve(t.Context(), [][]float64{b}, [][]float64{nil}, [][]float64{x})); err != nil {
			t.Fatal(err)
		}
		return weak.Make(e)
	}
	var before, after runtime.MemStats
	prepareMemory(false)() // for the first solve, which would collect beside it
	solvers := []weak.Pointer[Embedded]{once()}
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 5 {
		solvers = append(solvers, once())
	}
	runtime.ReadMemStats(&after)
	if n := after.NumForcedGC - before.NumForcedGC; n > 0 {
		t.Errorf("%d collections in 5 solves", n)
	}
	runtime.GC()
	for k, s := range solvers {
		if s.Value() != nil {
			t.Errorf("solver %d is still in memory", k)
		}
	}
}

func TestEmbeddedUpdate(t *testing.T) {
	m, b := plate(t)
	e := embedded(t, "tol", "1e-13")
	x := [][]float64{make([]float64, m.Cols)}
	if err := e.Update(context.Background(), m); err == nil {
		t.Error("a matrix could be updated that is not there")
	}
	if err := e.SetMatrix(m); err != nil {
		t.Fatal(err)
	}
	for _, factor := range []float64{1, 4, 0.5} {
		now := m.Clone()
		for k := range now.Val {
			now.Val[k] *= factor
		}
		if err := e.Update(context.Background(), now); err != nil {
			t.Fatal(err)
		}
		if err := e.Solve(context.Background(), [][]float64{b}, [][]float64{nil}, x); err != nil {
			t.Fatal(err)
		}
		for i, v := range x[0] {
			if math.Abs(v*factor-1) > 1e-9 {
				t.Fatalf("factor %g: element %d is %g", factor, i, v)
			}
		}
	}
	skew := m.Clone()
	skew.Val[1] *= 1.5
	if err := e.Update(context.Background(), skew); err != nil {
		t.Fatal(err)
	}
	if err := e.Solve(context.Background(), [][]float64{b}, [][]float64{nil}, x); err != nil {
		t.Fatal(err)
	}
	var said report.Report
	if err := json.Unmarshal(e.Report(), &said); err != nil || said.Matrix.Symmetric || slices.ContainsFunc(said.Events, func(line string) bool { return strings.Contains(line, "the matrix is symmetric") }) {
		t.Errorf("the report is that of the matrix before: %v, %+v, %q", err, said.Matrix, said.Events)
	}
	other, err := generate.Generate("poisson2d", generate.Params{"n": 13})
	if err != nil {
		t.Fatal(err)
	}
	if code, _ := Code(e.Update(context.Background(), other)); code != exitInput {
		t.Errorf("another pattern: code %d", code)
	}
}

func TestEmbeddedErrors(t *testing.T) {
	m, b := plate(t)
	for _, c := range []struct {
		code    int
		words   string
		options []string // the last pair is wrong, which Set or a later call reports
	}{
		{exitUsage, "did you mean tol", []string{"tolerance", "1"}},
		{exitUsage, "argument of the solve", []string{"rhs", "b.mtx"}},
		{exitUsage, "want a number", []string{"tol", "x"}},
		{exitUsage, "did you mean cg", []string{"method", "cgg"}},
		{exitUsage, "--drop-tol", []string{"precond", "amg", "drop-tol", "0.1"}},
		{exitFailure, "memory", []string{"max-memory", "1kB"}},
		{exitNotConverged, "limit", []string{"max-iter", "2", "precond", "none"}},
	} {
		e := NewEmbedded()
		var err error
		for k := 0; k < len(c.options) && err == nil; k += 2 {
			err = e.Set(c.options[k], c.options[k+1])
		}
		if err == nil {
			err = e.SetMatrix(m)
		}
		if err == nil {
			err = e.Solve(context.Background(), [][]float64{b}, [][]float64{nil}, [][]float64{make([]float64, m.Cols)})
		}
		if code, text := Code(err); code != c.code || !strings.Contains(text, c.words) {
			t.Errorf("%q: code %d, %q; want %d and %q", c.options, code, text, c.code, c.words)
		}
		e.Close()
	}
}

// Each flag of solve is an option, which a wrong value leaves as it is, or has a reason why it is not.
func TestEmbeddedOptions(t *testing.T) {
	e := embedded(t)
	for _, name := range e.Options() {
		if why, known := notEmbedded[name]; known {
			t.Errorf("%s: an option, and none: %s", name, why)
		}
		value := e.command.Flags().Lookup(name).Value
		if before := value.String(); e.Set(name, "?") != nil && value.String() != before {
			t.Errorf("%s: a wrong value has made %s of %s", name, value, before)
		}
	}
	for name := range notEmbedded {
		if name != "help" && e.command.Flags().Lookup(name) == nil {
			t.Errorf("%s: no flag has this name", name)
		}
		if err := e.Set(name, "1"); err == nil {
			t.Errorf("%s could be set", name)
		}
	}
}

// Flags also come from a file of mpsolve tune, and the flags on the pages exist.
func TestEmbeddedConfig(t *testing.T) {
	m, b := plate(t)
	file := filepath.Join(t.TempDir(), "tune.yaml")
	if err := os.WriteFile(file, []byte("method: gmres\nprecond: jacobi\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	e := embedded(t, "config", file)
	if err := e.SetMatrix(m); err != nil {
		t.Fatal(err)
	}
	if err := e.Solve(context.Background(), [][]float64{b}, [][]float64{nil}, [][]float64{make([]float64, m.Cols)}); err != nil {
		t.Fatal(err)
	}
	if report := string(e.Report()); !strings.Contains(report, `"method":"gmres"`) || !strings.Contains(report, `"kind":"jacobi"`) {
		t.Errorf("report %.1500s", report)
	}
}

// The flags that answers.md and comparison.md name are flags of solve.
func TestFlagsOfPages(t *testing.T) {
	fl := NewEmbedded().command.Flags()
	for _, page := range []string{"answers.md", "comparison.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, m := range regexp.MustCompile(`--([a-z][a-z0-9-]*)([^a-z0-9:-]|$)`).FindAllStringSubmatch(string(text), -1) {
			if found++; fl.Lookup(m[1]) == nil && !slices.Contains([]string{"ntasks", "time", "signal"}, m[1]) { // flags of SLURM
				t.Errorf("%s: solve has no --%s", page, m[1])
			}
		}
		if found < 5 {
			t.Errorf("%s names %d flags", page, found)
		}
	}
}

func TestEmbeddedInterrupted(t *testing.T) {
	m, b := plate(t)
	e := embedded(t)
	if err := e.SetMatrix(m); err != nil {
		t.Fatal(err)
	}
	if err := e.SetUp(context.Background()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x := [][]float64{make([]float64, m.Cols)}
	if err := e.Solve(ctx, [][]float64{b}, [][]float64{nil}, x); err == nil || !strings.Contains(string(e.Report()), `"reason":"interrupted"`) {
		t.Errorf("error %v, report %.200s", err, e.Report())
	}
}
