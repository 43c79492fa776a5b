package solve

import (
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

func sameBits(x, y []float64) bool {
	for i := range x {
		if math.Float64bits(x[i]) != math.Float64bits(y[i]) {
			return false
		}
	}
	return len(x) == len(y)
}

// sameOutcome compares all but times.
func sameOutcome(a, b Result) bool {
	return sameBits(a.X, b.X) && a.Reason == b.Reason && a.Errors == b.Errors && a.Method == b.Method &&
		a.Outer == b.Outer && a.Iterations == b.Iterations && a.SpMVs == b.SpMVs
}

// A right-hand side is solved the same way whatever was solved before it,
// fallbacks and failures included.
func TestSeveralRHS(t *testing.T) {
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		opt  Options
	}{
		{"cg", grid(12, 0, 0), Options{}},
		{"gmres", grid(12, 0.3, 0), Options{}},
		{"bicgstab", grid(12, 0.3, 0), Options{Method: BiCGStab}},
		{"fallback", grid(12, 0, -2.5), Options{}},
		{"componentwise", grid(12, 0.3, 0), Options{Stop: StopCW}},
		{"relative", grid(12, 0.3, 0), Options{Stop: StopRel}},
		{"few iterations", grid(12, 0.3, 0), Options{MaxIter: 11}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSolver(t, c.m, c.opt)
			zero, large := make([]float64, c.m.Rows), random(2, c.m.Rows)
			for i := range large {
				large[i] *= 1e150
			}
			for k, b := range [][]float64{random(1, c.m.Rows), zero, large, random(3, c.m.Rows), random(1, c.m.Rows)} {
				got, err := s.Solve(t.Context(), b, nil)
				if err != nil {
					t.Fatal(err)
				}
				if want := mustSolve(t, c.m, b, nil, c.opt); !sameOutcome(got, want) {
					t.Errorf("right-hand side %d: %v by %s after %d iterations, alone %v by %s after %d", k,
						got.Reason, got.Method, got.Iterations, want.Reason, want.Method, want.Iterations)
				}
			}
		})
	}
}

// The same bits for any number of threads, at a size that crosses blocks,
// panels and the size under which one thread does all.
func TestSameBitsForAnyThreads(t *testing.T) {
	for _, c := range []struct {
		m   *csr.Matrix
		opt Options
	}{
		{grid(185, 0, 0), Options{}},
		{grid(185, 0, 0), Options{Precond: unpreconditioned, MaxIter: 60}},
		{grid(185, 0.3, 0), Options{Precond: unpreconditioned, MaxIter: 60, CGS2: true}},
		{grid(185, 0.3, 0), Options{}},
		{grid(185, 0.3, 0), Options{Method: BiCGStab, Precond: unpreconditioned, Stop: StopCW, MaxIter: 30, InnerTol: 0.2}},
	} {
		b := random(1, c.m.Rows)
		var want Result
		for _, threads := range []int{1, 2, 3, 8} {
			if testing.Short() && (threads == 2 || threads == 8) {
				continue
			}
			c.opt.Threads = threads
			r := mustSolve(t, c.m, b, nil, c.opt)
			if threads == 1 {
				want = r
			}
			if !sameOutcome(r, want) {
				t.Errorf("%s, %d threads: %+v differs from %+v", r.Method, threads, r.Errors, want.Errors)
			}
		}
		if want.Iterations < 5 {
			t.Errorf("%s: %v after %d iterations: little to compare", want.Method, want.Reason, want.Iterations)
		}
	}
}

// A solver leaves the matrix and the vectors it was given alone.
func TestArgumentsAreLeftAlone(t *testing.T) {
	m := rescaled(grid(8, 0, 0), same(-1), same(3))
	kept, b := m.Clone(), random(1, m.Rows)
	b2 := append([]float64(nil), b...)
	mustSolve(t, m, b, b, Options{})
	if !sameBits(m.Val, kept.Val) || !sameBits(b, b2) {
		t.Error("a solve changed its arguments")
	}
}
