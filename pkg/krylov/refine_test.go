package krylov

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// stage is what a scripted corrector does in one step on A = I: it leaves
// `left` of the residual and stops for that reason.
type stage struct {
	left       float64
	reason     Reason
	iterations int
}

// scripted is a Corrector for A = I that plays stages, the last one for ever,
// and takes down the order of events.
type scripted struct {
	stages      []stage
	escalations int // how many succeed
	calls       []string
	goals       []Goal
	record      bool
	agree       func(Reason) Reason
}

func (s *scripted) Correct(_ context.Context, d, r, _ []float64, goal Goal) Result {
	now := s.stages[0]
	s.agree = goal.Agree
	if len(s.stages) > 1 {
		s.stages = s.stages[1:]
	}
	for i, v := range r {
		d[i] = (1 - now.left) * v
	}
	if s.record {
		s.calls = append(s.calls, fmt.Sprintf("correct %.3g", goal.From))
		s.goals = append(s.goals, goal)
	}
	if goal.Monitor != nil {
		for k := range now.iterations {
			goal.Monitor(Event{Iteration: k + 1, Residual: now.left})
		}
	}
	return Result{Reason: now.reason, Iterations: now.iterations, Residual: now.left}
}

func (s *scripted) Escalate(reason Reason) bool {
	s.calls = append(s.calls, "escalate: "+reason.String())
	s.escalations--
	return s.escalations >= 0
}

func (*scripted) Patience(reduction float64) int { return DefaultPatience(reduction) }

func refinement(t testing.TB, n int) (*Refinement[[]float64, linop.Float64], linop.CSR) {
	t.Helper()
	pool := newPool(t, 1)
	return NewRefinement[[]float64, linop.Float64](linop.NewHost(n, pool)), linop.NewCSR(diagonal(constant(n, 1)...), pool)
}

func TestRefinementOrderOfEvents(t *testing.T) {
	ok := func(left float64) stage { return stage{left, Converged, 1} }
	for _, c := range []struct {
		name        string
		stages      []stage
		escalations int
		steps       int
		want        Reason
		outer       int
		measure     float64
		calls       string
	}{
		{"one step", []stage{ok(0)}, 0, 0, Converged, 1, 0, "correct 1"},
		{"steady", []stage{ok(0.1)}, 0, 0, Converged, 3, 1e-3, "correct 1, correct 0.1, correct 0.01"},
		{"slow once", []stage{ok(0.9), ok(0.001)}, 0, 0, Converged, 2, 9e-4, "correct 1, correct 0.9"},
		{"slow for good", []stage{ok(0.9)}, 0, 0, Stagnation, 2, 0.81, "correct 1, correct 0.9, escalate: slow refinement"},
		{"slow, then stronger", []stage{ok(0.9), ok(0.9), ok(0.001)}, 1, 0, Converged, 3, 8.1e-4, "correct 1, correct 0.9, escalate: slow refinement, correct 0.81"},
		{"worse, then stronger", []stage{ok(7), ok(-3), ok(0)}, 1, 0, Converged, 3, 0, "correct 1, correct 1, escalate: slow refinement, correct 1"},
		{"indefinite", []stage{{0.3, Indefinite, 1}, ok(0)}, 1, 0, Converged, 2, 0, "correct 1, escalate: not positive definite, correct 0.3"},
		{"indefinite, nothing stronger", []stage{{0.3, Indefinite, 1}}, 0, 0, Indefinite, 1, 0.3, "correct 1, escalate: not positive definite"},
		{"breakdown with progress", []stage{{0.3, Breakdown, 1}, {0.001, Breakdown, 1}}, 0, 0, Converged, 2, 3e-4, "correct 1, correct 0.3"},
		{"breakdown without", []stage{{0.9, Breakdown, 1}}, 1, 0, Breakdown, 2, 0.81, "correct 1, escalate: breakdown, correct 0.9, escalate: breakdown"},
		{"stagnation with progress", []stage{{0.01, Stagnation, 1}, {0.1, Stagnation, 1}}, 1, 0, Converged, 2, 1e-3, "correct 1, escalate: stagnation, correct 0.01"},
		{"stagnation with progress, nothing stronger", []stage{{0.1, Stagnation, 1}, {0.9, Stagnation, 1}}, 0, 0, Stagnation, 2, 0.09, "correct 1, escalate: stagnation, correct 0.1, escalate: stagnation"},
		{"NaN in the correction", []stage{{math.NaN(), NotFinite, 1}}, 0, 0, NotFinite, 1, 1, "correct 1, escalate: NaN or Inf"},
		{"divergence that helped", []stage{{0.0001, Divergence, 1}}, 0, 0, Converged, 1, 1e-4, "correct 1"},
		{"time limit", []stage{{0.2, TimeLimit, 1}}, 1, 0, TimeLimit, 1, 0.2, "correct 1"},
		{"interrupted", []stage{ok(0.1), {0.2, Interrupted, 1}}, 1, 0, Interrupted, 2, 0.02, "correct 1, correct 0.1"},
		{"time limit, but solved", []stage{{1e-4, TimeLimit, 1}}, 0, 0, Converged, 1, 1e-4, "correct 1"},
		{"one step allowed", []stage{ok(0.0001)}, 0, 1, Converged, 1, 1e-4, "correct 1"},
		{"drift", []stage{ok(0.01)}, 1, 1, Drift, 1, 0.01, "correct 1"},
		{"alone and indefinite", []stage{{0.5, Indefinite, 1}}, 1, 1, Indefinite, 1, 0.5, "correct 1"},
		{"two steps allowed", []stage{ok(0.1)}, 1, 2, Drift, 2, 0.01, "correct 1, correct 0.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, a := refinement(t, 3)
			f.MaxSteps = c.steps
			s := &scripted{stages: c.stages, escalations: c.escalations, record: true}
			x := []float64{9, 9, 9} // not a guess
			r := f.Solve(context.Background(), a, s, x, []float64{1, -0.5, 0.25}, hostOptions{Tol: 2e-3, Measure: distance})
			if r.Reason != c.want || r.Outer != c.outer || math.Abs(r.Measure-c.measure) > 1e-12 {
				t.Errorf("%v after %d steps with measure %g, want %v, %d, %g", r.Reason, r.Outer, r.Measure, c.want, c.outer, c.measure)
			}
			if got := strings.Join(s.calls, ", "); got != c.calls {
				t.Errorf("calls: %s\nwant:  %s", got, c.calls)
			}
			if e := math.Abs(1 - x[0]); math.Abs(e-r.Measure) > 1e-12 {
				t.Errorf("the measure of x is %g, the result says %g", e, r.Measure)
			}
			if r.Iterations != c.outer {
				t.Errorf("%d iterations in %d steps of one each", r.Iterations, c.outer)
			}
			for _, g := range s.goals {
				if g.To >= 2e-3 || g.To <= 0 {
					t.Errorf("a step aims at %g for a tolerance of 2e-3", g.To)
				}
			}
		})
	}
}

// Whatever corrections do, x is never worse than it was before.
func TestRefinementNeverGetsWorse(t *testing.T) {
	f, a := refinement(t, 2)
	x := []float64{0.75, 0}
	best := math.Inf(1)
	s := &scripted{stages: []stage{{5, Converged, 1}, {0.8, Converged, 1}, {-2, Breakdown, 1}, {math.Inf(1), NotFinite, 1}, {3, Divergence, 1}}, escalations: 4}
	r := f.Solve(context.Background(), a, s, x, []float64{1, 0}, hostOptions{
		Guess: true,
		Measure: func(_, r []float64) float64 {
			m := distance(nil, r)
			if m < best {
				best = m
			}
			return m
		},
	})
	if best != r.Measure || math.Abs(1-x[0]) != best || r.Reason.Converged() {
		t.Errorf("%v: the best x seen is off by %g, the result by %g, x by %g", r.Reason, best, r.Measure, math.Abs(1-x[0]))
	}
}

// A correction that makes x huge is taken back, though residuals are smaller then beside x. From a tiny x a solution may be as much larger.
func TestRefinementTakesBackHugeSteps(t *testing.T) {
	for _, c := range []struct {
		x, left float64
		taken   bool
	}{{1e-3, 1e9, false}, {1e-15, 0.5, true}} {
		f, a := refinement(t, 2)
		x := []float64{c.x, 0}
		s := &scripted{stages: []stage{{c.left, Converged, 1}}}
		r := f.Solve(context.Background(), a, s, x, []float64{1, 0}, hostOptions{
			Guess: true, MaxIter: 1,
			Measure: func(x, r []float64) float64 { return math.Abs(r[0]) / (1e9*math.Abs(x[0]) + 1) },
		})
		if taken := x[0] != c.x; taken != c.taken {
			t.Errorf("from %g: x is %g, %v", c.x, x[0], r.Reason)
		}
	}
}

// The limit holds for the iterations of all steps together, and the monitor
// sees one count.
func TestRefinementSharesItsBudget(t *testing.T) {
	f, a := refinement(t, 2)
	s := &scripted{stages: []stage{{0.4, Converged, 7}}, record: true}
	var iterations, outers []int
	r := f.Solve(context.Background(), a, s, make([]float64, 2), []float64{1, 1}, hostOptions{
		MaxIter: 30, Measure: distance,
		Monitor: func(e Event) {
			iterations, outers = append(iterations, e.Iteration), append(outers, e.Outer)
			if want := math.Pow(0.4, float64(e.Outer)); math.Abs(e.Estimate-want) > 1e-12 {
				t.Errorf("step %d: estimate %g, want %g", e.Outer, e.Estimate, want)
			}
		},
	})
	if r.Reason != IterationLimit || r.Iterations != 35 || r.Outer != 5 {
		t.Errorf("%v after %d iterations in %d steps", r.Reason, r.Iterations, r.Outer)
	}
	for k, g := range s.goals {
		if g.MaxIter != 30-7*k {
			t.Errorf("step %d may do %d iterations, want %d", k+1, g.MaxIter, 30-7*k)
		}
	}
	for k, it := range iterations {
		if it != k+1 {
			t.Fatalf("the monitor saw iterations %v", iterations)
		}
	}
	if !slices.IsSorted(outers) || outers[0] != 1 || outers[len(outers)-1] != 5 {
		t.Errorf("the monitor saw steps %v", outers)
	}
}

func TestRefinementStart(t *testing.T) {
	tiny := 1e-200
	for _, c := range []struct {
		name  string
		x, b  []float64
		guess bool
		want  Reason
		calls int
		x0    float64
	}{
		{"zero", []float64{3, 3}, []float64{0, 0}, false, ZeroRHS, 0, 0},
		{"zero with a guess", []float64{3, 3}, []float64{0, 0}, true, ZeroRHS, 0, 0},
		{"exact guess", []float64{1, 2}, []float64{1, 2}, true, Converged, 0, 1},
		{"guess", []float64{1, 1.5}, []float64{1, 2}, true, Converged, 1, 1},
		{"no guess", []float64{1, 2}, []float64{1, 2}, false, Converged, 1, 1},
		{"tiny", []float64{0, 0}, []float64{tiny, 2 * tiny}, false, Converged, 1, tiny},
		{"NaN", []float64{math.NaN(), 0}, []float64{1, 2}, true, NotFinite, 0, math.NaN()},
		{"NaN, not a guess", []float64{math.NaN(), 0}, []float64{1, 2}, false, Converged, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, a := refinement(t, 2)
			s := &scripted{stages: []stage{{0, Converged, 1}}, record: true}
			size := distance(nil, c.b)
			r := f.Solve(context.Background(), a, s, c.x, c.b, hostOptions{
				Guess: c.guess, Measure: func(_, r []float64) float64 { return distance(nil, r) / size },
			})
			if r.Reason != c.want || len(s.calls) != c.calls || c.x[0] != c.x0 && !math.IsNaN(c.x0) {
				t.Errorf("%v, corrections %v, x = %v", r.Reason, s.calls, c.x)
			}
		})
	}
}

func TestRefinementDoesNotAllocate(t *testing.T) {
	f, a := refinement(t, 5000)
	b, x := random(1, 5000), make([]float64, 5000)
	s := &scripted{stages: []stage{{0.1, Converged, 1}}}
	var r Result
	allocs := testing.AllocsPerRun(3, func() {
		r = f.Solve(context.Background(), a, s, x, b, hostOptions{Measure: distance})
	})
	if allocs != 0 || r.Reason != Converged || r.Outer < 5 {
		t.Errorf("%v allocations, %+v", allocs, r)
	}
}

// The reason that those who share a refinement agree on ends it.
func TestRefinementAgrees(t *testing.T) {
	f, a := refinement(t, 2)
	s, calls := &scripted{stages: []stage{{0.5, Converged, 1}}}, 0
	r := f.Solve(context.Background(), a, s, make([]float64, 2), []float64{1, 1}, hostOptions{
		Measure: distance,
		Agree: func(own Reason) Reason {
			if calls++; calls == 3 {
				return TimeLimit
			}
			return own
		},
	})
	if r.Reason != TimeLimit || r.Outer != 2 || r.Measure != 0.25 || s.agree == nil {
		t.Errorf("%+v", r)
	}
}

// twofold is the identity with residuals that are off by an error, and accurate ones, which it counts.
type twofold struct {
	linop.CSR
	off, bound float64
	accurate   int
}

func (a *twofold) Residual(r, b, x []float64) {
	a.accurate++
	a.CSR.Residual(r, b, x)
}

func (a *twofold) RoundedResidual(r, b, x []float64) {
	a.CSR.Residual(r, b, x)
	for i := range r {
		r[i] += a.off
	}
}

func (a *twofold) Roundings() float64 { return a.bound }

// Rounded residuals will do until their roundings are near the measure, or decide whether it is met.
func TestRoundedResiduals(t *testing.T) {
	for _, c := range []struct {
		name           string
		off, bound     float64
		left           []float64
		tol, measure   float64
		outer, precise int
	}{
		{"far above roundings", 1e-12, 1e-11, []float64{0.01, 0.01}, 1e-3, 1e-4, 2, 0},
		{"small", 1e-9, 1e-8, []float64{0.01, 1e-5}, 1e-3, 9.9e-8, 2, 1},
		{"wrongly met", -1e-7, 2e-7, []float64{0.5, 2.0001e-3, 0.1}, 1e-3, 1.00015e-4, 3, 2},
		{"wrongly missed", 1e-7, 2e-7, []float64{0.5, 1.9999e-3}, 1e-3, 0.99985e-3, 2, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, csr := refinement(t, 4)
			a := &twofold{CSR: csr, off: c.off, bound: c.bound}
			s := &scripted{}
			for _, left := range c.left {
				s.stages = append(s.stages, stage{left, Converged, 1})
			}
			x := make([]float64, 4)
			measure := func(_, r []float64) float64 { return math.Abs(r[0]) }
			r := f.Solve(t.Context(), a, s, x, constant(4, 1), Options[[]float64]{Tol: c.tol, Measure: measure})
			if r.Reason != Converged || r.Outer != c.outer || a.accurate != c.precise || math.Abs(r.Measure/c.measure-1) > 1e-5 {
				t.Errorf("%v after %d steps at %g with %d accurate residuals, want %d, %g, %d",
					r.Reason, r.Outer, r.Measure, a.accurate, c.outer, c.measure, c.precise)
			}
		})
	}
}
