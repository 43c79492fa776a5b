package solver

import (
	"fmt"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

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
