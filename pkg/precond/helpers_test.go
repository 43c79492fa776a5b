package precond

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

func newPool(tb testing.TB, threads int) *parallel.Pool {
	tb.Helper()
	p := parallel.New(threads)
	tb.Cleanup(p.Close)
	return p
}

func generated(tb testing.TB, kind string, p generate.Params) *csr.Matrix {
	tb.Helper()
	m, err := generate.Generate(kind, p)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func random(n int, seed uint64) vector {
	rng := rand.New(rand.NewPCG(seed, 17))
	x := make(vector, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// denseOf returns M^-1, column by column.
func denseOf(p Preconditioner, n int) []vector {
	columns := make([]vector, n)
	for j := range columns {
		e := make(vector, n)
		e[j] = 1
		columns[j] = make(vector, n)
		p.Apply(columns[j], e)
	}
	return columns
}

// solved is the number of iterations of a method to a relative residual of 1e-8.
func solved(tb testing.TB, method krylov.Method[vector, scalar], m *csr.Matrix, p Preconditioner, pool *parallel.Pool) int {
	tb.Helper()
	r := method.Solve(context.Background(), linop.NewCSR(m, pool), make(vector, m.Rows), random(m.Rows, 5), krylov.Options[vector]{
		Tol: 1e-8, MaxIter: 20000, Precond: p, Flexible: Varies(p), Unconfirmed: true,
	})
	if !r.Reason.Converged() {
		tb.Errorf("%v after %d iterations with %v", r.Reason, r.Iterations, p)
	}
	return r.Iterations
}

// pcg is the number of iterations of conjugate gradients with a preconditioner.
func pcg(tb testing.TB, k Kind, m *csr.Matrix, opt Options, pool *parallel.Pool) int {
	tb.Helper()
	opt.Symmetric = true
	return solved(tb, krylov.NewCG[vector, scalar](linop.NewHost(m.Rows, pool)), m, mustNew(tb, k, m, opt, pool), pool)
}

func wideExponent(i int) int { return i%5*10 - 20 }

// wide has rows of very different size: S A S, A as given.
func wide(m *csr.Matrix) *csr.Matrix {
	e := make([]int, m.Rows)
	for i := range e {
		e[i] = wideExponent(i)
	}
	return csr.Scaling{Row: e, Col: e}.Apply(m, nil)
}

// setupOf returns what makers take.
func setupOf(m *csr.Matrix, opt Options) setup {
	return setup{Options: opt.withDefaults(), ctx: context.Background(), m: m}
}

func mustNew(tb testing.TB, k Kind, m *csr.Matrix, opt Options, pool *parallel.Pool) Preconditioner {
	tb.Helper()
	p, err := New(context.Background(), k, m, opt, pool)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// positive are small symmetric positive definite matrices.
func positive(tb testing.TB) map[string]*csr.Matrix {
	return map[string]*csr.Matrix{
		"poisson":      generated(tb, "poisson2d", generate.Params{"n": 9}),
		"elasticity":   generated(tb, "elasticity3d", generate.Params{"n": 3}),
		"wathen":       generated(tb, "wathen", generate.Params{"nx": 4, "ny": 4}),
		"badly scaled": wide(generated(tb, "poisson2d", generate.Params{"n": 9})),
		"1 x 1":        fromRows(tb, [][]float64{{3}}),
		"none":         {},
	}
}

// logged sets up a preconditioner and returns what was said.
func logged(tb testing.TB, k Kind, m *csr.Matrix, opt Options) (Preconditioner, string) {
	tb.Helper()
	var lines []string
	opt.Log = func(line string) { lines = append(lines, line) }
	return mustNew(tb, k, m, opt, nil), strings.Join(lines, "\n")
}

// closeTo checks got against want, each up to tol times the largest of want.
func closeTo(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	size := 0.0
	for _, v := range want {
		size = max(size, math.Abs(v))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tol*size) {
			t.Errorf("%s: element %d is %g, want %g", what, i, got[i], want[i])
			return
		}
	}
}

// sparse makes a matrix of what fill adds.
func sparse(t testing.TB, n int, fill func(add func(i, j int, v float64))) *csr.Matrix {
	t.Helper()
	b, err := csr.NewBuilder(n, n)
	if err != nil {
		t.Fatal(err)
	}
	fill(func(i, j int, v float64) {
		if err := b.Add(i, j, v); err != nil {
			t.Fatal(err)
		}
	})
	return b.Build()
}

// randomSparse is diagonally dominant, so that all factors exist; symmetric ones
// are positive definite.
func randomSparse(t testing.TB, n int, perRow float64, symmetric bool, seed uint64) *csr.Matrix {
	r := rand.New(rand.NewPCG(seed, 1))
	return sparse(t, n, func(add func(i, j int, v float64)) {
		sum := make([]float64, n)
		for i := range n {
			for j := range i {
				if r.Float64()*float64(n) > perRow {
					continue
				}
				v, w := r.NormFloat64(), r.NormFloat64()
				if symmetric {
					w = v
				}
				add(i, j, v)
				add(j, i, w)
				sum[i] += math.Abs(v)
				sum[j] += math.Abs(w)
			}
		}
		for i := range n {
			add(i, i, sum[i]+0.1)
		}
	})
}

func laplace(t testing.TB, points int) *csr.Matrix {
	t.Helper()
	return generated(t, "poisson2d", generate.Params{"n": float64(points)})
}

func dotted(x, y []float64) (s float64) {
	for i := range x {
		s += x[i] * y[i]
	}
	return s
}

// fromRows makes a matrix of the nonzeros of rows; NaN counts as one.
func fromRows(tb testing.TB, rows [][]float64) *csr.Matrix {
	cols := 0
	if len(rows) > 0 {
		cols = len(rows[0])
	}
	b, err := csr.NewBuilder(len(rows), cols)
	for i, row := range rows {
		for j, v := range row {
			if v != 0 && err == nil {
				err = b.Add(i, j, v)
			}
		}
	}
	if err != nil {
		tb.Fatal(err)
	}
	return b.Build()
}

// randomRows makes a matrix of count(i) random entries in row i, some of them in the same place.
func randomRows(tb testing.TB, rng *rand.Rand, rows, cols int, count func(i int) int) *csr.Matrix {
	b, err := csr.NewBuilder(rows, cols)
	for i := range rows {
		for range count(i) {
			if err == nil {
				err = b.Add(i, rng.IntN(cols), rng.NormFloat64()*float64(uint64(1)<<rng.IntN(60)))
			}
		}
	}
	if err != nil {
		tb.Fatal(err)
	}
	return b.Build()
}

// randomDense fills about that share of the entries with numbers whose binary
// exponents lie within spread of zero.
func randomDense(rng *rand.Rand, rows, cols int, share float64, spread int) [][]float64 {
	a := make([][]float64, rows)
	for i := range a {
		a[i] = make([]float64, cols)
		for j := range a[i] {
			if rng.Float64() < share {
				a[i][j] = math.Ldexp(rng.Float64()+0.5, rng.IntN(2*spread+1)-spread) * float64(1-2*rng.IntN(2))
			}
		}
	}
	return a
}

// sameBits compares matrices entry by entry, NaN and the sign of zero included.
func sameBits(a, b *csr.Matrix) bool {
	return a.Rows == b.Rows && a.Cols == b.Cols && slices.Equal(a.RowPtr, b.RowPtr) && slices.Equal(a.Col, b.Col) &&
		slices.EqualFunc(a.Val, b.Val, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}
