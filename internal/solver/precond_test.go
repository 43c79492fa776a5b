package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Every kind with every method that it suits: converged means that the error from
// its definition is within the tolerance.
func TestPreconditionersSolve(t *testing.T) {
	for _, c := range []struct {
		name    string
		m       *csr.Matrix
		methods []solve.Method
	}{
		{"definite", rescaled(grid(12, 0, 0), uneven(4), uneven(4)), []solve.Method{solve.Auto, solve.CG, solve.BiCGStab, solve.GMRES}},
		{"negative definite", rescaled(grid(12, 0, 0), same(-1), same(1)), []solve.Method{solve.Auto, solve.CG}},
		{"unsymmetric", rescaled(grid(12, 0.3, 0), uneven(8), same(1)), []solve.Method{solve.Auto, solve.BiCGStab, solve.GMRES}},
	} {
		for _, method := range c.methods {
			for _, kind := range rules.Preconds {
				if kind == precond.AMG && c.name == "unsymmetric" || kind == precond.Schur {
					continue // too small to have a coarser level; no saddle point
				}
				opt := solve.Options{Method: method, Precond: solve.Precond{Kind: kind}}
				if d, ok := precond.Lookup(kind); ok && (d.Definite || d.Symmetric) && c.name == "unsymmetric" {
					_, err := New(t.Context(), c.m, opt)
					checkInputError(t, err, []string{string(kind), "not symmetric"})
					continue
				}
				if r := solved(t, c.m, rhs(c.m, 1), nil, opt); kind != solve.PrecondAuto && r.Precond.Kind != kind {
					t.Errorf("%s, %s with %s: %s was used", c.name, method, kind, r.Precond.Kind)
				}
			}
		}
	}
}

// The choices of the rules, and their log.
func TestPreconditionerChosen(t *testing.T) {
	convection := grid(201, 0.3, 0) // more rows than SparseRows
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		opt  solve.Options
		want precond.Kind
	}{
		{"definite and tiny", grid(10, 0, 0), solve.Options{}, precond.Cholesky},
		{"definite and small", grid(72, 0, 1), solve.Options{}, precond.CG32},
		{"definite and large", grid(185, 0, 0), solve.Options{}, precond.AMG},
		{"unsymmetric and tiny", grid(10, 0.3, 0), solve.Options{}, precond.LU},
		{"unsymmetric and small", grid(72, 0.3, 0), solve.Options{}, precond.Jacobi},
		{"unsymmetric diffusion, large", convection, solve.Options{}, precond.AMG},
		{"unsymmetric and large", rescaled(convection, func(i int) float64 { return float64(1 - 2*(i%2)) }, func(j int) float64 { return float64(1 - 2*(j%3/2)) }), solve.Options{}, precond.LU},
		{"minres", grid(10, 0, 0), solve.Options{Method: solve.MINRES}, precond.None},
		{"cg, rows scaled", rescaled(grid(10, 0, 0), uneven(4), uneven(4)), solve.Options{Method: solve.CG, Scale: solve.ScaleRow}, precond.None},
	} {
		var log logged
		s := newSolver(t, c.m, log.options(c.opt))
		if got := s.Refiner.Usage().Precond.Kind; got != c.want || !log.says("precond "+string(c.want)) {
			t.Errorf("%s: %s, want %s; log %q", c.name, got, c.want, log.lines)
		}
		s.Close()
	}
}

// Setting up fails: the next one takes over, which is said; of one that was asked
// for it is an input error.
func TestPreconditionerFallback(t *testing.T) {
	indefinite := grid(12, 0, -2.5) // symmetric, its diagonal positive
	var log logged
	r := solved(t, indefinite, rhs(indefinite, 1), nil, log.options(solve.Options{}))
	if r.Method == "cg" && !log.says("trying") && !log.says("continuing") {
		t.Errorf("solved by %s with %s, log %q", r.Method, r.Precond.Kind, log.lines)
	}

	m := grid(40, 0.3, 0)
	s := newSolver(t, m, solve.Options{Precond: solve.Precond{Kind: precond.None}})
	s.Opt.Precond.Kind = precond.ILUT
	limit := s.SolveBytes() + 20000
	s.Close()
	_, err := New(t.Context(), m, solve.Options{Limits: solve.Limits{MaxMemory: limit}, Precond: solve.Precond{Kind: precond.ILUT}})
	if !errors.Is(err, precond.ErrMemory) || !strings.Contains(err.Error(), "ilut") || !strings.Contains(err.Error(), "Options.Precond.Kind = none") {
		t.Errorf("error %v", err)
	}
	log = logged{}
	s = newSolver(t, m, log.options(solve.Options{Method: solve.GMRES, Limits: solve.Limits{MaxMemory: limit}, Krylov: solve.Krylov{NoRefine: true}}))
	s.Close()
	if !log.says("memory limit") {
		t.Errorf("log %q", log.lines)
	}
}

// Interrupted while it sets up, a solve ends at once and says so; the next one sets up.
func TestInterruptedSetup(t *testing.T) {
	m := grid(40, 0.3, 0)
	for _, kind := range []precond.Kind{solve.PrecondAuto, precond.ILUT, precond.AMG} {
		ctx, cancel := context.WithCancel(t.Context())
		var log logged
		opt := log.options(solve.Options{Precond: solve.Precond{Kind: kind}})
		keep := opt.Log
		opt.Log = func(line string) {
			keep(line)
			if strings.HasPrefix(line, "precision") {
				cancel()
			}
		}
		s, err := New(ctx, m, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r, err := s.Solve(ctx, rhs(m, 1), nil)
		if err != nil || r.Reason != krylov.Interrupted || r.Precond.Kind != precond.None || !log.says("interrupted") {
			t.Errorf("%s: %v, %v with %s, log %q", kind, r.Reason, err, r.Precond.Kind, log.lines)
		}
		r, err = s.Solve(t.Context(), rhs(m, 1), nil)
		if err != nil || r.Reason != krylov.Converged || r.Precond.Kind == precond.None {
			t.Errorf("%s, later: %v, %v with %s", kind, r.Reason, err, r.Precond.Kind)
		}
	}
}

// Interrupted while it examines the matrix, New returns the error of the context, on any
// number of threads.
func TestInterruptedExamination(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, threads := range []int{1, 2} {
		if _, err := New(ctx, grid(40, 0.3, 0), solve.Options{Limits: solve.Limits{Threads: threads}}); !errors.Is(err, context.Canceled) {
			t.Errorf("%d threads: %v", threads, err)
		}
	}
}

// badlyScaled returns a grid m, a right-hand side, D m D with powers of two, and the vector that D m D nearly annihilates.
func badlyScaled(n int) (m *csr.Matrix, b []float64, scaled *csr.Matrix, null []float64) {
	m = grid(n, 0, 0)
	d := func(i int) float64 { return math.Ldexp(1, i%7) }
	null = make([]float64, m.Rows)
	for i := range null {
		null[i] = 1 / d(i)
	}
	return m, random(1, m.Rows), rescaled(m, d, d), null
}

// The near-null space is scaled like the matrix: with it multigrid takes as many
// iterations on D A D as on A.
func TestNearNullOfScaledMatrix(t *testing.T) {
	m, b, scaled, null := badlyScaled(150)
	plain := mustSolve(t, m, b, nil, solve.Options{Precond: solve.Precond{Kind: precond.AMG}})
	good := mustSolve(t, scaled, b, nil, solve.Options{Precond: solve.Precond{Kind: precond.AMG, NearNull: [][]float64{null}}})
	bad := mustSolve(t, scaled, b, nil, solve.Options{Precond: solve.Precond{Kind: precond.AMG}})
	if good.Iterations > plain.Iterations+5 || bad.Iterations <= good.Iterations {
		t.Errorf("%d iterations unscaled, %d with the near-null space, %d with the wrong one", plain.Iterations, good.Iterations, bad.Iterations)
	}
}

// The same over domains, where ranks have their own elements of the vector.
func TestNearNullOverDomains(t *testing.T) {
	m, b, scaled, null := badlyScaled(90)
	solved := func(ranks int, m *csr.Matrix, null []float64) ([]float64, ranked) {
		x, all := solveWith(t, ranks, 3, m, b, func(a *dist.Matrix) solve.Options {
			opt := solve.Options{Precond: solve.Precond{Kind: precond.AMG}, Limits: solve.Limits{Threads: 1}}
			if null != nil {
				opt.Precond.NearNull = [][]float64{ownElements(a, null)}
			}
			return opt
		})
		for r, got := range all {
			if got.summary() != all[0].summary() {
				t.Errorf("rank %d of %d: %s, want %s", r, ranks, got.summary(), all[0].summary())
			}
		}
		return x, all[0]
	}
	_, plain := solved(1, m, nil)
	x, good := solved(1, scaled, null)
	_, bad := solved(1, scaled, nil)
	if good.Fault != nil || good.result.Iterations > plain.result.Iterations+5 || bad.result.Iterations <= good.result.Iterations {
		t.Errorf("%d iterations unscaled, %d with the near-null space, %d with the wrong one (%v)",
			plain.result.Iterations, good.result.Iterations, bad.result.Iterations, good.Fault)
	}
	for _, ranks := range []int{2, 3, 4} {
		if got, r := solved(ranks, scaled, null); !slices.Equal(got, x) || r.summary() != good.summary() {
			t.Errorf("%d ranks: %s, want %s", ranks, r.summary(), good.summary())
		}
	}
	null[5000] = math.NaN()
	if _, r := solved(3, scaled, null); r.Fault == nil || r.Fault.Error() != "element 5001 of the near-null vector 1 is NaN" {
		t.Errorf("NaN: %v", r.Fault)
	}
}

// What methods multiply with, and the preconditioners that suit them, have the transposes that they say:
// y·(A x) = x·(A^T y) to the accuracy of the stored matrix.
func TestTransposes(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{"symmetric": grid(14, 0, 0), "unsymmetric": grid(14, 0.3, 0)} {
		x, y := testsupport.Random(1, m.Rows), testsupport.Random(2, m.Rows)
		host := linop.NewHost(m.Rows, nil)
		tested := 0
		for _, kind := range precond.Kinds() {
			s := newSolver(t, m, solve.Options{Method: solve.BiCG})
			if !s.Suits(kind) {
				continue
			}
			s = newSolver(t, m, solve.Options{Method: solve.BiCG, Precond: solve.Precond{Kind: kind, Epsilon: 0x1p-53}, Storage: solve.Storage{Epsilon: 0x1p-40}})
			c := s.Refiner.(*refine.Refinement[vector, scalar]).Correction
			p, q := make([]float64, m.Rows), make([]float64, m.Rows)
			c.Timed.Apply(p, x)
			c.Timed.ApplyT(q, y)
			if d := math.Abs(float64(host.Dot(p, y) - host.Dot(q, x))); d > 1e-9 {
				t.Errorf("%s: transposed products differ by %g", name, d)
			}
			by := c.Attempts.Preconditioner()
			if by == nil {
				continue
			}
			by.Apply(p, x)
			by.ApplyT(q, y)
			if d := math.Abs(float64(host.Dot(p, y)-host.Dot(q, x))) / math.Abs(float64(host.Dot(p, p))); d > 1e-8 && kind != precond.AMG || d > 1e-3 {
				t.Errorf("%s, %s: transposed preconditioners differ by %g", name, kind, d)
			}
			tested++
		}
		if tested < 3 {
			t.Errorf("%s: only %d preconditioners", name, tested)
		}
	}
}

// The transpose takes memory, which the result has, unless A is symmetric.
func TestTransposeBytes(t *testing.T) {
	for _, c := range []struct {
		m     *csr.Matrix
		times float64
	}{{grid(40, 0, 0), 1}, {grid(40, 0.3, 0), 2}} {
		b := testsupport.Random(3, c.m.Rows)
		bytes := map[solve.Method]float64{}
		for _, method := range []solve.Method{solve.BiCGStab, solve.BiCG} {
			r, err := newSolver(t, c.m, solve.Options{Method: method, Precond: solve.Precond{Kind: precond.Jacobi}}).Solve(t.Context(), b, nil)
			if err != nil || r.Reason != krylov.Converged {
				t.Fatal(err, r.Reason)
			}
			bytes[method] = float64(r.Bytes)
		}
		if q := bytes[solve.BiCG] / bytes[solve.BiCGStab]; math.Abs(q-c.times) > 0.1 {
			t.Errorf("the stored matrix takes %.2f times the bytes, want %g", q, c.times)
		}
	}
}

// Preconditioners without a transpose are refused where one is needed.
func TestUnsuitedPreconditioners(t *testing.T) {
	for _, c := range []struct {
		m    *csr.Matrix
		kind precond.Kind
		ok   bool
	}{
		{grid(12, 0.3, 0), precond.ILUT, false},
		{grid(12, 0.3, 0), precond.AMG, false},
		{grid(12, 0.3, 0), precond.ILU0, true},
		{grid(12, 0, 0), precond.ILUT, false},
		{grid(12, 0, 0), precond.ICT, true},
	} {
		for _, method := range []solve.Method{solve.BiCG, solve.LSQR, solve.CGS} {
			s, err := New(t.Context(), c.m, solve.Options{Method: method, Precond: solve.Precond{Kind: c.kind}})
			if (err == nil) != (c.ok || method == solve.CGS) {
				t.Errorf("%s with %s: %v", method, c.kind, err)
			}
			if err == nil {
				s.Close()
			}
		}
	}
}

// BiCG over domains has the bits of any number of ranks, solves, and takes about as many iterations as with one domain, since
// what it takes for the transposes are these.
func TestTransposedOverDomains(t *testing.T) {
	m := grid(30, 0.4, 0.2)
	b := rhs(m, 1)
	for _, kind := range []precond.Kind{precond.None, precond.Jacobi, precond.ILU0, precond.LU, solve.PrecondAuto} {
		for _, domains := range []int{2, 5} {
			opt := solve.Options{Method: solve.BiCG, Precond: solve.Precond{Kind: kind}, Accuracy: solve.Accuracy{Digits: solve.NoDigits}}
			_, one := solveOnRanks(t, 1, 1, m, b, opt)
			sameOnRanks(t, fmt.Sprintf("%s, %d domains", kind, domains), []int{1, 2, 3, 5}, domains, m, b, opt)
			_, got := solveOnRanks(t, 2, domains, m, b, opt)
			if r := got[0].result; got[0].Fault != nil || !r.Reason.Converged() || r.Method != string(solve.BiCG) {
				t.Errorf("%s, %d domains: %v with %s, %v", kind, domains, r.Reason, r.Method, got[0].Fault)
			} else if (kind == precond.None || kind == precond.Jacobi) && r.Iterations > one[0].result.Iterations*11/10 {
				t.Errorf("%s, %d domains: %d iterations, %d with one", kind, domains, r.Iterations, one[0].result.Iterations)
			} else {
				t.Logf("%s, %d domains: %d iterations, %d with one", kind, domains, r.Iterations, one[0].result.Iterations)
			}
		}
	}
}
