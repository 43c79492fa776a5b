package krylov

import (
	"context"
	"math"
	"slices"
	"testing"
)

// Reasons on a remote space are those of the host, whatever the trouble is, and what they
// say is true.
func TestRemoteReasons(t *testing.T) {
	const tol = 1e-8
	for _, p := range problems() {
		for k, m := range methods {
			create := remoteMethods[m.name]
			if create == nil {
				continue
			}
			t.Run(p.name+"/"+m.name, func(t *testing.T) {
				space, x := newDistant(t, p.a.Rows), make([]float64, len(p.b))
				r := create(space).Solve(context.Background(), farFrom(space, p.a), x, p.b, hostOptions{Tol: tol, MaxIter: 3000})
				if want := rune(p.want[k]); want == '-' && r.Reason >= 0 || want != '-' && r.Reason != letters[want] {
					t.Errorf("reason %v (%d iterations, residual %g), want %c", r.Reason, r.Iterations, r.Residual, want)
				}
				checkHonest(t, r, trueResidual(t, p.a, x, p.b), tol)
			})
		}
	}
}

// What breaks down on the host breaks down, or restarts, in the same way.
func TestRemoteBreakdowns(t *testing.T) {
	all := append(slices.Clone(breakdowns), breakdown{"rho", [][]float64{{1, 0, 0}, {1, 1, 0}, {1, 0, 2}}, []float64{1, 0, 0}, Converged, 3})
	for _, c := range all {
		a, x := dense(c.rows...), make([]float64, len(c.b))
		space := newDistant(t, len(c.b))
		r := remoteMethods["bicgstab"](space).Solve(context.Background(), farFrom(space, a), x, c.b, hostOptions{})
		if r.Reason != c.want || r.Iterations != c.iterations {
			t.Errorf("%s: %v after %d iterations, want %v after %d", c.name, r.Reason, r.Iterations, c.want, c.iterations)
		}
		checkHonest(t, r, trueResidual(t, a, x, c.b), DefaultTol)
	}
}

// Nobody waits for a scalar in between, the monitor hears of looks, and convergence is
// seen at most Stride + 1 iterations late.
func TestRemoteDoesNotWait(t *testing.T) {
	m := grid(24, 0.05)
	spd := grid(24, 0)
	b := random(1, m.Rows)
	for _, c := range []struct {
		name  string
		waits int // at the start, to confirm, and for a cycle
	}{{"cg", 4}, {"bicgstab", 4}, {"gmres full cgs2", 6}} {
		for k, opt := range variants(spd, newPool(t, 1))[:2] {
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
			r := remoteMethods[c.name](space).Solve(context.Background(), farFrom(space, a), x, b, opt)
			late := r.Iterations - host.Iterations
			if r.Reason != Converged || late < 0 || late > space.stride+1 || host.Iterations < 20 {
				t.Errorf("%s, variant %d: %v after %d iterations, the host needs %d", c.name, k, r.Reason, r.Iterations, host.Iterations)
			}
			if space.waits > c.waits || space.looks > r.Iterations/space.stride+2 {
				t.Errorf("%s, variant %d: %d waits and %d looks in %d iterations", c.name, k, space.waits, space.looks, r.Iterations)
			}
			if c.name != "gmres full cgs2" && events > space.looks || events == 0 {
				t.Errorf("%s, variant %d: %d events at %d looks", c.name, k, events, space.looks)
			}
			checkHonest(t, r, trueResidual(t, a, x, b), DefaultTol)
			if math.Abs(trueResidual(t, a, x, b)-r.Residual) > 1e-13 {
				t.Errorf("%s, variant %d: residual %g, claimed %g", c.name, k, trueResidual(t, a, x, b), r.Residual)
			}
		}
	}
}

// Faults that nothing stands behind cost iterations, and do no harm.
func TestRemoteFaultsOfNoConsequence(t *testing.T) {
	m := grid(24, 0)
	b := random(1, m.Rows)
	for _, name := range []string{"cg", "bicgstab", "gmres full cgs2"} {
		space, x := newDistant(t, m.Rows), make([]float64, m.Rows)
		space.trouble = func(look int) bool { return look%2 == 0 }
		r := remoteMethods[name](space).Solve(context.Background(), farFrom(space, m), x, b, hostOptions{})
		if r.Reason != Converged || space.looks < 4 {
			t.Errorf("%s: %v after %d iterations and %d looks", name, r.Reason, r.Iterations, space.looks)
		}
		checkHonest(t, r, trueResidual(t, m, x, b), DefaultTol)
	}
}

// Trouble in the middle: x is that of the last sound look, or of what followed it.
func TestRemoteTroubleLater(t *testing.T) {
	for _, shift := range []float64{-0.02, -0.2, -1} {
		m := shifted(grid(24, 0), shift) // indefinite
		b := random(1, m.Rows)
		space, x := newDistant(t, m.Rows), make([]float64, m.Rows)
		r := remoteMethods["cg"](space).Solve(context.Background(), farFrom(space, m), x, b, hostOptions{})
		host := solveWith(t, "cg", m, make([]float64, m.Rows), b, hostOptions{})
		if r.Reason != host.Reason {
			t.Errorf("shift %g: %v after %d iterations, on the host %v after %d", shift, r.Reason, r.Iterations, host.Reason, host.Iterations)
		}
		if res := trueResidual(t, m, x, b); math.Abs(res-r.Residual) > 1e-9*max(1, res) {
			t.Errorf("shift %g: residual %g, claimed %g", shift, res, r.Residual)
		}
	}
}

// Limits hold to the iteration, and what is said of x is true there.
func TestRemoteLimits(t *testing.T) {
	m := grid(16, 0)
	b := random(1, m.Rows)
	for name, create := range remoteMethods {
		if name == "gmres 5 cgs2" {
			continue
		}
		for limit := 1; limit <= 30; limit++ {
			space, x := newDistant(t, m.Rows), make([]float64, m.Rows)
			r := create(space).Solve(context.Background(), farFrom(space, m), x, b, hostOptions{Tol: 1e-14, MaxIter: limit})
			if r.Reason != IterationLimit || r.Iterations != limit {
				t.Errorf("%s, limit %d: %v after %d iterations", name, limit, r.Reason, r.Iterations)
			}
			if res := trueResidual(t, m, x, b); math.Abs(res-r.Residual) > 1e-10 {
				t.Errorf("%s, limit %d: residual %g, claimed %g", name, limit, res, r.Residual)
			}
		}
		space, x := newDistant(t, m.Rows), make([]float64, m.Rows)
		ctx, cancel := context.WithCancel(context.Background())
		r := create(space).Solve(ctx, farFrom(space, m), x, b, hostOptions{Monitor: func(Event) { cancel() }})
		if res := trueResidual(t, m, x, b); r.Reason != Interrupted || math.Abs(res-r.Residual) > 1e-10 {
			t.Errorf("%s: %v after %d iterations, residual %g, claimed %g", name, r.Reason, r.Iterations, res, r.Residual)
		}
	}
}

// A solve that stagnates ends as on the host, up to the looks.
func TestRemoteStagnation(t *testing.T) {
	a, b := neumann(20), unit(20, 3)
	host := solveWith(t, "gmres 5 cgs2", a, make([]float64, 20), b, hostOptions{})
	space, x := newDistant(t, 20), make([]float64, 20)
	r := remoteMethods["gmres 5 cgs2"](space).Solve(context.Background(), farFrom(space, a), x, b, hostOptions{})
	if r.Reason != Stagnation || host.Reason != Stagnation || r.Iterations != host.Iterations {
		t.Errorf("%v after %d iterations, on the host %v after %d", r.Reason, r.Iterations, host.Reason, host.Iterations)
	}
}
