package lab

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// tuneSystem makes a matrix with a right-hand side of ones.
func tuneSystem(t *testing.T, kind string, p generate.Params) (*csr.Matrix, []float64) {
	t.Helper()
	m, err := generate.Generate(kind, p)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := generate.DefaultRHS(m)
	return m, b
}

// TestSearch: the defaults come first, the best is the fastest that passes, the methods suit the matrix, and the
// setting found solves the system as reported.
func TestSearch(t *testing.T) {
	for _, c := range []struct {
		kind    string
		params  generate.Params
		methods []string
	}{
		{"poisson2d", generate.Params{"n": 9}, []string{"cg", "gmres"}},
		{"convdiff2d", generate.Params{"n": 8}, []string{"bicgstab", "gmres", "idr"}},
		{"stokes2d", generate.Params{"n": 4}, []string{"bicgstab", "gmres", "minres"}},
	} {
		m, b := tuneSystem(t, c.kind, c.params)
		steps := 0
		r, err := TuneSearch(t.Context(), m, b, TuneOptions{Solve: solve.Options{Limits: solve.Limits{Threads: 2}}, Progress: func(Step) { steps++ }})
		if err != nil || r.Best < 0 || !r.Complete {
			t.Fatalf("%s: best %d, complete %v, %v", c.kind, r.Best, r.Complete, err)
		}
		if (r.Trials[0].Setting != Setting{}) || r.Trials[0].Runs < 2 {
			t.Errorf("%s: the first trial is %v, %d runs", c.kind, r.Trials[0].Setting, r.Trials[0].Runs)
		}
		seen, runs, best := map[string]bool{}, 0, r.Trials[r.Best]
		settings := map[Setting]bool{}
		for _, o := range r.Trials {
			runs += o.Runs
			if settings[o.Setting] {
				t.Errorf("%s: %v twice", c.kind, o.Setting)
			}
			settings[o.Setting] = true
			if !o.Passes {
				if o.Why == "" {
					t.Errorf("%s: %v does not pass, without a reason", c.kind, o.Setting)
				}
				continue
			}
			seen[o.Method] = true
			if !slices.Contains(c.methods, o.Method) || !(o.Error <= 1e-10) || o.Total < best.Total || o.SetUp+o.Solve != o.Total {
				t.Errorf("%s: %+v", c.kind, o)
			}
		}
		if runs != steps || len(seen) < 2 {
			t.Errorf("%s: %d runs in %d steps, methods %v", c.kind, runs, steps, seen)
		}
		if g := r.Gain(); !(g >= 1) {
			t.Errorf("%s: gain %v", c.kind, g)
		}
		confirm(t, m, b, best)
	}
}

// confirm solves with a setting and judges x by package verify.
func confirm(t *testing.T, m *csr.Matrix, b []float64, best TuneTrial) {
	t.Helper()
	s, err := solver.New(t.Context(), m, best.Apply(solve.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Solve(t.Context(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := verify.Compute(m, r.X, b, nil); err != nil || r.Method != best.Method || !(e.Row <= 1e-10) {
		t.Errorf("%v: method %s, error %v", best.Setting, r.Method, e.Row)
	}
}

// TestBudget: without time there is no best trial, and no error.
func TestBudget(t *testing.T) {
	m, b := tuneSystem(t, "poisson2d", generate.Params{"n": 9})
	r, err := TuneSearch(t.Context(), m, b, TuneOptions{Budget: time.Nanosecond})
	if err != nil || len(r.Trials) != 0 || r.Best != -1 || r.Complete || !math.IsNaN(r.Gain()) {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestClock: a search uses its clock; here each reading advances the clock by an hour.
func TestClock(t *testing.T) {
	m, b := tuneSystem(t, "poisson2d", generate.Params{"n": 9})
	var calls atomic.Int64
	opt := TuneOptions{Solve: solve.Options{Method: solve.CG, Precond: solve.Precond{Kind: precond.Jacobi}}, Clock: func() time.Duration {
		return time.Duration(calls.Add(1)) * time.Hour
	}}
	r, err := TuneSearch(t.Context(), m, b, opt)
	if err != nil || r.Best < 0 || r.Trials[r.Best].Total%time.Hour != 0 || r.Trials[r.Best].Total == 0 {
		t.Errorf("best %d, %v", r.Best, err)
	}
}

// TestInterrupt: the result holds the trials so far.
func TestInterrupt(t *testing.T) {
	m, b := tuneSystem(t, "poisson2d", generate.Params{"n": 9})
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	r, err := TuneSearch(ctx, m, b, TuneOptions{Progress: func(s Step) {
		if len(s.Trials) == 3 {
			if s.Best() == nil {
				t.Error("nothing passes")
			}
			cancel(stop)
		}
	}})
	if !errors.Is(err, stop) || len(r.Trials) != 3 || r.Best < 0 || r.Complete {
		t.Errorf("%d trials, best %d, complete %v, %v", len(r.Trials), r.Best, r.Complete, err)
	}
}

// TestRestricted: the search leaves alone what the options fix.
func TestRestricted(t *testing.T) {
	m, b := tuneSystem(t, "poisson2d", generate.Params{"n": 9})
	r, err := TuneSearch(t.Context(), m, b, TuneOptions{Solve: solve.Options{Method: solve.GMRES, Precond: solve.Precond{Kind: precond.ILU0}, Accuracy: solve.Accuracy{Tol: 1e-6}}})
	if err != nil || r.Best < 0 {
		t.Fatal(err)
	}
	for _, o := range r.Trials {
		if o.Passes && (o.Method != "gmres" || o.Precond != "ilu0" || o.Error > 1e-6) {
			t.Errorf("%+v", o)
		}
	}
}

// TestUnsolvable: a system that cannot be solved as given is an error; a system on which nothing converges is not.
func TestUnsolvable(t *testing.T) {
	zero := &csr.Matrix{Rows: 2, Cols: 2, RowPtr: []int64{0, 1, 1}, Col: []int32{0}, Val: []float64{1}}
	var input *solve.InputError
	if _, err := TuneSearch(t.Context(), zero, []float64{1, 1}, TuneOptions{}); !errors.As(err, &input) {
		t.Errorf("a row of zeros: %v", err)
	}
	m, b := tuneSystem(t, "poisson2d", generate.Params{"n": 9})
	r, err := TuneSearch(t.Context(), m, b, TuneOptions{Solve: solve.Options{Limits: solve.Limits{MaxIter: 1}, Method: solve.CG, Precond: solve.Precond{Kind: precond.None}}})
	if err != nil || r.Best != -1 || len(r.Trials) == 0 || r.Trials[0].Passes {
		t.Errorf("best %d of %d, %v", r.Best, len(r.Trials), err)
	}
}

// TestSettings: what a setting sets, and its flags.
func TestSettings(t *testing.T) {
	s := Setting{Method: solve.CG, Precond: precond.ICT, DropTol: 1e-3, Fill: 30, Epsilon: 0x1p-24, Layout: "slots"}
	if got, want := s.String(), "--method cg --precond ict --drop-tol 0.001 --fill 30 --epsilon 2^-24 --layout slots"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	opt := s.Apply(solve.Options{Accuracy: solve.Accuracy{Tol: 1e-3}})
	if opt.Method != solve.CG || opt.Precond.Kind != precond.ICT || opt.Precond.DropTol != 1e-3 || opt.Precond.Fill != 30 ||
		opt.Storage.Epsilon != 0x1p-24 || opt.Storage.Layout != "slots" || opt.Tol != 1e-3 {
		t.Errorf("%+v", opt)
	}
	if got := (Setting{}).String(); got != "defaults" {
		t.Error(got)
	}
	if opt := (Setting{FP64: true}).Apply(solve.Options{}); opt.Storage.Set.Name != "FP64" {
		t.Errorf("%+v", opt.Storage)
	}
}
