package krylov

import (
	"context"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

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
