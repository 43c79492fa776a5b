package krylov

import (
	"context"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

type (
	hostMethod   = Method[[]float64, linop.Float64]
	hostOptions  = Options[[]float64]
	hostOperator = linop.Operator[[]float64, linop.Float64]
)

func newPool(t testing.TB, threads int) *parallel.Pool {
	t.Helper()
	p := parallel.New(threads)
	t.Cleanup(p.Close)
	return p
}

// trueResidual is ||b - A x|| / ||b||, computed in double-double by code that
// the methods do not share; +Inf if x is not finite.
func trueResidual(t testing.TB, m *csr.Matrix, x, b []float64) float64 {
	t.Helper()
	pool := parallel.New(1)
	defer pool.Close()
	e, err := verify.Compute(m, x, b, pool)
	if err != nil {
		t.Fatal(err)
	}
	return e.RelativeResidual
}

// variant is a method with parameters.
type variant struct {
	name, method string
	gmres        GMRESOptions
	async        bool // does the same on an asynchronous space
}

var methods = []variant{
	{"cg", "cg", GMRESOptions{}, true},
	{"bicgstab", "bicgstab", GMRESOptions{}, true},
	{"minres", "minres", GMRESOptions{}, true},
	{"gmres 1", "gmres", GMRESOptions{Restart: 1}, false},
	{"gmres 5", "gmres", GMRESOptions{Restart: 5}, false},
	{"gmres 40", "gmres", GMRESOptions{}, false},
	{"gmres full", "gmres", GMRESOptions{Restart: math.MaxInt}, false},
	{"gmres 5 cgs2", "gmres", GMRESOptions{Restart: 5, CGS2: true}, true},
	{"gmres full cgs2", "gmres", GMRESOptions{Restart: math.MaxInt, CGS2: true}, true},
	{"gmres growing", "gmres", GMRESOptions{Restart: 2, MaxRestart: math.MaxInt}, false},
	{"cgs", "cgs", GMRESOptions{}, true},
	{"bicg", "bicg", GMRESOptions{}, true},
	{"idr", "idr", GMRESOptions{}, true},
	{"tfqmr", "tfqmr", GMRESOptions{}, true},
	{"lsqr", "lsqr", GMRESOptions{}, true},
}

// restarted reports whether cycles are too short for difficult systems.
func (v variant) restarted() bool { return v.gmres.Restart == 1 || v.gmres.Restart == 5 }

// symmetric reports whether the method needs a symmetric A and M.
func (v variant) symmetric() bool { return v.method == "cg" || v.method == "minres" }

// flexible reports whether a preconditioner that is another map each time does no harm.
func (v variant) flexible() bool {
	return v.method == "cg" || v.method == "bicgstab" || v.method == "gmres" || v.method == "idr"
}

// bothSides reports whether a preconditioner D does what scaling by D^(1/2) on both sides does; with other methods
// it is scaling by D on the right.
func (v variant) bothSides() bool { return v.symmetric() || v.method == "bicg" }

// create makes a method by its name in the table.
func create[V any, S linop.Scalar[S]](t testing.TB, name string, space linop.Space[V, S]) Method[V, S] {
	t.Helper()
	for _, v := range methods {
		if v.name == name {
			m, err := New(v.method, space, MethodOptions{GMRES: v.gmres})
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
	}
	t.Fatalf("no method %q", name)
	return nil
}

func onHost(t testing.TB, name string, space linop.Host) hostMethod {
	t.Helper()
	return create[[]float64, linop.Float64](t, name, space)
}

// A solver runs a method, named as in the table, on one thread.
type solver func(t testing.TB, ctx context.Context, name string, m *csr.Matrix, x, b []float64, opt hostOptions) Result

func solveHost(t testing.TB, ctx context.Context, name string, m *csr.Matrix, x, b []float64, opt hostOptions) Result {
	t.Helper()
	pool := newPool(t, 1)
	return onHost(t, name, linop.NewHost(m.Rows, pool)).Solve(ctx, linop.NewCSR(m, pool), x, b, opt)
}

func solveAsync(t testing.TB, ctx context.Context, name string, m *csr.Matrix, x, b []float64, opt hostOptions) Result {
	t.Helper()
	return solveDistant(t, ctx, newDistant(t, m.Rows), name, m, x, b, opt)
}

func solveDistant(t testing.TB, ctx context.Context, space distant[[]float64, linop.Float64], name string, m *csr.Matrix, x, b []float64, opt hostOptions) Result {
	t.Helper()
	a := far[[]float64, linop.Float64]{linop.NewCSR(m, newPool(t, 1)), space}
	return create[[]float64, late[linop.Float64]](t, name, space).Solve(ctx, a, x, b, opt)
}

func solveWith(t testing.TB, name string, m *csr.Matrix, x, b []float64, opt hostOptions) Result {
	t.Helper()
	return solveHost(t, context.Background(), name, m, x, b, opt)
}

// eachMethod tests all methods on the host, and on an asynchronous space.
func eachMethod(t *testing.T, test func(t *testing.T, v variant, async bool, solve solver)) {
	for _, v := range methods {
		t.Run(v.name, func(t *testing.T) { test(t, v, false, solveHost) })
		if v.async {
			t.Run(v.name+" async", func(t *testing.T) { test(t, v, true, solveAsync) })
		}
	}
}

// checkHonest compares what a result claims with the true residual.
func checkHonest(t *testing.T, r Result, residual, tol float64) {
	t.Helper()
	const rounding = 1e-13 // of b: what separates recurrence and residual here
	if r.Reason.Converged() && !(residual <= tol+rounding) {
		t.Errorf("%v, but the residual is %g", r.Reason, residual)
	}
	if r.Reason == Converged && math.Abs(r.Measure-residual) > 0.01*residual+100*rounding {
		t.Errorf("measure %g, but the residual is %g", r.Measure, residual)
	}
	if r.Reason == ZeroRHS && (residual != 0 || r.Iterations != 0) {
		t.Errorf("zero right-hand side: residual %g after %d iterations", residual, r.Iterations)
	}
	if r.Reason == Running || r.Reason.String() == "" {
		t.Errorf("ended with reason %d %q", r.Reason, r.Reason)
	}
	if !r.Reason.Converged() && r.Reason.Advice() == "" {
		t.Errorf("no advice for %v", r.Reason)
	}
}

// preconditionings are options: without a preconditioner, with one, with one that is taken
// for flexible, and with one that does the passes of CG, on the pool of the matrix.
func preconditionings(m *csr.Matrix, pool *parallel.Pool) []hostOptions {
	d := m.Diagonal(nil)
	for i, v := range d {
		d[i] = (1 + 0.1*math.Sin(float64(i))) / v
	}
	by := linop.NewCSR(diagonal(d...), pool)
	return []hostOptions{{}, {Precond: by}, {Precond: by, Flexible: true}, {Precond: newScaled32(linop.NewHost(m.Rows, pool), d)}}
}
