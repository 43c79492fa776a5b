package dist_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// benched is the matrix to measure with: the file MPSOLVE_BENCH, or Poisson's equation in a cube.
func benched(b *testing.B) *csr.Matrix {
	b.Helper()
	if name := os.Getenv("MPSOLVE_BENCH"); name != "" {
		c, err := matrixmarket.ReadFile(context.Background(), name, matrixmarket.Options{})
		if err != nil {
			b.Fatal(err)
		}
		return c.Matrix
	}
	m, err := generate.Generate("poisson3d", generate.Params{"n": 120})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// place is a way to multiply a matrix: whole in one process, as without ranks, or in domains.
type place struct {
	name  string
	space linop.Host
	a     linop.Relaxer[vector, linop.Float64]
}

// places returns the ways to multiply m, in FP64 CSR and in slots; whole-exact-sums differs from whole only in the
// sums of vector operations.
func places(b *testing.B, m *csr.Matrix, pool *parallel.Pool) (list []place) {
	b.Helper()
	set, err := adaptive.LookupSet("AFX")
	if err != nil {
		b.Fatal(err)
	}
	spec := adaptive.Spec{Set: set, Epsilon: 0x1p-37}
	stored := func(m *csr.Matrix, whole *adaptive.Whole) adaptive.Matrix {
		spec.Whole = whole
		a, err := adaptive.Build(m, spec, pool)
		if err != nil {
			b.Fatal(err)
		}
		return a
	}
	norm, err := adaptive.NormOf(m, spec, pool)
	if err != nil {
		b.Fatal(err)
	}
	host := linop.NewHost(m.Rows, pool)
	exact := linop.NewHost(m.Rows, pool)
	exact.SetReducer(dist.NewReducer(dist.Self{}))
	whole := stored(m, nil)
	list = append(list, place{"csr/whole", host, linop.NewCSR(m, pool)}, place{"afx/whole", host, whole}, place{"afx/whole-exact-sums", exact, whole})
	for _, domains := range []int{1, 2, 8} {
		d, err := dist.Spread(dist.Self{}, m, domains)
		if err != nil {
			b.Fatal(err)
		}
		var parts []linop.Products
		for k := range d.Parts {
			parts = append(parts, stored(d.PartOf(d.Local, k, nil), &adaptive.Whole{Norm: norm, Parts: domains}).Products())
		}
		space := dist.NewSpace(d.Layout, pool)
		list = append(list, place{fmt.Sprint("csr/", domains), space, dist.NewCSR(d, d.Local, pool)},
			place{fmt.Sprint("afx/", domains), space, dist.NewOperator(d, parts, pool)})
	}
	return list
}

// BenchmarkProduct compares a product in domains with a product of the whole matrix.
func BenchmarkProduct(b *testing.B) {
	m := benched(b)
	for _, threads := range []int{1, 2} {
		pool := parallel.New(threads)
		defer pool.Close()
		for _, p := range places(b, m, pool) {
			x, y := p.space.New(), p.space.New()
			p.space.Fill(x, func(i int) float64 { return float64(i%7) - 3 })
			b.Run(fmt.Sprintf("%s/threads-%d", p.name, threads), func(b *testing.B) {
				for b.Loop() {
					p.a.Apply(y, x)
				}
			})
		}
	}
}

// BenchmarkSolve compares 50 iterations in domains, with exact sums, with iterations on the whole matrix.
func BenchmarkSolve(b *testing.B) {
	m := benched(b)
	pool := parallel.New(2)
	defer pool.Close()
	for _, method := range []string{"cg", "gmres"} {
		for _, p := range places(b, m, pool) {
			x, rhs := p.space.New(), p.space.New()
			p.space.Fill(rhs, func(i int) float64 { return float64(i%7) - 3 })
			k, err := krylov.New[vector, linop.Float64](method, p.space, krylov.MethodOptions{})
			if err != nil {
				b.Fatal(err)
			}
			b.Run(method+"/"+p.name, func(b *testing.B) {
				for b.Loop() {
					k.Solve(context.Background(), p.a, x, rhs, krylov.Options[vector]{Tol: 1e-60, MaxIter: 50})
				}
			})
		}
	}
}
