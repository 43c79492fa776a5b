package lab

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
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

// TestSearch: the defaults come first, the best is significantly faster than they are, the methods suit the matrix, and
// the setting found solves the system as reported.
func TestSearch(t *testing.T) {
	for _, c := range []struct {
		kind    string
		params  generate.Params
		methods []string
	}{
		{"poisson2d", generate.Params{"n": 9}, []string{"cg", "gmres", "minres"}},
		{"convdiff2d", generate.Params{"n": 8}, []string{"bicgstab", "gmres", "idr"}},
		{"stokes2d", generate.Params{"n": 4}, []string{"bicgstab", "gmres", "minres"}},
	} {
		m, b := tuneSystem(t, c.kind, c.params)
		steps := 0
		var order []Setting
		r, err := TuneSearch(t.Context(), m, b, TuneOptions{Solve: solve.Options{Limits: solve.Limits{Threads: 2}}, Progress: func(s Step) {
			steps++
			order = append(order, s.Next)
		}})
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
			if !slices.Contains(c.methods, o.Method) || !(o.Error <= 1e-10) || o.SetUp+o.Solve != o.Total {
				t.Errorf("%s: %+v", c.kind, o)
			}
		}
		if runs != steps || len(seen) < 2 {
			t.Errorf("%s: %d runs in %d steps, methods %v", c.kind, runs, steps, seen)
		}
		if g := r.Gain(); r.Best == 0 && g != 1 || r.Best > 0 && (math.Abs(g/r.Rival.Gain-1) > 1e-12 || r.Rival.Trial != r.Best || !r.Rival.Significant()) {
			t.Errorf("%s: trial %d, gain %v, rival %+v", c.kind, r.Best, g, r.Rival)
		}
		if r.Rival.Trial > 0 && r.Rival.Pairs != turns {
			t.Errorf("%s: %+v", c.kind, r.Rival)
		}
		k := finalists // runs of a turn, and one more if the defaults are not among the fastest
		if !slices.Contains(order[len(order)-k:], Setting{}) {
			k++
		}
		last, before := order[len(order)-k:], slices.Clone(order[len(order)-2*k:len(order)-k])
		if slices.Reverse(before); !slices.Equal(last, before) || !slices.Contains(last, Setting{}) {
			t.Errorf("%s: not in turns: %v", c.kind, order[len(order)-2*k:])
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

// TestPaired: Student's own data ([Student08], the table of hours of sleep; t = 4.0621 with 9 degrees of freedom), and how often
// noise alone counts as a gain.
func TestPaired(t *testing.T) {
	of := func(logs []float64) (defaults, setting TuneTrial) {
		defaults.Total, setting.Total = 2*time.Second, time.Second
		for _, l := range logs {
			setting.turns = append(setting.turns, time.Second)
			defaults.turns = append(defaults.turns, time.Duration(math.Exp(l)*float64(time.Second)))
		}
		return defaults, setting
	}
	d, s := of([]float64{1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4})
	if p := paired(d, s, 1); p.Pairs != 10 || p.Gain != 2 || math.Abs(p.P-0.001416) > 1e-6 {
		t.Errorf("sleep: %+v", p)
	}
	if p := paired(d, s, 3); math.Abs(p.P-3*0.001416) > 3e-6 {
		t.Errorf("sleep, of three: %+v", p)
	}
	for _, c := range []struct {
		logs        []float64
		significant bool
	}{
		{nil, false},
		{[]float64{3}, false}, // a pair alone says nothing
		{[]float64{1, 1}, true},
		{[]float64{0, 0, 0, 0, 0, 0}, false},
		{[]float64{0.5, 0.6, 0.5, 0.4, 0.5, 0.5}, true},
		{[]float64{0.5, 0.6, -0.5, 0.4, -0.5, 0.5}, false},
		{[]float64{-1, -1, -1, -1, -1, -1}, false},
	} {
		d, s := of(c.logs)
		if p := paired(d, s, 3); p.Significant() != c.significant {
			t.Errorf("%v: %+v", c.logs, p)
		}
		if s.Total = d.Total * 96 / 100; paired(d, s, 3).Significant() {
			t.Errorf("%v: a gain of 4 %% counts", c.logs)
		}
	}
	random, count := rand.New(rand.NewPCG(1, 2)), 0
	const trials = 4000
	for range trials {
		var logs []float64
		for range turns {
			logs = append(logs, 0.3*(random.NormFloat64()-random.NormFloat64()))
		}
		if d, s := of(logs); paired(d, s, 1).Significant() {
			count++
		}
	}
	if share := float64(count) / trials; share < 0.035 || share > 0.065 { // 4 standard deviations
		t.Errorf("noise counts in %.3f of the cases, want 0.05", share)
	}
}

// TestDecide: a tie goes to the defaults, and without the defaults the fastest that passes wins.
func TestDecide(t *testing.T) {
	trial := func(least int, turns ...int) TuneTrial {
		r := TuneTrial{Passes: true, Total: time.Duration(least)}
		for _, v := range turns {
			r.turns = append(r.turns, time.Duration(v))
		}
		return r
	}
	none := TuneTrial{Total: 1}
	for _, c := range []struct {
		trials     []TuneTrial
		best, with int
	}{
		{nil, -1, 0},
		{[]TuneTrial{none, none}, -1, 0},
		{[]TuneTrial{trial(100)}, 0, 0},
		{[]TuneTrial{none, trial(90), trial(80)}, 2, 0},
		{[]TuneTrial{trial(100, 100, 101, 102), none, trial(50, 50, 51, 50)}, 2, 2},
		{[]TuneTrial{trial(100, 100, 101, 102), trial(60, 60, 61, 62), trial(50, 50, 51, 50)}, 2, 2},
		{[]TuneTrial{trial(100, 100, 101, 102), trial(50)}, 0, 1}, // not run in turns
		{[]TuneTrial{trial(100, 100, 300, 102), trial(99, 99, 101, 290)}, 0, 1},
		{[]TuneTrial{trial(100, 100, 101, 102), trial(110, 110, 111, 110), trial(120), trial(130), trial(140)}, 0, 1},
		{[]TuneTrial{trial(100, 100, 101, 102), trial(30, 30, 31), trial(40), trial(50), trial(60)}, 1, 1}, // the defaults are the last
	} {
		s := &tuneSearch{trials: c.trials}
		if best, rival := s.decide(); best != c.best || rival.Trial != c.with {
			t.Errorf("%v: %d, %+v", c.trials, best, rival)
		}
	}
}

// TestReserve: the search leaves time for the runs in turns, at most a third of what the defaults have left.
func TestReserve(t *testing.T) {
	for _, c := range []struct{ defaults, budget, search time.Duration }{{time.Hour, 100 * time.Hour, 76 * time.Hour}, {10 * time.Hour, 40 * time.Hour, 30 * time.Hour}} {
		s := &tuneSearch{opt: TuneOptions{Budget: c.budget, Slower: 1000}, start: time.Now(), trials: []TuneTrial{{Passes: true, Total: c.defaults}}}
		if got, last := s.limit(); got.Round(time.Hour) != c.search || !last {
			t.Errorf("%v of %v: %v, %v", c.defaults, c.budget, got, last)
		}
		s.turning = true
		if got, _ := s.limit(); got.Round(time.Hour) != c.budget {
			t.Errorf("in turns, %v", got)
		}
	}
}

// TestFellBack: a setting whose solve ended with something else does not pass; the defaults do.
func TestFellBack(t *testing.T) {
	at := Setting{Method: solve.CG, Precond: precond.ICT, Epsilon: 0x1p-24}
	good := func() (r solve.Result) {
		r.Reason, r.Method, r.Precond.Kind, r.Storage.Epsilon = krylov.Converged, "cg", precond.ICT, 0x1p-24
		r.Attempts, r.Errors.Row = make([]solve.Attempt, 1), 1e-12
		return r
	}
	for name, change := range map[string]func(r *solve.Result){
		"":                         func(*solve.Result) {},
		"another method":           func(r *solve.Result) { r.Method = "gmres" },
		"another preconditioner":   func(r *solve.Result) { r.Precond.Kind = precond.Jacobi },
		"no preconditioner":        func(r *solve.Result) { r.Precond.Kind = "" },
		"another precision":        func(r *solve.Result) { r.Storage.Epsilon = 0x1p-53 },
		"FP64":                     func(r *solve.Result) { r.Storage.Epsilon = 0 },
		"an attempt that was left": func(r *solve.Result) { r.Attempts = make([]solve.Attempt, 2) },
		"an error":                 func(r *solve.Result) { r.Errors.Row = 1.1e-10 },
		"no number":                func(r *solve.Result) { r.Errors.Row = math.NaN() },
	} {
		r := good()
		change(&r)
		trial, defaults := TuneTrial{Setting: at}, TuneTrial{}
		trial.fill(r, solve.Options{})
		defaults.fill(r, solve.Options{})
		if trial.Passes != (name == "") || (trial.Why == "") != (name == "") || !defaults.Passes {
			t.Errorf("%s: passes %v, %q; the defaults %v", name, trial.Passes, trial.Why, defaults.Passes)
		}
	}
	r := good()
	r.Reason, r.Errors.Row = krylov.Stagnation, 1
	defaults := TuneTrial{}
	if defaults.fill(r, solve.Options{}); defaults.Passes {
		t.Error("the defaults pass without converging")
	}
}

// TestDiverges: coarse storage of this matrix diverges, so that the solve goes on in FP64. Such a setting is not recommended.
func TestDiverges(t *testing.T) {
	m, b := tuneSystem(t, "wathen", generate.Params{"nx": 15, "ny": 15})
	r, err := TuneSearch(t.Context(), m, b, TuneOptions{Solve: solve.Options{Method: solve.CG, Precond: solve.Precond{Kind: precond.ICT}}})
	if err != nil || r.Best < 0 {
		t.Fatal(r.Best, err)
	}
	fell := 0
	for k, o := range r.Trials {
		if strings.HasPrefix(o.Why, "ended with cg, ict, drop 1e-05, FP64") {
			if fell++; o.Passes || o.Epsilon == 0 || k == r.Best {
				t.Errorf("%v: %+v", o.Setting, o)
			}
		}
	}
	if fell == 0 {
		t.Error("no setting fell back")
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
	zero := &csr.Matrix{Rows: 2, Cols: 2, RowPtr: []int64{0, 1, 1}, Col: []int32{0}, Val: []float64{0}}
	var input *solve.InputError
	if _, err := TuneSearch(t.Context(), zero, []float64{1, 1}, TuneOptions{}); !errors.As(err, &input) {
		t.Errorf("a matrix of zeros: %v", err)
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
