package solver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// ranked is the outcome of a solve on a rank.
type ranked struct {
	solver Solver
	result solve.Result
	Fault  error
}

// solveOnRanks solves with m in so many domains on so many ranks, and returns the x that they have together.
func solveOnRanks(t *testing.T, ranks, domains int, m *csr.Matrix, b []float64, opt solve.Options) (x []float64, all []ranked) {
	t.Helper()
	return solveWith(t, ranks, domains, m, b, func(*dist.Matrix) solve.Options { return opt })
}

// solveWith is solveOnRanks with options for each rank.
func solveWith(t *testing.T, ranks, domains int, m *csr.Matrix, b []float64, opt func(a *dist.Matrix) solve.Options) (x []float64, all []ranked) {
	t.Helper()
	return solveFrom(t, ranks, domains, m, b, nil, opt)
}

// solveFrom is solveWith from a guess, if that is not nil, for a matrix of any shape.
func solveFrom(t *testing.T, ranks, domains int, m *csr.Matrix, b, guess []float64, opt func(a *dist.Matrix) solve.Options) (x []float64, all []ranked) {
	t.Helper()
	all = make([]ranked, ranks)
	parts := make([][]float64, ranks)
	var mu sync.Mutex
	dist.Run(ranks, func(c dist.Comm) {
		r := &all[c.Rank()]
		a, err := dist.Spread(c, m, domains)
		if err != nil {
			t.Error(err)
			return
		}
		s, err := NewDistributed(context.Background(), a, opt(a))
		if err != nil {
			r.Fault = err
			return
		}
		defer s.Close()
		rows, cols := a.Sides()
		var x0 []float64
		if guess != nil {
			x0 = dist.Scatter(c, cols, guess)
		}
		r.result, r.Fault = s.Solve(context.Background(), dist.Scatter(c, rows, b), x0)
		mu.Lock()
		defer mu.Unlock()
		r.solver.Facts, r.solver.Method, r.solver.Scale, r.solver.Threads = s.Facts, s.Method, s.Scale, s.Threads
		parts[c.Rank()] = r.result.X
	})
	return slices.Concat(parts...), all
}

// summary is the part of an outcome that is the same on all ranks.
func (r ranked) summary() string {
	q := r.result
	q.X, q.Time, q.Precond.Setup, q.Precond.Elapsed, q.Evidence = nil, solve.TimeByPhase{}, 0, 0, nil
	q.Attempts = slices.Clone(q.Attempts)
	for k := range q.Attempts {
		q.Attempts[k].Setup, q.Attempts[k].Solve = 0, 0
	}
	return fmt.Sprintf("%+v %s %s %+v %v", r.solver.Facts, r.solver.Method, r.solver.Scale, q, r.Fault)
}

// A preconditioner that there is not over several domains is an error of the options.
func TestPrecondsOverDomains(t *testing.T) {
	m := grid(12, 0, 0)
	for _, kind := range precond.Kinds() {
		for _, p := range []solve.Precond{{Kind: kind}, {Kind: kind, KCycle: true}} {
			opt := solve.Options{Precond: p}
			refused := rules.OverDomains(opt) != nil
			_, all := solveOnRanks(t, 1, 2, m, random(1, m.Rows), opt)
			if fault := all[0].Fault; (fault != nil) != refused || refused && !strings.Contains(fault.Error(), "over several domains") {
				t.Errorf("%s, K-cycles %v: refused %v, %v", kind, p.KCycle, refused, fault)
			}
		}
	}
}

// Rank 0 solves with a matrix of one domain as New does, and the others learn the result.
func TestOneDomainOnRanks(t *testing.T) {
	m := grid(20, 0, 0)
	b := rhs(m, 1)
	s, err := New(context.Background(), m, solve.Options{Limits: solve.Limits{Threads: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want, err := s.Solve(context.Background(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	for ranks := range 4 {
		x, all := solveOnRanks(t, ranks+1, 1, m, b, solve.Options{Limits: solve.Limits{Threads: 1}})
		if !slices.Equal(x, want.X) {
			t.Errorf("%d ranks have another x", ranks+1)
		}
		for r, got := range all {
			if got.summary() != all[0].summary() || got.Fault != nil || got.result.Reason != want.Reason {
				t.Errorf("rank %d of %d: %s, want %s", r, ranks+1, got.summary(), all[0].summary())
			}
		}
	}
}

// An error is the same on all ranks, and of the same kind.
func TestOneDomainErrors(t *testing.T) {
	singular := csr.Matrix{Rows: 2, Cols: 2, RowPtr: []int64{0, 1, 1}, Col: []int32{0}, Val: []float64{0}}
	_, all := solveOnRanks(t, 3, 1, &singular, []float64{1, 1}, solve.Options{})
	for r, got := range all {
		var input *solve.InputError
		if !errors.As(got.Fault, &input) || got.Fault.Error() != all[0].Fault.Error() {
			t.Errorf("rank %d: error %v", r, got.Fault)
		}
	}
	_, all = solveOnRanks(t, 3, 1, grid(20, 0, 0), random(1, 400), solve.Options{Limits: solve.Limits{MaxMemory: 10}})
	for r, got := range all {
		if !errors.Is(got.Fault, solve.ErrMemory) {
			t.Errorf("rank %d: error %v", r, got.Fault)
		}
	}
}

// spreadSystems are matrices for the tests of equal bits, with the methods that suit them.
func spreadSystems(t *testing.T) map[string]struct {
	m       *csr.Matrix
	methods []solve.Method
} {
	t.Helper()
	elastic, err := generate.Generate("elasticity3d", generate.Params{"n": 5})
	if err != nil {
		t.Fatal(err)
	}
	type system = struct {
		m       *csr.Matrix
		methods []solve.Method
	}
	return map[string]system{
		"plane":      {grid(24, 0, 0), []solve.Method{solve.Auto, solve.CG, solve.MINRES, solve.BiCGStab}},
		"convection": {grid(24, 0.4, 0.1), []solve.Method{solve.Auto, solve.BiCGStab, solve.GMRES, solve.CGS, solve.IDR, solve.TFQMR, solve.BiCG, solve.LSQR}},
		"elasticity": {elastic, []solve.Method{solve.Auto, solve.CG, solve.GMRES}},
		"scaled":     {rescaled(grid(20, 0.2, 0.1), uneven(20), uneven(15)), []solve.Method{solve.Auto, solve.GMRES}},
	}
}

// The bits of x and all messages are the same for any number of ranks and threads, and x is a solution.
func TestSameBitsForAnyRanksConcurrent(t *testing.T) {
	kinds := []precond.Kind{solve.PrecondAuto, precond.None, precond.Jacobi, precond.BlockJacobi, precond.Chebyshev, precond.ILU0, precond.ILUT, precond.LU, precond.IC0, precond.ICT, precond.FSAI, precond.AMG}
	turn, every := 0, 2 // each kind with some method
	switch {
	case host.RaceDetector:
		every = 66
	case testing.Short():
		every = 22
	}
	systems := spreadSystems(t)
	for _, name := range slices.Sorted(maps.Keys(systems)) {
		system := systems[name]
		b := rhs(system.m, 1)
		for _, method := range system.methods {
			for _, kind := range kinds {
				if d, ok := precond.Lookup(kind); ok && d.Definite && (method != solve.CG || name == "convection") {
					continue
				}
				if turn++; turn%every > 0 {
					continue
				}
				domains := 3 + 5*(turn/2%2)
				numbers := []int{1, []int{2, 3, 5}[turn/2%3]}
				opt := solve.Options{Method: method, Precond: solve.Precond{Kind: kind}, Limits: solve.Limits{MaxIter: 400}}
				sameOnRanks(t, fmt.Sprintf("%s, %s with %s, %d domains", name, method, kind, domains), numbers, domains, system.m, b, opt)
			}
		}
	}
}

// sameOnRanks solves on several numbers of ranks, with as many threads as it happens.
func sameOnRanks(t *testing.T, what string, numbers []int, domains int, m *csr.Matrix, b []float64, opt solve.Options) {
	t.Helper()
	var want []float64
	var said string
	for _, ranks := range numbers {
		opt.Threads = ranks%3 + 1
		x, all := solveOnRanks(t, ranks, domains, m, b, opt)
		if want == nil {
			want, said = x, all[0].summary()
			if err := all[0].Fault; err != nil {
				t.Logf("%s: %v", what, err)
			} else if r := all[0].result; !r.Reason.Converged() {
				t.Logf("%s: %v after %d iterations, error %.1e", what, r.Reason, r.Iterations, r.Errors.Row)
			} else if e, err := verify.Compute(m, x, b, nil); err != nil || e.Row > krylov.DefaultTol {
				t.Errorf("%s: %v with an error of %.1e (%v)", what, r.Reason, e.Row, err)
			}
		}
		for r, got := range all {
			if got.summary() != said {
				t.Errorf("%s: rank %d of %d has\n%s, want\n%s", what, r, ranks, got.summary(), said)
			}
		}
		if !sameBits(x, want) {
			t.Errorf("%s: %d ranks have another x", what, ranks)
		}
	}
}

// It is said, once, where one domain would be solved with in another way.
func TestSaysWhatOneDomainDoes(t *testing.T) {
	shaped := func(keep func(i, j int) bool) *csr.Matrix {
		return entries(300, func(add func(i, j int, v float64)) {
			for i := range 300 {
				for _, j := range []int{i - 7, i, i + 120} {
					if j >= 0 && j < 300 && keep(i, j) {
						add(i, j, 2+float64((i+j)%3))
					}
				}
			}
		})
	}
	const triangular = "by substitution"
	for name, c := range map[string]struct {
		m    *csr.Matrix
		opt  solve.Options
		want string // "": nothing
	}{
		"Dirichlet":             {grid(12, 0, 0), solve.Options{}, ""},
		"diagonal":              {shaped(func(i, j int) bool { return i == j }), solve.Options{}, "is diagonal, which a solve on one domain"},
		"lower":                 {shaped(func(i, j int) bool { return i >= j }), solve.Options{}, "lower triangular, which a solve on one domain"},
		"upper":                 {shaped(func(i, j int) bool { return i <= j }), solve.Options{}, "upper triangular, which a solve on one domain"},
		"neither":               {shaped(func(i, j int) bool { return true }), solve.Options{}, ""},
		"lower, not left to us": {shaped(func(i, j int) bool { return i >= j }), solve.Options{Precond: solve.Precond{Kind: precond.Jacobi}}, ""},
	} {
		for _, ranks := range []int{1, 3, 5} {
			var log logged
			solveWith(t, ranks, 4, c.m, random(1, c.m.Rows), func(a *dist.Matrix) solve.Options {
				if a.Comm.Rank() > 0 {
					return c.opt
				}
				return log.options(c.opt)
			})
			said := 0
			for _, line := range log.lines {
				if strings.Contains(line, triangular) {
					said++
					if !strings.Contains(line, c.want) || c.want == "" {
						t.Errorf("%s on %d ranks: %q", name, ranks, line)
					}
				}
			}
			if (said == 1) != (c.want != "") {
				t.Errorf("%s on %d ranks: said %d times: %q", name, ranks, said, log.lines)
			}
		}
	}
}
