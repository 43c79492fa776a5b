package precond

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

func newPool(tb testing.TB, threads int) *linop.Pool {
	tb.Helper()
	p := linop.NewPool(threads)
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

// realSymmetric calls do with every real symmetric positive definite matrix
// beside this checkout of at most that many rows, scaled as solvers scale it.
func realSymmetric(tb testing.TB, rows int, do func(name string, m *csr.Matrix)) {
	tb.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "matrices")
	index, err := os.ReadFile(filepath.Join(dir, "INDEX.tsv"))
	if err != nil {
		tb.Skipf("no matrices beside this checkout: %v", err)
	}
	for line := range strings.Lines(string(index)) {
		f := strings.Split(line, "\t")
		if f[4] != "real" && f[4] != "integer" || !strings.Contains(f[8], "sym") || f[8] == "unsym" {
			continue
		}
		if n, err := strconv.Atoi(f[6]); err != nil || n > rows {
			continue
		}
		m := readReal(tb, filepath.Join(dir, f[1]))
		if facts := csr.Examine(m, nil); facts.DiagonalSign() == 0 {
			continue
		} else if facts.DiagonalSign() < 0 {
			m.Negate(nil)
		}
		scaling, err := csr.SymmetricScaling(m, nil)
		if err != nil {
			tb.Fatal(err)
		}
		do(f[0], scaling.Apply(m, nil))
	}
}

func readReal(tb testing.TB, path string) *csr.Matrix {
	tb.Helper()
	c, err := matrixmarket.ReadFile(context.Background(), path, matrixmarket.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	m, err := c.CSR()
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

// pcg solves A x = b by preconditioned conjugate gradients to a relative
// residual of 1e-8 and returns the number of iterations, most + 1 if these do
// not suffice.
func pcg(m *csr.Matrix, p Preconditioner, pool *linop.Pool, most int) int {
	space := linop.NewHost(m.Rows, pool)
	r := krylov.NewCG[vector, scalar](space).Solve(context.Background(), linop.NewCSR(m, pool), space.New(), random(m.Rows, 5),
		krylov.Options[vector]{Tol: 1e-8, MaxIter: most, Precond: p, Unconfirmed: true})
	if !r.Reason.Converged() {
		return most + 1
	}
	return r.Iterations
}

// wide has rows of very different size: S A S, A as given.
func wide(m *csr.Matrix) *csr.Matrix {
	e := make([]int, m.Rows)
	for i := range e {
		e[i] = i%5*10 - 20
	}
	return csr.Scaling{Row: e, Col: e}.Apply(m, nil)
}

// newSetup returns what makers take.
func newSetup(m *csr.Matrix, opt Options) setup {
	return setup{opt.withDefaults(), context.Background(), m, nil}
}

func mustNew(tb testing.TB, k Kind, m *csr.Matrix, opt Options, pool *linop.Pool) Preconditioner {
	tb.Helper()
	p, err := New(context.Background(), k, m, opt, pool)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// fromRows makes a matrix of the nonzeros of rows.
func fromRows(tb testing.TB, rows [][]float64) *csr.Matrix {
	tb.Helper()
	b, err := csr.NewBuilder(len(rows), len(rows))
	if err != nil {
		tb.Fatal(err)
	}
	for i, row := range rows {
		for j, v := range row {
			if v == 0 {
				continue
			}
			if err := b.Add(i, j, v); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return b.Build()
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
