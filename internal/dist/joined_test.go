package dist_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// diagonal is the preconditioner by the diagonal.
type diagonal struct {
	space linop.Host
	by    vector
}

func (d diagonal) Apply(dst, src vector) { d.space.Mul(1, d.by, src, dst) }

// cgRun is a solve with CG in four domains.
type cgRun struct {
	x       vector
	result  krylov.Result
	traffic dist.Traffic
}

// conjugate solves on some ranks, with sums that are joined or not, and with the diagonal or without.
func conjugate(t *testing.T, m *csr.Matrix, b vector, ranks int, joined, precond bool, opt krylov.Options[vector]) (run cgRun) {
	t.Helper()
	run.x = make(vector, m.Rows)
	dist.Run(ranks, func(c dist.Comm) {
		timed := dist.NewTimed(c)
		a, err := dist.Spread(timed, m, 4)
		if err != nil {
			t.Error(err)
			return
		}
		space := dist.NewSpace(a.Layout, nil)
		if !joined {
			space.SetReducer(struct{ linop.Reducer }{space.Reducer()})
		}
		own, right, by := space.New(), space.New(), space.New()
		for _, p := range a.Parts {
			copy(right[p.First():p.End()], b[p.Row:])
			for i := p.First(); i < p.End(); i++ {
				for k := a.Local.RowPtr[i]; k < a.Local.RowPtr[i+1]; k++ {
					if int(a.Local.Col[k]) == i {
						by[i] = 1 / a.Local.Val[k]
					}
				}
			}
		}
		opt := opt
		if precond {
			opt.Precond = diagonal{space, by}
		}
		before := timed.Traffic
		r := krylov.NewCG[vector, linop.Float64](space).Solve(context.Background(), dist.NewCSR(a, a.Local, nil), own, right, opt)
		if c.Rank() == 0 {
			run.result, run.traffic = r, timed.Traffic.Minus(before)
		}
		for _, p := range a.Parts {
			copy(run.x[p.Row:], own[p.First():p.End()])
		}
	})
	return run
}

// With joined sums CG sends one message of sums in an iteration, for any number of ranks, and takes about the iterations of CG with two, to the
// same accuracy, also for ill-conditioned matrices. x has the same bits for any number of ranks.
func TestConcurrentJoinedSums(t *testing.T) {
	for _, problem := range []struct {
		kind   string
		params generate.Params
	}{
		{"poisson3d", generate.Params{"n": 14}},
		{"poisson3d", generate.Params{"n": 12, "decades": 4}},
		{"anisotropic2d", generate.Params{"n": 40}},
		{"solid3d", generate.Params{"n": 6}},
		{"wathen", generate.Params{"nx": 12, "ny": 12}},
		{"trefethen", generate.Params{"n": 1500}},
	} {
		m, b := generated(t, problem.kind, problem.params)
		for _, precond := range testsupport.Few(true, false) {
			t.Run(fmt.Sprint(problem.kind, problem.params, precond), func(t *testing.T) {
				opt := krylov.Options[vector]{Tol: 1e-12, MaxIter: 20000}
				want := conjugate(t, m, b, 1, false, precond, opt)
				var first vector
				for _, ranks := range append([]int{1}, testsupport.Few(3, 2, 4)...) {
					got := conjugate(t, m, b, ranks, true, precond, opt)
					if first == nil {
						first = got.x
						t.Logf("%d iterations, %v to %g; plain %d, %v to %g", got.result.Iterations, got.result.Reason, residual(m, got.x, b),
							want.result.Iterations, want.result.Reason, residual(m, want.x, b))
					}
					if !slices.Equal(got.x, first) {
						t.Errorf("%d ranks: other bits than on one", ranks)
					}
					sums := float64(got.traffic.Reductions) / float64(got.result.Iterations)
					if ranks > 1 && !(sums < 1.3) {
						t.Errorf("%d ranks: %g sums an iteration", ranks, sums)
					}
					if got.result.Reason != want.result.Reason || float64(got.result.Iterations) > 1.1*float64(want.result.Iterations)+2 {
						t.Errorf("%v after %d iterations, with two sums %v after %d", got.result.Reason, got.result.Iterations, want.result.Reason, want.result.Iterations)
					}
				}
			})
		}
	}
}

// residual returns ||b - A x|| / ||b||.
func residual(m *csr.Matrix, x, b vector) float64 {
	var rr, bb float64
	for i := range m.Rows {
		r := b[i]
		for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
			r -= m.Val[k] * x[m.Col[k]]
		}
		rr, bb = rr+r*r, bb+b[i]*b[i]
	}
	return math.Sqrt(rr / bb)
}
