package krylov

import (
	"context"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Nobody waits for a scalar in between, the monitor hears of checks, and convergence is
// seen at most Stride + 1 iterations late.
func TestAsyncDoesNotWait(t *testing.T) {
	m := grid(24, 0.05)
	spd := grid(24, 0)
	b := random(1, m.Rows)
	for _, c := range []struct {
		name  string
		waits int // at the start, to confirm, and for a cycle
	}{{"cg", 4}, {"bicgstab", 4}, {"gmres full cgs2", 6}} {
		for k, opt := range preconditionings(spd, newPool(t, 1))[:2] {
			a := m
			if c.name == "cg" {
				a = spd
			}
			space, x := newDistant(t, a.Rows), make([]float64, a.Rows)
			host := solveWith(t, c.name, a, make([]float64, a.Rows), b, opt)
			seen := firstSeen(t, c.name, a, b, opt, host.Iterations, space.stride)
			events, last := 0, 0
			opt.Monitor = func(e Event) {
				if events++; e.Iteration <= last {
					t.Errorf("%s: iteration %d after %d", c.name, e.Iteration, last)
				}
				last = e.Iteration
			}
			r := solveDistant(t, context.Background(), space, c.name, a, x, b, opt)
			if r.Reason != Converged || r.Iterations < host.Iterations || r.Iterations > seen+1 || host.Iterations < 20 {
				t.Errorf("%s, variant %d: %v after %d iterations, the host needs %d, seen at %d", c.name, k, r.Reason, r.Iterations, host.Iterations, seen)
			}
			if space.waits > c.waits || space.checks > r.Iterations/space.stride+2 {
				t.Errorf("%s, variant %d: %d waits and %d checks in %d iterations", c.name, k, space.waits, space.checks, r.Iterations)
			}
			if c.name != "gmres full cgs2" && events > space.checks || events == 0 {
				t.Errorf("%s, variant %d: %d events at %d checks", c.name, k, events, space.checks)
			}
			checkHonest(t, r, trueResidual(t, a, x, b), DefaultTol)
			if math.Abs(trueResidual(t, a, x, b)-r.Residual) > 1e-13 {
				t.Errorf("%s, variant %d: residual %g, claimed %g", c.name, k, trueResidual(t, a, x, b), r.Residual)
			}
		}
	}
}

// firstSeen is the first check, of every stride iterations, that finds the residual small enough
// after it has been so once: that of BiCGStab may rise again in between.
func firstSeen(t *testing.T, name string, a *csr.Matrix, b []float64, opt hostOptions, once, stride int) (seen int) {
	t.Helper()
	opt.Tol = 1e-4 * DefaultTol
	opt.Monitor = func(e Event) {
		if seen == 0 && e.Iteration >= once && e.Iteration%stride == 0 && e.Residual <= DefaultTol {
			seen = e.Iteration
		}
	}
	solveWith(t, name, a, make([]float64, a.Rows), b, opt)
	if seen == 0 {
		return once + stride // of the end of a cycle
	}
	return seen
}

// After a fault, x is that of the last sound check, with a residual as small as it was.
// Faults that nothing stands behind cost iterations, and do no harm.
func TestAsyncFaults(t *testing.T) {
	m := grid(24, 0)
	b := random(1, m.Rows)
	for _, name := range []string{"cg", "bicgstab", "gmres full cgs2"} {
		for _, trouble := range []func(check int) bool{
			func(check int) bool { return check == 4 },
			func(check int) bool { return check%2 == 0 },
		} {
			space, x, last := newDistant(t, m.Rows), make([]float64, m.Rows), math.Inf(1)
			space.trouble = trouble
			r := solveDistant(t, context.Background(), space, name, m, x, b, hostOptions{Monitor: func(e Event) {
				if e.Residual > 20*last {
					t.Errorf("%s: residual %g after %g in iteration %d", name, e.Residual, last, e.Iteration)
				}
				last = e.Residual
			}})
			if r.Reason != Converged || space.checks < 4 {
				t.Errorf("%s: %v after %d iterations and %d checks", name, r.Reason, r.Iterations, space.checks)
			}
			checkHonest(t, r, trueResidual(t, m, x, b), DefaultTol)
		}
	}
}

// A fault at every check takes more rewinds than BiCGStab may start again.
func TestAsyncFaultsAtEveryCheck(t *testing.T) {
	m := grid(24, 0)
	for _, name := range []string{"cg", "bicgstab"} {
		space := newDistant(t, m.Rows)
		space.stride = 1
		space.trouble = func(int) bool { return true }
		r := solveDistant(t, context.Background(), space, name, m, make([]float64, m.Rows), random(1, m.Rows), hostOptions{Tol: 1e-14})
		if r.Reason != Converged || space.checks <= maxRestarts {
			t.Errorf("%s: %v after %d iterations and %d checks", name, r.Reason, r.Iterations, space.checks)
		}
	}
}

// With a flexible preconditioner, or if that is asked for, every step is judged at once; the next solve is as ever.
func TestAsyncFlexible(t *testing.T) {
	m := grid(24, 0)
	a := linop.NewCSR(m, newPool(t, 1))
	for _, name := range []string{"cg", "bicgstab"} {
		space, b := newDistant(t, m.Rows), random(1, m.Rows)
		method := create[[]float64, late[linop.Float64]](t, name, space)
		for _, opt := range []hostOptions{preconditionings(m, newPool(t, 1))[2], {Prompt: true}, {}} {
			atOnce := opt.Flexible || opt.Prompt
			events, x := 0, make([]float64, m.Rows)
			opt.Monitor = func(Event) { events++ }
			r := method.Solve(context.Background(), far[[]float64, linop.Float64]{a, space}, x, b, opt)
			if r.Reason != Converged || (events == r.Iterations) != atOnce || (space.checks == 0) != atOnce {
				t.Errorf("%s: %v, %d iterations, %d events, %d checks", name, r.Reason, r.Iterations, events, space.checks)
			}
		}
	}
}

// spoiled is an operator whose product of that number has a NaN, which its inner product
// does not show yet.
type spoiled struct {
	far[[]float64, linop.Float64]
	products *int
	number   int
}

func (a spoiled) ApplyDot(dst, src, w []float64) late[linop.Float64] {
	s := a.far.ApplyDot(dst, src, w)
	if *a.products++; *a.products == a.number {
		dst[0] = math.NaN()
	}
	return s
}

// A norm that is not finite at a check without a fault is not shown, and does no harm.
func TestAsyncNormNotFinite(t *testing.T) {
	m := grid(24, 0)
	space, x, b, n := newDistant(t, m.Rows), make([]float64, m.Rows), random(1, m.Rows), 0
	a := spoiled{far[[]float64, linop.Float64]{linop.NewCSR(m, newPool(t, 1)), space}, &n, 2 * space.stride}
	r := create[[]float64, late[linop.Float64]](t, "cg", space).Solve(context.Background(), a, x, b, hostOptions{Monitor: func(e Event) {
		if !finite(e.Residual) {
			t.Errorf("residual %g in iteration %d", e.Residual, e.Iteration)
		}
	}})
	if r.Reason != Converged || n <= a.number {
		t.Errorf("%v after %d iterations", r.Reason, r.Iterations)
	}
	checkHonest(t, r, trueResidual(t, m, x, b), DefaultTol)
}
