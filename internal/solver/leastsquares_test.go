package solver

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// randomRectangle is a matrix with about three nonzeros a row and columns of different sizes.
func randomRectangle(t *testing.T, rows, cols int, decades float64) *csr.Matrix {
	t.Helper()
	v, where := testsupport.Random(5, rows*cols), testsupport.Random(6, rows*cols)
	m := mat.NewDense(rows, cols, nil)
	for k, e := range v {
		i, j := k/cols, k%cols
		if i%cols == j%rows || where[k] > 1-6/float64(cols) {
			m.Set(i, j, (e+math.Copysign(1, e))*math.Pow(10, decades*math.Sin(float64(j))))
		}
	}
	s, err := csr.FromMat(m)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// least is the least-squares solution of least norm, of the matrix with columns of norm 1.
func least(t *testing.T, m *csr.Matrix, b []float64) []float64 {
	t.Helper()
	a := mat.DenseCopyOf(m)
	sizes := make([]float64, m.Cols)
	for j := range sizes {
		sizes[j] = mat.Norm(a.ColView(j), 2)
	}
	a.Apply(func(_, j int, v float64) float64 { return v / sizes[j] }, a)
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		t.Fatal("no SVD")
	}
	var x mat.VecDense
	svd.SolveVecTo(&x, mat.NewVecDense(len(b), b), svd.Rank(1e-12))
	for j := range sizes {
		x.SetVec(j, x.AtVec(j)/sizes[j])
	}
	return x.RawVector().Data
}

// Least-squares solutions are those of a dense definition, to the digits that the tolerance lets expect,
// whatever the sizes of A and b are, with the same bits for any number of threads.
func TestLeastSquaresThreads(t *testing.T) {
	for _, c := range []struct {
		rows, cols int
		decades    float64
		sizeA      float64
		sizeB      float64
	}{{120, 40, 0, 1, 1}, {120, 40, 5, 1, 1}, {70, 60, 1, 1e150, 1e-100}, {120, 40, 1, 1e-250, 1e-20}} {
		m := rescaled(randomRectangle(t, c.rows, c.cols, c.decades), same(c.sizeA), same(1))
		b := testsupport.Random(7, c.rows)
		for i := range b {
			b[i] *= c.sizeB
		}
		var bits []float64
		for threads := 1; threads <= 3; threads++ {
			s := newSolver(t, m, solve.Options{Method: solve.LSQR, Accuracy: solve.Accuracy{Tol: 1e-12}, Limits: solve.Limits{Threads: threads}})
			r, err := s.Solve(t.Context(), b, nil)
			if err != nil || r.Reason != krylov.LeastSquares || r.LeastSquares.Columns > 1e-12 || r.Advice != "" {
				t.Fatalf("%+v: %v, %v, %+v", c, err, r.Reason, r.LeastSquares)
			}
			if threads == 1 {
				bits = r.X
			}
			if !testsupport.SameBits(r.X, bits) {
				t.Errorf("%+v: other bits with %d threads", c, threads)
			}
		}
		unit, rhs := rescaled(m, same(1/c.sizeA), same(1)), make([]float64, len(b))
		for i := range b {
			rhs[i] = b[i] / c.sizeB
		}
		for j, want := range least(t, unit, rhs) {
			if got := bits[j] / c.sizeB * c.sizeA; math.Abs(got-want) > 1e-8*math.Abs(want) {
				t.Fatalf("%+v: x_%d = %g, want %g", c, j, got, want)
			}
		}
	}
}

// Systems that have solutions converge, without scaling to the solution of least norm; systems that cannot be solved within the
// limit is not called solved; a zero b has x = 0; and the context ends a solve.
func TestLeastSquaresReasons(t *testing.T) {
	tall, wide := randomRectangle(t, 90, 30, 1), randomRectangle(t, 30, 90, 0)
	run := func(ctx context.Context, m *csr.Matrix, b []float64, opt solve.Options) solve.Result {
		t.Helper()
		opt.Method = solve.LSQR
		r, err := newSolver(t, m, opt).Solve(ctx, b, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	b := make([]float64, 90)
	tall.MulVec(b, testsupport.Random(8, 30))
	if r := run(t.Context(), tall, b, solve.Options{}); r.Reason != krylov.Converged || r.Errors.RelativeResidual > 1e-10 {
		t.Errorf("a system with a solution: %v", r.Reason)
	}
	x := run(t.Context(), wide, b[:30], solve.Options{Scale: solve.ScaleNone, Accuracy: solve.Accuracy{Tol: 1e-13}})
	if x.Reason != krylov.Converged {
		t.Errorf("fewer equations than unknowns: %v", x.Reason)
	}
	var of mat.SVD
	of.Factorize(mat.DenseCopyOf(wide), mat.SVDThin)
	var want mat.VecDense
	of.SolveVecTo(&want, mat.NewVecDense(30, b[:30]), 30)
	for j, v := range x.X {
		if math.Abs(v-want.AtVec(j)) > 1e-9*mat.Norm(&want, 2) {
			t.Fatalf("x_%d = %g, of least norm %g", j, v, want.AtVec(j))
		}
	}
	random := testsupport.Random(9, 90)
	if r := run(t.Context(), tall, random, solve.Options{Limits: solve.Limits{MaxIter: 3}}); r.Reason != krylov.IterationLimit || r.Advice == "" || r.LeastSquares.Columns < 1e-10 {
		t.Errorf("3 iterations: %v", r.Reason)
	}
	if r := run(t.Context(), tall, make([]float64, 90), solve.Options{}); r.Reason != krylov.ZeroRHS || special.AbsMax(r.X) != 0 {
		t.Errorf("b = 0: %v", r.Reason)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := newSolver(t, tall, solve.Options{Method: solve.LSQR})
	cancel()
	if r, err := s.Solve(ctx, random, nil); err != nil || r.Reason != krylov.Interrupted {
		t.Errorf("interrupted: %v, %v", r.Reason, err)
	}
	auto := newSolver(t, tall, solve.Options{})
	if auto.Method != solve.LSQR {
		t.Errorf("the rules choose %s", auto.Method)
	}
	for _, opt := range []solve.Options{
		{Method: solve.GMRES},
		{Method: solve.CG},
		{Method: solve.LSQR, Precond: solve.Precond{Kind: precond.ILU0}},
		{Method: solve.LSQR, Accuracy: solve.Accuracy{Stop: solve.StopCW}},
		{Method: solve.LSQR, Accuracy: solve.Accuracy{Digits: 3}},
		{Method: solve.LSQR, Reorder: solve.ReorderRCM},
	} {
		if _, err := New(t.Context(), tall, opt); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}
