package krylov

import (
	"context"
	"math"
	"testing"
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
			events, last := 0, 0
			opt.Monitor = func(e Event) {
				if events++; e.Iteration <= last {
					t.Errorf("%s: iteration %d after %d", c.name, e.Iteration, last)
				}
				last = e.Iteration
			}
			r := solveDistant(t, context.Background(), space, c.name, a, x, b, opt)
			late := r.Iterations - host.Iterations
			if r.Reason != Converged || late < 0 || late > space.stride+1 || host.Iterations < 20 {
				t.Errorf("%s, variant %d: %v after %d iterations, the host needs %d", c.name, k, r.Reason, r.Iterations, host.Iterations)
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
