package solver

import (
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A method is left at the first look that shows that its rate does not reach the goal within
// the budget, and not before; one that is nearly there may overdraw.
func TestProbe(t *testing.T) {
	for _, c := range []struct {
		name   string
		rate   func(k float64) float64 // the measure after k iterations
		budget float64                 // in iterations
		left   int                     // after so many; 0: never
	}{
		{"fast", func(k float64) float64 { return math.Pow(10, -k/20) }, 256, 0},
		{"in twice the budget", func(k float64) float64 { return math.Pow(10, -k/45) }, 256, 0},
		{"in four times the budget", func(k float64) float64 { return math.Pow(10, -k/100) }, 256, 32},
		{"no progress", func(float64) float64 { return 1 }, 256, 32},
		{"no progress, a larger budget", func(float64) float64 { return 1 }, 8000, 1000},
		{"worse", func(k float64) float64 { return 1 + k }, 256, 32},
		{"ever faster", func(k float64) float64 { return math.Pow(10, -k*k/1000) }, 256, 0},
		{"stalls", func(k float64) float64 { return math.Pow(10, -min(k, 64)/16) }, 256, 128},
		{"budget spent before", func(k float64) float64 { return math.Pow(10, -k/20) }, -100, 32},
		{"budget spent before, nearly there", func(k float64) float64 { return math.Pow(10, -k/5) }, -100, 0},
	} {
		const iteration = 1000.0
		p := choice.NewProbe(1, 1e-10, iteration, 0, c.budget*iteration)
		left := 0
		for k := 1; k <= 5000 && c.rate(float64(k)) > 1e-10; k++ {
			now := krylov.Progress{Iterations: k, Least: c.rate(float64(k))}
			first := p.Watch(now)
			if again := p.Watch(now); again != first {
				t.Errorf("%s: %v, asked again %v", c.name, first, again)
			}
			if first != krylov.Running {
				left = k
				break
			}
		}
		if left != c.left {
			t.Errorf("%s: left after %d iterations, want %d", c.name, left, c.left)
		}
	}
}

// Projections of GMRES count: long cycles cost more than short ones.
func TestProbeCountsProjections(t *testing.T) {
	p := choice.NewProbe(1, 1e-10, 10, 2, 1e4)
	if got := p.Work(5, 15); got != 80 {
		t.Errorf("5 iterations with 15 projections take %g", got)
	}
	now := krylov.Progress{Iterations: p.Look, Least: math.Pow(10, -float64(p.Look)/60)}
	if reason := choice.NewProbe(1, 1e-10, 10, 2, 1e4).Watch(now); reason != krylov.Running {
		t.Errorf("%v without projections", reason)
	}
	now.Projections = 1e6
	if reason := p.Watch(now); reason != krylov.Stagnation {
		t.Errorf("%v with a million projections", reason)
	}
}

// What an iteration takes: products, applications and vectors.
func TestIterationWork(t *testing.T) {
	const n, nnz, values = 10, 50, 200
	for _, c := range []struct {
		method solve.Method
		kind   precond.Kind
		want   float64
	}{
		{solve.CG, precond.None, nnz + 6*n},
		{solve.CG, precond.ICT, nnz + values + 6*n},
		{solve.BiCGStab, precond.ILU0, 2*(nnz+values) + 6*n},
		{solve.CG, precond.Chebyshev, 5*nnz + 6*n},
		{solve.CG, precond.AMG, nnz + 2*(nnz+values) + 6*n},
	} {
		v := float64(values)
		if c.kind == precond.None {
			v = 0
		}
		if got := choice.IterationWork(c.method, c.kind, n, nnz, v); got != c.want {
			t.Errorf("%s with %s: %g, want %g", c.method, c.kind, got, c.want)
		}
	}
}

// The probe of a correction that goes on from the one before looks where the probe before would have looked, with all
// their iterations.
func TestProbeGoesOn(t *testing.T) {
	newOne := func(from float64) *choice.Probe { return choice.NewProbe(from, 1e-10, 1000, 0, 256e3) }
	measure := func(k int) float64 { return math.Pow(10, -float64(k)/100) } // in four times the budget
	left, total := 0, 0
	var last *choice.Probe
	var done krylov.Result
	for correction := 0; correction < 10 && left == 0; correction++ {
		p := newOne(measure(total))
		if last != nil {
			p.GoOn(last, done)
		}
		for k := 1; k <= 18; k++ {
			if p.Watch(krylov.Progress{Iterations: k, Least: measure(total + k)}) != krylov.Running {
				left = total + k
				break
			}
		}
		last, done = p, krylov.Result{Iterations: 18}
		total += 18
	}
	if left != 32 {
		t.Errorf("left after %d iterations, want 32", left)
	}
	other := choice.NewProbeRun(1, 1e-10, 1000, 256e3)
	if other.GoOn(last, done); other.Before != 0 {
		t.Errorf("a probe run goes on from an attempt that is none: %+v", other.Lookout)
	}
}
