package solver

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// backends returns the devices to solve on: nil, which is the host, and all devices of the machine.
func backends(t *testing.T) []*gpu.Device { return append([]*gpu.Device{nil}, openDevices(t)...) }

// bytesOn is the memory in use on a device.
func bytesOn(d *gpu.Device) int64 {
	if d == nil {
		return 0
	}
	now, _ := d.Bytes()
	return now
}

// A right-hand side is solved the same way whatever was solved before it, a storage or a
// method that did not suffice included.
func TestSeveralRHS(t *testing.T) {
	spd, flow, indefinite := grid(12, 0, 0), grid(12, 0.3, 0), grid(8, 0, -2.5)
	coarse := storageOf("AFX", 0.25)
	coarse.Layout = adaptive.Slots // without fast kernels auto would store FP64
	for _, on := range backends(t) {
		for _, c := range []struct {
			name string
			m    *csr.Matrix
			opt  solve.Options
			says string
		}{
			{"cg", spd, solve.Options{}, "method cg"},
			{"gmres", flow, solve.Options{}, "method gmres"},
			{"bicgstab", flow, solve.Options{Method: solve.BiCGStab}, "method bicgstab"},
			{"fallback", indefinite, solve.Options{}, "not positive definite"},
			{"componentwise", flow, solve.Options{Accuracy: solve.Accuracy{Stop: solve.StopCW}}, ""},
			{"relative", flow, solve.Options{Accuracy: solve.Accuracy{Stop: solve.StopRel}}, ""},
			{"few iterations", flow, solve.Options{Limits: solve.Limits{MaxIter: 11}}, ""},
			{"accuracy", spd, solve.Options{Storage: coarse}, "continuing with AFX at epsilon 2^-24"},
			{"accuracy, chebyshev", spd, solve.Options{Storage: coarse, Precond: solve.Precond{Kind: precond.Chebyshev}}, "continuing with AFX"},
		} {
			t.Run(fmt.Sprint(c.name, on != nil), func(t *testing.T) {
				c.opt.Device = on
				before := bytesOn(on)
				var log logged
				s := newSolver(t, c.m, log.options(c.opt))
				var after []int64 // bytes on the device after each right-hand side
				for k, size := range []float64{1, 1e150, 1e-150, 0, 1} {
					b := rhs(c.m, size)
					got, err := s.Solve(t.Context(), b, nil)
					if err != nil {
						t.Fatal(err)
					}
					after = append(after, bytesOn(on))
					want := checked(t, c.m, b, nil, c.opt)
					if !sameOutcome(got, want) || !got.Reason.Converged() && c.opt.MaxIter == 0 {
						t.Errorf("right-hand side %d: %v by %s after %d iterations, alone %v by %s after %d", k,
							got.Reason, got.Method, got.Iterations, want.Reason, want.Method, want.Iterations)
					}
				}
				if after[4] > after[0] {
					t.Errorf("every right-hand side takes more of the device's memory: %d", after)
				}
				if !log.says(c.says) {
					t.Errorf("the log does not say %q: %q", c.says, log.lines)
				}
				s.Close()
				if now := bytesOn(on); now != before {
					t.Errorf("%d bytes were not released", now-before)
				}
			})
		}
	}
}

// The same bits for any number of threads, at a size that crosses blocks,
// panels and the size under which one thread does all.
func TestSameBitsForAnyThreads(t *testing.T) {
	spd, flow := grid(185, 0, 0), grid(185, 0.3, 0)
	for i, c := range []struct {
		m   *csr.Matrix
		opt solve.Options
	}{
		{spd, solve.Options{}},
		{spd, solve.Options{Precond: unpreconditioned, Limits: solve.Limits{MaxIter: 60}}},
		{flow, solve.Options{Precond: unpreconditioned, Limits: solve.Limits{MaxIter: 60}, Krylov: solve.Krylov{CGS2: true}}},
		{flow, solve.Options{Precond: solve.Precond{Kind: precond.ILU0}}},
		{flow, solve.Options{Method: solve.BiCGStab, Precond: unpreconditioned, Accuracy: solve.Accuracy{Stop: solve.StopCW, InnerTol: 0.2}, Limits: solve.Limits{MaxIter: 30}}},
	} {
		if testing.Short() && i > 1 {
			break
		}
		var want solve.Result
		for _, threads := range []int{1, 2, 3, 8} {
			if testing.Short() && (threads == 2 || threads == 8) {
				continue
			}
			c.opt.Threads = threads
			r := mustSolve(t, c.m, random(1, c.m.Rows), nil, c.opt)
			if threads == 1 {
				want = r
			}
			if !sameOutcome(r, want) || r.Iterations < 5 {
				t.Errorf("%s, %d threads: %v after %d iterations, %+v differs from %+v", r.Method, threads, r.Reason, r.Iterations, r.Errors, want.Errors)
			}
		}
	}
}

// A good guess saves iterations, an exact one all, and a solver leaves what it is given
// alone.
func TestGuess(t *testing.T) {
	m := rescaled(grid(15, 0.2, 0), same(-1), same(3))
	b := rhs(m, 1)
	kept, keptB := m.Clone(), slices.Clone(b)
	for _, d := range backends(t) {
		rough := solved(t, m, b, nil, solve.Options{Precond: solve.Precond{Kind: precond.Jacobi}, Accuracy: solve.Accuracy{Digits: solve.NoDigits, Tol: 1e-6}, Placement: solve.Placement{Device: d}})
		whole := solved(t, m, b, nil, solve.Options{Precond: solve.Precond{Kind: precond.Jacobi}, Accuracy: solve.Accuracy{Digits: solve.NoDigits}, Placement: solve.Placement{Device: d}})
		guess := slices.Clone(rough.X)
		if r := solved(t, m, b, guess, solve.Options{Precond: solve.Precond{Kind: precond.Jacobi}, Accuracy: solve.Accuracy{Digits: solve.NoDigits}, Placement: solve.Placement{Device: d}}); r.Iterations == 0 || r.Iterations >= whole.Iterations || !sameBits(guess, rough.X) {
			t.Errorf("%d iterations, from zero %d", r.Iterations, whole.Iterations)
		}
		if r := solved(t, m, b, whole.X, solve.Options{Precond: solve.Precond{Kind: precond.Jacobi}, Accuracy: solve.Accuracy{Digits: solve.NoDigits}, Placement: solve.Placement{Device: d}}); r.Iterations != 0 || r.Outer != 0 || !sameBits(r.X, whole.X) {
			t.Errorf("%d iterations from the solution", r.Iterations)
		}
	}
	if !sameBits(m.Val, kept.Val) || !sameBits(b, keptB) {
		t.Error("a solve changed its arguments")
	}
}

func TestIterationLimit(t *testing.T) {
	m := grid(20, 0.2, 0)
	b := rhs(m, 1)
	for _, method := range rules.Methods {
		var events []krylov.Event
		r := mustSolve(t, m, b, nil, solve.Options{Method: method, Precond: unpreconditioned, Scale: solve.ScaleNone, Accuracy: solve.Accuracy{InnerTol: 0.3}, Limits: solve.Limits{MaxIter: 9}, Reporting: solve.Reporting{Monitor: func(e krylov.Event) { events = append(events, e) }}})
		if method != solve.CG && r.Reason != krylov.IterationLimit || r.Iterations > 9 || len(events) != r.Iterations {
			t.Errorf("%s: %v after %d iterations and %d events", method, r.Reason, r.Iterations, len(events))
		}
		for k, e := range events {
			if e.Iteration != k+1 || e.Outer < 1 || e.Outer > r.Outer {
				t.Errorf("%s: event %d is %+v", method, k, e)
			}
		}
	}
	for _, d := range backends(t) {
		r := checked(t, m, b, nil, solve.Options{Placement: solve.Placement{Device: d}, Precond: unpreconditioned, Limits: solve.Limits{MaxIter: 7}})
		if r.Reason != krylov.IterationLimit || r.Iterations != 7 || !(r.Errors.RelativeResidual < 1) {
			t.Errorf("%v after %d iterations, %+v", r.Reason, r.Iterations, r.Errors)
		}
	}
}

// Time runs out before the solve, which leaves the guess, or during it: then x is much
// better than zero. It is measured.
func TestTimeLimit(t *testing.T) {
	m := grid(20, 0, 0)
	b, x0 := rhs(m, 1), random(5, m.Rows)
	for _, d := range backends(t) {
		past, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
		defer cancel()
		r, err := newSolver(t, m, solve.Options{Placement: solve.Placement{Device: d}}).Solve(past, b, x0)
		if e := measureOf(t, solve.StopRow, m, x0, b); err != nil || r.Reason != krylov.TimeLimit || !sameBits(r.X, x0) || !(r.Errors.Row > 0.999*e && r.Errors.Row < 1.001*e) {
			t.Errorf("deadline in the past: %v, %v, error %g reported as %g", r.Reason, err, e, r.Errors.Row)
		}
		for _, method := range []solve.Method{solve.CG, solve.BiCGStab, solve.GMRES} {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r, err := newSolver(t, m, solve.Options{Placement: solve.Placement{Device: d}, Method: method, Precond: unpreconditioned, Accuracy: solve.Accuracy{Tol: 1e-13}, Reporting: solve.Reporting{Monitor: func(e krylov.Event) {
				if e.Iteration >= 40 {
					cancel()
				}
			}}}).Solve(ctx, b, nil)
			if err != nil || r.Reason != krylov.Interrupted || measureOf(t, solve.StopRow, m, r.X, b) > 1e-3 {
				t.Errorf("%s: %v, %v, %+v", method, r.Reason, err, r.Errors)
			}
		}
	}
}

// Solves with different sets of kernels go on side by side, with the same bits where the matrix is
// stored alike, and do not call the kernels of another set.
func TestKernels(t *testing.T) {
	m := grid(30, 0, 0)
	b := rhs(m, 1)
	for _, kind := range []precond.Kind{precond.None, precond.Jacobi, precond.FSAI, precond.Chebyshev, precond.AMG} {
		t.Run(string(kind), func(t *testing.T) {
			var want []float64
			for _, k := range kernels.Sets() {
				opt := solve.Options{Limits: solve.Limits{Threads: 1}, Precond: solve.Precond{Kind: kind, Epsilon: adaptive.MinEpsilon}, Storage: solve.Storage{Set: formatSet("FP64"), Kernels: k.String()}}
				s := newSolver(t, m, opt)
				calls := 0
				restore := kernels.Observe(func([]float64) { calls++ })
				r, err := s.Solve(t.Context(), b, nil)
				restore()
				if err != nil || !r.Reason.Converged() {
					t.Fatalf("%s: %v, %v", k, r.Reason, err)
				}
				if want == nil {
					want = r.X
				}
				if !slices.Equal(r.X, want) {
					t.Errorf("%s gives another x", k)
				}
				if used := k == kernels.Default(); used != (calls > 0) {
					t.Errorf("%s: %d calls of the default kernels, %s", k, calls, kernels.Default())
				}
			}
		})
	}
}
