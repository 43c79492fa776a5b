package krylov

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

func TestGuess(t *testing.T) {
	a := grid(10, 0)
	exact, b := constant(a.Rows, 1), make([]float64, a.Rows)
	a.MulVec(b, exact)
	for _, m := range methods {
		t.Run(m.name, func(t *testing.T) {
			x := slices.Clone(exact)
			r := solveWith(t, m.name, a, x, b, hostOptions{Guess: true})
			if r.Reason != Converged || r.Iterations != 0 || !slices.Equal(x, exact) {
				t.Errorf("exact guess: %v after %d iterations", r.Reason, r.Iterations)
			}
			x[7] += 0.01
			r = solveWith(t, m.name, a, x, b, hostOptions{Guess: true, Tol: 1e-6})
			near := r.Iterations
			if r.Reason != Converged || trueResidual(t, a, x, b) > 1e-6 {
				t.Errorf("near guess: %v, residual %g", r.Reason, trueResidual(t, a, x, b))
			}
			copy(x, random(4, a.Rows)) // must not be looked at
			r = solveWith(t, m.name, a, x, b, hostOptions{Tol: 1e-6})
			y := make([]float64, a.Rows)
			solveWith(t, m.name, a, y, b, hostOptions{Tol: 1e-6})
			if !slices.Equal(x, y) {
				t.Error("without a guess the old x still matters")
			}
			if near == 0 || near > r.Iterations+20 && m.name != "gmres 1" && m.name != "lsqr" { // which take more for what is not smooth
				t.Errorf("%d iterations from a near guess, %d from zero", near, r.Iterations)
			}
			r = solveWith(t, m.name, a, x, make([]float64, a.Rows), hostOptions{Guess: true})
			if r.Reason != ZeroRHS || !slices.Equal(x, make([]float64, a.Rows)) {
				t.Errorf("b = 0 with a guess: %v, x = %v...", r.Reason, x[:3])
			}
			x[0] = math.NaN()
			if r = solveWith(t, m.name, a, x, b, hostOptions{Guess: true}); r.Reason != NotFinite {
				t.Errorf("NaN in the guess: %v", r.Reason)
			}
		})
	}
}

// No method does more iterations than it may, wherever in its cycle it is, and what it says
// of x is true there.
func TestIterationLimit(t *testing.T) {
	a := grid(10, 0)
	b := random(1, a.Rows)
	eachMethod(t, func(t *testing.T, v variant, async bool, solve solver) {
		for limit := 1; limit <= 25; limit++ {
			x, events := make([]float64, a.Rows), 0
			r := solve(t, context.Background(), v.name, a, x, b, hostOptions{
				Tol: 1e-14, MaxIter: limit,
				Monitor: func(e Event) {
					if events++; e.Iteration != events && !async {
						t.Errorf("event %d says iteration %d", events, e.Iteration)
					}
				},
			})
			if r.Reason == Stagnation && v.restarted() && r.Iterations <= limit {
				continue // its rate shows early that the limit is too low
			}
			if r.Reason != IterationLimit || r.Iterations != limit || events != limit && !async {
				t.Errorf("limit %d: %v after %d iterations, %d events", limit, r.Reason, r.Iterations, events)
			}
			if res := trueResidual(t, a, x, b); math.Abs(res-r.Residual) > 1e-10 {
				t.Errorf("limit %d: residual %g, claimed %g", limit, res, r.Residual)
			}
		}
	})
}

// inexact is the identity, but its residuals are those of 0.9 times it.
type inexact struct{ linop.CSR }

func (a inexact) Residual(r, b, x []float64) {
	for i := range r {
		r[i] = b[i] - 0.9*x[i]
	}
}

// Cycles of GMRES that end early, since their recurrence meets the target, but
// do not confirm it, count against the limit like others.
func TestIterationLimitBetweenCycles(t *testing.T) {
	pool := newPool(t, 1)
	for limit := 1; limit <= 4; limit++ {
		x := make([]float64, 3)
		method := NewGMRES[[]float64, linop.Float64](linop.NewHost(3, pool), GMRESOptions{})
		r := method.Solve(context.Background(), inexact{linop.NewCSR(diagonal(1, 1, 1), pool)}, x, []float64{1, 2, 3}, hostOptions{MaxIter: limit})
		if want := math.Pow(0.1, float64(limit)); r.Reason != IterationLimit || r.Iterations != limit || math.Abs(r.Residual-want) > 1e-14 {
			t.Errorf("limit %d: %v after %d iterations with residual %g, want %g", limit, r.Reason, r.Iterations, r.Residual, want)
		}
	}
}

func TestContext(t *testing.T) {
	a := grid(12, 0)
	b := random(1, a.Rows)
	past, cancelPast := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancelPast()
	cancelled, cancelNow := context.WithCancel(context.Background())
	cancelNow()
	eachMethod(t, func(t *testing.T, v variant, async bool, solve solver) {
		x := random(2, a.Rows)
		if r := solve(t, past, v.name, a, x, b, hostOptions{}); r.Reason != TimeLimit || r.Iterations != 0 {
			t.Errorf("deadline in the past: %v after %d iterations", r.Reason, r.Iterations)
		}
		if r := solve(t, cancelled, v.name, a, x, b, hostOptions{}); r.Reason != Interrupted || r.Iterations != 0 {
			t.Errorf("cancelled before: %v after %d iterations", r.Reason, r.Iterations)
		}
		if r := solve(t, past, v.name, a, x, constant(a.Rows, 0), hostOptions{}); r.Reason != ZeroRHS {
			t.Errorf("nothing to do after the deadline: %v", r.Reason)
		}
		at, late := 7, 0
		if async {
			late = 9 // a stride and one
		}
		soon, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		r := solve(t, soon, v.name, a, x, b, hostOptions{Monitor: func(e Event) {
			if e.Iteration >= at {
				<-soon.Done()
			}
		}})
		checkStopped(t, r, TimeLimit, at+late, trueResidual(t, a, x, b))

		ctx, stop := context.WithCancel(context.Background())
		r = solve(t, ctx, v.name, a, x, b, hostOptions{Monitor: func(e Event) {
			if e.Iteration >= at {
				stop()
			}
		}})
		checkStopped(t, r, Interrupted, at+late, trueResidual(t, a, x, b))
		if r.Iterations < at || r.Iterations != at && !async {
			t.Errorf("cancelled in iteration %d, stopped after %d", at, r.Iterations)
		}
	})
}

// checkStopped demands that a solve that was stopped keeps what it has.
func checkStopped(t *testing.T, r Result, want Reason, most int, residual float64) {
	t.Helper()
	if r.Reason != want || r.Iterations > most {
		t.Errorf("%v after %d iterations, want %v", r.Reason, r.Iterations, want)
	}
	if math.Abs(residual-r.Residual) > 1e-10 || r.Iterations >= 7 && residual > 0.9 {
		t.Errorf("residual %g, claimed %g after %d iterations", residual, r.Residual, r.Iterations)
	}
}

// A custom measure decides, be it stricter or laxer than the 2-norm.
func TestMeasure(t *testing.T) {
	a := grid(10, 0)
	b := random(1, a.Rows)
	size := relative(b)
	for _, m := range methods {
		iterations := map[float64]int{}
		for _, factor := range []float64{1e-3, 1, 1e3} {
			calls, x := 0, make([]float64, a.Rows)
			r := solveWith(t, m.name, a, x, b, hostOptions{
				Tol:     1e-6,
				Measure: func(_, r []float64) float64 { calls++; return factor * size(nil, r) },
			})
			res := trueResidual(t, a, x, b)
			if r.Reason != Converged || factor*res > 1.001e-6 {
				t.Errorf("%s, factor %g: %v, residual %g", m.name, factor, r.Reason, res)
			}
			if math.Abs(r.Measure-factor*res) > 1e-3*factor*res {
				t.Errorf("%s, factor %g: measure %g, want %g", m.name, factor, r.Measure, factor*res)
			}
			cycles := r.Iterations // GMRES takes it once a cycle
			if m.name != "gmres 1" {
				cycles /= 2
			}
			if calls == 0 || calls > 20+cycles {
				t.Errorf("%s, factor %g: the measure was taken %d times in %d iterations", m.name, factor, calls, r.Iterations)
			}
			iterations[factor] = r.Iterations
		}
		if !(iterations[1e-3] < iterations[1] && iterations[1] < iterations[1e3]) {
			t.Errorf("%s: iterations by factor %v", m.name, iterations)
		}
	}
}

// Measures that cannot be met, or are no number, never count as met; x and r stay what they
// are said to be when one is taken.
func TestMeasureThatIsNeverMet(t *testing.T) {
	a := grid(8, 0)
	b := random(1, a.Rows)
	for _, v := range []float64{1, math.NaN(), math.Inf(1)} {
		for _, m := range methods {
			for _, limit := range []int{11, 300} {
				x := make([]float64, a.Rows)
				r := solveWith(t, m.name, a, x, b, hostOptions{
					MaxIter: limit, Measure: func(_, _ []float64) float64 { return v },
				})
				if r.Reason.Converged() || r.Reason == Running || r.Iterations > limit {
					t.Errorf("%s: measure %v: %v after %d iterations", m.name, v, r.Reason, r.Iterations)
				}
				if res := trueResidual(t, a, x, b); math.Abs(res-r.Residual) > 1e-10 {
					t.Errorf("%s: measure %v: residual %g, claimed %g", m.name, v, res, r.Residual)
				}
			}
		}
	}
}

// Without a new least residual for a window of iterations, a method stagnates.
func TestStagnationWindow(t *testing.T) {
	var c convergence[[]float64]
	c.begin(context.Background(), hostOptions{}, 3, 1, 1)
	for k, rnorm := range []float64{0.5, 0.6, 0.4, 0.4, 0.5, 0.6} {
		c.step(rnorm)
		if stagnates := c.limit() == Stagnation; stagnates != (k == 5) {
			t.Errorf("iteration %d: stagnates %v", k+1, stagnates)
		}
	}
	if c.restart(nil, nil, 2); c.limit() != Running {
		t.Error("stagnates after a restart")
	}
}

func TestOptionsValidate(t *testing.T) {
	for _, c := range []struct {
		opt    hostOptions
		faults int
	}{
		{hostOptions{}, 0},
		{hostOptions{Tol: 0.5, MaxIter: 3}, 0},
		{hostOptions{Tol: 1}, 1},
		{hostOptions{Tol: math.NaN()}, 1},
		{hostOptions{Tol: -1, MaxIter: -1}, 2},
	} {
		err := c.opt.validate()
		if faults := strings.Count(fmt.Sprint(err), "krylov: "); faults != c.faults {
			t.Errorf("%+v: %d faults (%v), want %d", c.opt, faults, err, c.faults)
		}
	}
}

func TestReasonNames(t *testing.T) {
	seen := map[string]bool{}
	for r := IndefinitePreconditioner; r <= ZeroRHS; r++ {
		if seen[r.String()] || r.String() == "" {
			t.Errorf("reason %d is called %q", int(r), r)
		}
		seen[r.String()] = true
		if r.Converged() != (r == Converged || r == ZeroRHS) || (r.Advice() != "") != (r < 0) {
			t.Errorf("%v: converged %v, advice %q", r, r.Converged(), r.Advice())
		}
	}
	if s := Reason(99).String(); s != "reason 99" {
		t.Errorf("an unknown reason is %q", s)
	}
}

// sameResult compares all but the time.
func sameResult(a, b Result) bool {
	a.Orthogonalization, b.Orthogonalization = 0, 0
	return a == b
}

// A method that has solved other systems, some to the end and some not, solves
// the next one as a new method would.
func TestReuseGivesTheSameBits(t *testing.T) {
	pool := newPool(t, 1)
	for _, m := range methods {
		const n = 64
		space := linop.NewHost(n, pool)
		used := onHost(t, m.name, space)
		preconditioners := preconditionings(grid(8, 0), pool)
		for k, a := range []hostOperator{
			linop.NewCSR(grid(8, 0), pool), linop.NewCSR(shift(n), pool),
			linop.NewCSR(scaledBy(1e300, grid(8, 0)), pool), linop.NewCSR(grid(8, 0.3), pool),
		} {
			for seed := range uint64(6) {
				b, x, y := random(seed, n), make([]float64, n), make([]float64, n)
				opt := preconditioners[(seed+1)%4]
				opt.MaxIter = 200
				got := used.Solve(context.Background(), a, x, b, opt)
				want := onHost(t, m.name, space).Solve(context.Background(), a, y, b, opt)
				if !sameBits(x, y) || !sameResult(got, want) {
					t.Errorf("%s, system %d: %+v by a used method, %+v by a new one", m.name, k, got, want)
				}
			}
		}
	}
}

func TestRepeatedSolveDoesNotAllocate(t *testing.T) {
	a := grid(20, 0)
	b, x := random(1, a.Rows), make([]float64, a.Rows)
	for _, threads := range []int{1, 3} {
		pool := newPool(t, threads)
		for _, m := range methods {
			var op hostOperator = linop.NewCSR(a, pool)
			method := onHost(t, m.name, linop.NewHost(a.Rows, pool))
			for k, opt := range preconditionings(a, pool) {
				opt.MaxIter = 100
				opt.Measure = func(_, r []float64) float64 { return math.Abs(r[0]) + 1e-9 }
				var r Result
				allocs := testing.AllocsPerRun(3, func() { r = method.Solve(context.Background(), op, x, b, opt) })
				if allocs != 0 || r.Iterations < 20 {
					t.Errorf("%s, variant %d, %d threads: %v allocations in %d iterations", m.name, k, threads, allocs, r.Iterations)
				}
			}
		}
	}
}
