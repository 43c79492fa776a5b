package solver

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// lowOverDomains solves over domains, and returns both parts of x, and the outcomes of the ranks.
func lowOverDomains(t *testing.T, ranks, domains int, m *csr.Matrix, b []float64, opt solve.Options) (x dd.Vec, all []ranked) {
	t.Helper()
	high, low := make([][]float64, ranks), make([][]float64, ranks)
	all = make([]ranked, ranks)
	var mu sync.Mutex
	dist.Run(ranks, func(c dist.Comm) {
		a, err := dist.Spread(c, m, domains)
		if err != nil {
			t.Error(err)
			return
		}
		s, err := NewDistributed(t.Context(), a, opt)
		if err != nil {
			t.Error(err)
			return
		}
		defer s.Close()
		r, err := s.Solve(t.Context(), ownElements(a, b), nil)
		mu.Lock()
		defer mu.Unlock()
		high[c.Rank()], low[c.Rank()] = r.X, r.XLow
		r.XLow = nil
		all[c.Rank()].result, all[c.Rank()].Fault = r, err
	})
	return dd.Vec{Hi: slices.Concat(high...), Lo: slices.Concat(low...)}, all
}

// Double-double vectors over domains: methods and preconditioners solve, with the same bits of both parts of x for any number of ranks, and x has digits
// that float64 has not, in FP64 and with a matrix of fewer bytes (Concurrent).
func TestVectorsDDOverDomainsConcurrent(t *testing.T) {
	symmetric, general := rescaled(grid(12, 0, 0), uneven(1), uneven(1)), rescaled(grid(12, 0.3, 0), uneven(1), uneven(2))
	for _, c := range []struct {
		m       *csr.Matrix
		method  solve.Method
		kind    precond.Kind
		epsilon float64
	}{
		{symmetric, solve.CG, precond.None, 0},
		{symmetric, solve.CG, precond.IC0, 0},
		{symmetric, solve.MINRES, precond.Jacobi, 0},
		{general, solve.GMRES, precond.ILU0, 0},
		{general, solve.BiCGStab, precond.Jacobi, 0x1p-30},
		{general, solve.IDR, precond.ILU0, 0},
		{general, solve.Auto, solve.PrecondAuto, 0},
	} {
		b := random(5, c.m.Rows)
		opt := solve.Options{Method: c.method, Precond: solve.Precond{Kind: c.kind}, Vectors: allDD, Accuracy: solve.Accuracy{Tol: 1e-25, Digits: solve.NoDigits}}
		opt.Storage.Epsilon = c.epsilon
		for _, domains := range testsupport.Few(5, 2) {
			where := fmt.Sprintf("%s with %s, epsilon %s, %d domains", c.method, c.kind, packed.FormatEpsilon(c.epsilon), domains)
			var first dd.Vec
			var said string
			for k, ranks := range append([]int{1}, testsupport.Few(2, 5)...) {
				opt.Threads = ranks
				x, all := lowOverDomains(t, ranks, domains, c.m, b, opt)
				if k == 0 {
					first, said = x, all[0].summary()
				}
				if !sameBits(x.Hi, first.Hi) || !sameBits(x.Lo, first.Lo) {
					t.Errorf("%s, %d ranks: other bits", where, ranks)
				}
				for r := range all {
					if got := all[r].summary(); got != said {
						t.Errorf("%s, rank %d of %d: %s, want %s", where, r, ranks, got, said)
					}
				}
			}
			if len(first.Lo) != c.m.Rows {
				t.Errorf("%s: a lower part of %d elements: %s", where, len(first.Lo), said)
				continue
			}
			if e := rowErrorDD(c.m, first, dd.VecOf(b)); !(e <= 2e-25) {
				t.Errorf("%s: row-wise error %g", where, e)
			}
		}
	}
}

// Vectors auto and dq go on in double-double over domains where float64 ends (Concurrent).
func TestVectorsWidenOverDomainsConcurrent(t *testing.T) {
	m := graded(60, 9)
	b := rhs(m, 1)
	for _, method := range testsupport.Few(solve.IDR, solve.TFQMR, solve.CGS) {
		opt := solve.Options{Method: method, Precond: unpreconditioned, Scale: solve.ScaleNone, Accuracy: solve.Accuracy{Digits: solve.NoDigits, Stop: solve.StopRel, Tol: 1e-12}}
		if _, r := overDomains(t, "float64", 3, m, b, opt); r.result.Reason.Converged() {
			t.Errorf("%s in float64 converges in %d iterations: the test shows nothing", method, r.result.Iterations)
		}
		for _, v := range testsupport.Few(solve.Vectors{Kind: solve.VectorsDQ, Window: 4, Deviation: 1e-2}, autoDD) {
			opt.Vectors = v
			_, r := overDomains(t, rules.VectorsText(v), 3, m, b, opt)
			if last := r.result.Attempts; r.Fault != nil || r.result.Reason != krylov.Converged || last[len(last)-1].Vectors != solve.VectorsDD {
				t.Errorf("%s with vectors %s: %v, %v, %+v", method, rules.VectorsText(v), r.Fault, r.result.Reason, r.result.Attempts)
			}
		}
	}
}
