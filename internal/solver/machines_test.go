package solver

import (
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Ranks on processors of several kinds, with other kernels and models, store alike and have the bits of ranks that are alike.
func TestMachinesThatDiffer(t *testing.T) {
	sets, models := kernels.Sets(), adaptive.Models()
	m := grid(60, 0.3, 0.1)
	b := rhs(m, 1)
	for _, kind := range []precond.Kind{precond.Jacobi, precond.AMG} {
		for _, best := range []int{0, len(sets) - 1} { // of the ranks
			opt := solve.Options{Limits: solve.Limits{Threads: 1}, Precond: solve.Precond{Kind: kind}, Storage: solve.Storage{Kernels: sets[0].String()}}
			if best == 0 {
				opt.Storage.Model = models[0]
			}
			want, one := solveOnRanks(t, 1, 4, m, b, opt)
			x, all := solveWith(t, 3, 4, m, b, func(a *dist.Matrix) solve.Options {
				o := opt
				o.Storage.Model = models[a.Comm.Rank()%len(models)]
				if a.Comm.Rank() != 1 {
					o.Storage.Kernels = sets[best].String()
				}
				return o
			})
			for r, got := range all {
				if got.summary() != one[0].summary() {
					t.Errorf("%s: rank %d has\n%s, want\n%s", kind, r, got.summary(), one[0].summary())
				}
			}
			if one[0].Fault != nil || !slices.Equal(x, want) {
				t.Errorf("%s: another x (%v)", kind, one[0].Fault)
			}
		}
	}
}
