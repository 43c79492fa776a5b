package krylov

import (
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// severalInverse applies a preconditioner to one vector after the other.
type severalInverse struct{ inverse }

func (p severalInverse) ApplyMany(dst, src [][]float64) {
	for k := range dst {
		p.inverse(dst[k], src[k])
	}
}

// byDiagonal divides by the diagonal.
func byDiagonal(m *csr.Matrix) inverse {
	d := make([]float64, m.Rows)
	for i := range d {
		cols, vals := m.Row(i)
		for k, j := range cols {
			if int(j) == i {
				d[i] = vals[k]
			}
		}
	}
	return func(dst, src []float64) { floats.DivTo(dst, src, d) }
}

// columnsOf are right-hand sides with room for x.
func columnsOf(opt hostOptions, b ...[]float64) (columns []*Column) {
	for _, v := range b {
		columns = append(columns, &Column{X: make([]float64, len(v)), B: v, Options: opt})
	}
	return columns
}

// blockSolve solves for several right-hand sides.
func blockSolve(t testing.TB, m *csr.Matrix, by inverse, threads int, columns []*Column) *BlockCG {
	pool := newPool(t, threads)
	block := NewBlockCG(linop.NewHost(m.Rows, pool))
	block.Solve(context.Background(), linop.NewCSR(m, pool), severalOf(by), columns)
	return block
}

func severalOf(by inverse) SeveralPreconditioner {
	if by == nil {
		return nil
	}
	return severalInverse{by}
}

func generated(t testing.TB, kind string, p generate.Params) *csr.Matrix {
	t.Helper()
	m, err := generate.Generate(kind, p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// random8 are eight random right-hand sides.
func random8(n int) (b [][]float64) {
	for k := range 8 {
		b = append(b, random(uint64(k+1), n))
	}
	return b
}

// Eight random right-hand sides share what they learn of A: each takes less iterations than alone, with and without a
// preconditioner, and the same bits for any number of threads.
func TestBlockCGThreads(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{
		"poisson2d":    generated(t, "poisson2d", generate.Params{"n": 40}),
		"poisson3d":    generated(t, "poisson3d", generate.Params{"n": 12}),
		"elasticity3d": generated(t, "elasticity3d", generate.Params{"n": 6}),
		"solid3d":      generated(t, "solid3d", generate.Params{"n": 6}),
		"stiff":        stiff(200),
	} {
		for kind, by := range map[string]inverse{"": nil, " with jacobi": byDiagonal(m), " with ssor": symmetricGaussSeidel(m)} {
			if testing.Short() && (kind == " with ssor" || strings.HasSuffix(name, "3d") && kind == "") { // one thread does ssor
				continue
			}
			b := random8(m.Rows)
			columns := columnsOf(hostOptions{Tol: 1e-8}, b...)
			blockSolve(t, m, by, 1, columns)
			again := columnsOf(hostOptions{Tol: 1e-8}, b...)
			blockSolve(t, m, by, 2, again)
			most, alone := 0, 0
			for k, c := range columns {
				if r := trueResidual(t, m, c.X, b[k]); c.Result.Reason != Converged || r > nearly*1e-8 {
					t.Errorf("%s%s: right-hand side %d: %v after %d iterations, residual %.1e", name, kind, k, c.Result.Reason, c.Result.Iterations, r)
				}
				if !sameBits(c.X, again[k].X) {
					t.Errorf("%s%s: other bits with two threads", name, kind)
				}
				most = max(most, c.Result.Iterations)
				pool := newPool(t, 1)
				opt := hostOptions{Tol: 1e-8}
				if by != nil {
					opt.Precond = by
				}
				cg := NewCG[[]float64, linop.Float64](linop.NewHost(m.Rows, pool))
				alone = max(alone, cg.Solve(context.Background(), linop.NewCSR(m, pool), make([]float64, m.Rows), b[k], opt).Iterations)
			}
			t.Logf("%s%s: %d iterations, alone %d", name, kind, most, alone)
			if most > alone*9/10 {
				t.Errorf("%s%s: %d iterations, alone %d", name, kind, most, alone)
			}
		}
	}
}

// Right-hand sides that depend on each other, are zero, solved by a guess, alone, or far from each other in size.
func TestBlockCGDependent(t *testing.T) {
	m := grid(20, 0)
	n := m.Rows
	a, b := random(1, n), random(2, n)
	sum := make([]float64, n)
	floats.AddScaledTo(sum, a, 3, b)
	near := append([]float64(nil), a...)
	near[n/2] += 1e-9
	for name, sides := range map[string][][]float64{
		"one":         {a},
		"equal":       {a, a, a, a},
		"dependent":   {a, b, sum},
		"nearly":      {a, near, b},
		"zero":        {make([]float64, n), a, make([]float64, n)},
		"all zero":    {make([]float64, n), make([]float64, n)},
		"sizes":       {a, times(1e-100, b), times(1e100, sum), times(1e100, a)},
		"eigenvector": {sineOf(20), a, b},
		"more than n": nil,
	} {
		m := m
		if sides == nil {
			m = diagonal(1, 2, 3, 4)
			sides = random8(4)
		}
		for kind, by := range map[string]inverse{"": nil, " with ssor": symmetricGaussSeidel(m)} {
			columns := columnsOf(hostOptions{Tol: 1e-10}, sides...)
			blockSolve(t, m, by, 1, columns)
			for k, c := range columns {
				if floats.Norm(sides[k], 1) == 0 {
					if c.Result.Reason != ZeroRHS || floats.Norm(c.X, 1) != 0 {
						t.Errorf("%s%s: %v for zero", name, kind, c.Result.Reason)
					}
					continue
				}
				if r := trueResidual(t, m, c.X, sides[k]); c.Result.Reason != Converged || r > nearly*1e-10 {
					t.Errorf("%s%s: right-hand side %d: %v after %d iterations, residual %.1e", name, kind, k, c.Result.Reason, c.Result.Iterations, r)
				}
			}
		}
	}
}

// sineOf is an eigenvector of grid(k, 0).
func sineOf(k int) (v []float64) {
	for range k {
		v = append(v, sine(k)...)
	}
	for i := range v {
		v[i] *= sine(k)[i/k]
	}
	return v
}

// A right-hand side that has converged leaves the others; those that fail say why.
func TestBlockCGEnds(t *testing.T) {
	m := grid(20, 0)
	columns := columnsOf(hostOptions{Tol: 1e-10}, random8(m.Rows)...)
	for k, c := range columns[:6] { // far less to do
		c.Options.Tol = 1e-1
		if k == 0 {
			c.Options.Tol, c.Options.MaxIter = 1e-10, 5
		}
	}
	columns[7].Options.Guess = true
	copy(columns[7].X, columns[7].B)
	blockSolve(t, m, nil, 1, columns)
	for k, c := range columns {
		want := Converged
		if k == 0 {
			want = IterationLimit
		}
		r := trueResidual(t, m, c.X, c.B)
		if c.Result.Reason != want || want == Converged && r > nearly*c.Options.Tol {
			t.Errorf("right-hand side %d: %v after %d iterations, residual %.1e", k, c.Result.Reason, c.Result.Iterations, r)
		}
	}
	if columns[0].Result.Iterations != 5 || columns[1].Result.Iterations >= columns[6].Result.Iterations {
		t.Errorf("%d, %d and %d iterations", columns[0].Result.Iterations, columns[1].Result.Iterations, columns[6].Result.Iterations)
	}
	columns = columnsOf(hostOptions{}, random8(144)...)
	blockSolve(t, shifted(grid(12, 0), -2.5), nil, 1, columns)
	for _, c := range columns {
		if c.Result.Reason != Indefinite {
			t.Errorf("indefinite: %v", c.Result.Reason)
		}
	}
	columns = columnsOf(hostOptions{}, random8(m.Rows)...)
	blockSolve(t, m, func(dst, src []float64) { floats.ScaleTo(dst, -1, src) }, 1, columns)
	for _, c := range columns {
		if c.Result.Reason != IndefinitePreconditioner {
			t.Errorf("indefinite preconditioner: %v", c.Result.Reason)
		}
	}
}

// A solve that goes on from recomputed residuals takes about as many iterations in two parts as in one, where one that begins anew takes more.
func TestBlockCGReplaces(t *testing.T) {
	m := generated(t, "elasticity3d", generate.Params{"n": 7})
	pool := newPool(t, 1)
	a := linop.NewCSR(m, pool)
	parts := func(replaces float64) (iterations int) {
		block := NewBlockCG(linop.NewHost(m.Rows, pool))
		columns := columnsOf(hostOptions{Tol: 1e-3, MaxIter: 1000, Unconfirmed: true}, random8(m.Rows)...)
		block.Solve(context.Background(), a, nil, columns)
		for _, c := range columns {
			r := append([]float64(nil), c.B...)
			a.Residual(r, c.B, c.X)
			c.B, c.Options.Replaces, c.Options.Tol = r, replaces, 1e-5
		}
		first := columns[0].Result.Iterations
		block.Solve(context.Background(), a, nil, columns)
		for _, c := range columns {
			if c.Result.Reason != Converged {
				t.Errorf("replaces %v: %v", replaces, c.Result.Reason)
			}
			iterations = max(iterations, first+c.Result.Iterations)
		}
		return iterations
	}
	if on, anew := parts(1), parts(0); on >= anew {
		t.Errorf("%d iterations going on, %d beginning anew", on, anew)
	}
}
