package krylov

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

type (
	hostMethod   = Method[[]float64, linop.Float64]
	hostOptions  = Options[[]float64]
	hostOperator = linop.Operator[[]float64, linop.Float64]
)

func newPool(t testing.TB, threads int) *linop.Pool {
	t.Helper()
	p := linop.NewPool(threads)
	t.Cleanup(p.Close)
	return p
}

// dense makes a sparse matrix of rows.
func dense(rows ...[]float64) *csr.Matrix {
	return entries(len(rows), func(add func(i, j int, v float64)) {
		for i, row := range rows {
			for j, v := range row {
				if v != 0 {
					add(i, j, v)
				}
			}
		}
	})
}

// entries makes an n x n matrix of what fill adds.
func entries(n int, fill func(add func(i, j int, v float64))) *csr.Matrix {
	b, err := csr.NewBuilder(n, n)
	if err != nil {
		panic(err)
	}
	fill(func(i, j int, v float64) {
		if err := b.Add(i, j, v); err != nil {
			panic(err)
		}
	})
	return b.Build()
}

// tridiagonal has l, d and u below, on and above the diagonal.
func tridiagonal(n int, l, d, u float64) *csr.Matrix {
	return entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, i, d)
			if i > 0 {
				add(i, i-1, l)
			}
			if i < n-1 {
				add(i, i+1, u)
			}
		}
	})
}

// grid is the five-point discretisation of -Laplace u + wind u_x on k x k
// points: symmetric for wind = 0.
func grid(k int, wind float64) *csr.Matrix {
	return entries(k*k, func(add func(i, j int, v float64)) {
		for p := range k * k {
			add(p, p, 4)
			if p%k > 0 {
				add(p, p-1, -1-wind)
			}
			if p%k < k-1 {
				add(p, p+1, -1+wind)
			}
			if p >= k {
				add(p, p-k, -1)
			}
			if p < k*k-k {
				add(p, p+k, -1)
			}
		}
	})
}

func hilbert(n int) *csr.Matrix {
	return entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			for j := range n {
				add(i, j, 1/float64(i+j+1))
			}
		}
	})
}

func diagonal(d ...float64) *csr.Matrix {
	return entries(len(d), func(add func(i, j int, v float64)) {
		for i, v := range d {
			add(i, i, v)
		}
	})
}

// shift is the permutation that moves every element one place on, cyclically.
func shift(n int) *csr.Matrix {
	return entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			add((i+1)%n, i, 1)
		}
	})
}

func scaledBy(a float64, m *csr.Matrix) *csr.Matrix {
	m = m.Clone()
	for k := range m.Val {
		m.Val[k] *= a
	}
	return m
}

// unit is the i-th unit vector.
func unit(n, i int) []float64 {
	x := make([]float64, n)
	x[i] = 1
	return x
}

func constant(n int, v float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = v
	}
	return x
}

func random(seed uint64, n int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 77))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// trueResidual is ||b - A x|| / ||b||, computed in double-double by code that
// the methods do not share; +Inf if x is not finite.
func trueResidual(t testing.TB, m *csr.Matrix, x, b []float64) float64 {
	t.Helper()
	pool := linop.NewPool(1)
	defer pool.Close()
	e, err := verify.Compute(m, x, b, pool)
	if err != nil {
		t.Fatal(err)
	}
	return e.RelativeResidual
}

// methods are all methods and their variants by name.
var methods = []struct {
	name string
	make func(space *linop.Host) hostMethod
}{
	{"cg", func(s *linop.Host) hostMethod { return NewCG[[]float64, linop.Float64](s) }},
	{"bicgstab", func(s *linop.Host) hostMethod { return NewBiCGStab[[]float64, linop.Float64](s) }},
	{"minres", func(s *linop.Host) hostMethod { return NewMINRES[[]float64, linop.Float64](s) }},
	{"gmres 1", gmres(GMRESOptions{Restart: 1})},
	{"gmres 5", gmres(GMRESOptions{Restart: 5})},
	{"gmres 40", gmres(GMRESOptions{})},
	{"gmres full", gmres(GMRESOptions{Restart: math.MaxInt})},
	{"gmres 5 cgs2", gmres(GMRESOptions{Restart: 5, Orthogonalization: CGS2})},
	{"gmres full cgs2", gmres(GMRESOptions{Restart: math.MaxInt, Orthogonalization: CGS2})},
	{"gmres growing", gmres(GMRESOptions{Restart: 2, MaxRestart: math.MaxInt})},
}

func gmres(opt GMRESOptions) func(*linop.Host) hostMethod {
	return func(s *linop.Host) hostMethod { return NewGMRES[[]float64, linop.Float64](s, opt) }
}

// solveWith runs a method, named as in the table, on one thread.
func solveWith(t testing.TB, name string, m *csr.Matrix, x, b []float64, opt hostOptions) Result {
	t.Helper()
	return solveCtx(t, context.Background(), name, m, x, b, opt)
}

func solveCtx(t testing.TB, ctx context.Context, name string, m *csr.Matrix, x, b []float64, opt hostOptions) Result {
	t.Helper()
	pool := newPool(t, 1)
	for _, c := range methods {
		if c.name == name {
			return c.make(linop.NewHost(m.Rows, pool)).Solve(ctx, linop.NewCSR(m, pool), x, b, opt)
		}
	}
	t.Fatalf("no method %q", name)
	return Result{}
}
