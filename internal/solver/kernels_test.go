package solver

import (
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

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
