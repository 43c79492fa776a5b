package precond

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// simple are the kinds that need no factorisation of the whole matrix.
var simple = []Kind{Jacobi, BlockJacobi, Chebyshev, FSAI}

// M^-1 is symmetric to rounding and positive definite at every accuracy.
func TestSymmetricPositiveDefinite(t *testing.T) {
	pool := newPool(t, 2)
	for name, m := range positive(t) {
		for _, k := range simple {
			for _, epsilon := range []float64{0x1p-8, 0, adaptive.MinEpsilon} {
				p := mustNew(t, k, m, Options{Symmetric: true, Epsilon: epsilon}, pool)
				b, n := denseOf(p, m.Rows), m.Rows
				a := make([]float64, n*n)
				for i := range n {
					for j := range n {
						a[i*n+j] = b[i][j]
						if d := math.Abs(b[i][j] - b[j][i]); d > 0x1p-45*math.Sqrt(b[i][i]*b[j][j]) {
							t.Fatalf("%s, %s, epsilon %g: entries (%d, %d) are %g and %g", name, k, epsilon, i, j, b[i][j], b[j][i])
						}
					}
				}
				if !denseCholesky(a, n) {
					t.Errorf("%s, %s, epsilon %g: not positive definite", name, k, epsilon)
				}
			}
		}
	}
}

func TestSameBitsForAnyThreads(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{
		"poisson":    generated(t, "poisson3d", generate.Params{"n": 33}),
		"elasticity": wide(generated(t, "elasticity3d", generate.Params{"n": 12})),
	} {
		for _, k := range simple {
			var want vector
			for _, threads := range []int{1, 2, 3, 8} {
				p := mustNew(t, k, m, Options{Symmetric: true}, newPool(t, threads))
				x := make(vector, m.Rows)
				p.Apply(x, random(m.Rows, 1))
				if want == nil {
					want = x
				} else if !slices.Equal(x, want) {
					t.Errorf("%s of %s: %d threads give other bits", k, name, threads)
				}
			}
		}
	}
}

func TestApplyDoesNotAllocate(t *testing.T) {
	m := generated(t, "elasticity3d", generate.Params{"n": 12})
	for _, threads := range []int{1, 2} {
		for _, k := range simple {
			for _, m := range []*csr.Matrix{m, wide(m)} {
				p := mustNew(t, k, m, Options{Symmetric: true}, newPool(t, threads))
				x, y := make(vector, m.Rows), random(m.Rows, 1)
				if n := testing.AllocsPerRun(5, func() { p.Apply(x, y) }); n != 0 {
					t.Errorf("%s, %d threads: %v allocations", k, threads, n)
				}
			}
		}
	}
}

// What a cost says is what is there: less at less accuracy, FP64 at the full one.
func TestCost(t *testing.T) {
	m, pool := generated(t, "elasticity3d", generate.Params{"n": 12}), newPool(t, 2)
	for _, k := range simple {
		reduced := mustNew(t, k, m, Options{Symmetric: true}, pool).Cost()
		full := mustNew(t, k, m, Options{Symmetric: true, Epsilon: adaptive.MinEpsilon}, pool).Cost()
		if full.ValueBytes != 8*full.Values {
			t.Errorf("%s: %+v at full accuracy", k, full)
		}
		// What multiplies with a stored matrix keeps FP64 where that is faster.
		if plain := reduced.ValueBytes == 8*reduced.Values && (k == Chebyshev || k == FSAI); plain {
			continue
		}
		if diagonal := int64(8 * m.Rows); reduced.ValueBytes > 4*reduced.Values+diagonal/2 || reduced.Bytes >= full.Bytes {
			t.Errorf("%s: %+v against %+v", k, reduced, full)
		}
	}
}

func TestMemoryLimit(t *testing.T) {
	m := generated(t, "poisson2d", generate.Params{"n": 40})
	for _, k := range simple {
		if _, err := New(context.Background(), k, m, Options{Symmetric: true, MaxBytes: 1000}, nil); !errors.Is(err, ErrMemory) {
			t.Errorf("%s: %v", k, err)
		}
		if _, err := New(context.Background(), k, m, Options{Symmetric: true, MaxBytes: 1 << 30}, nil); err != nil {
			t.Errorf("%s: %v", k, err)
		}
	}
}

// Reduced accuracy costs at most 5 % more iterations in the median.
func TestIterations(t *testing.T) {
	pool := newPool(t, 2)
	more := map[Kind][]float64{}
	try := func(name string, m *csr.Matrix) {
		plain := pcg(m, mustNew(t, Jacobi, m, Options{Symmetric: true, Epsilon: adaptive.MinEpsilon}, pool), pool, 20000)
		for _, k := range simple {
			full := pcg(m, mustNew(t, k, m, Options{Symmetric: true, Epsilon: adaptive.MinEpsilon}, pool), pool, 20000)
			reduced := pcg(m, mustNew(t, k, m, Options{Symmetric: true}, pool), pool, 20000)
			more[k] = append(more[k], float64(reduced)/float64(full))
			t.Logf("%s: %s takes %d iterations, in FP64 %d", name, k, reduced, full)
			if reduced > plain+plain/20+2 {
				t.Errorf("%s: %s takes %d iterations, Jacobi %d", name, k, reduced, plain)
			}
		}
	}
	try("poisson2d", generated(t, "poisson2d", generate.Params{"n": 60}))
	try("poisson3d", generated(t, "poisson3d", generate.Params{"n": 16}))
	try("anisotropic2d", generated(t, "anisotropic2d", generate.Params{"n": 40}))
	if !testing.Short() {
		t.Run("real", func(t *testing.T) { realSymmetric(t, 2000, try) })
	}
	for k, ratios := range more {
		slices.Sort(ratios)
		median := ratios[len(ratios)/2]
		t.Logf("%s: %.3f times as many iterations in the median, %.3f at most", k, median, ratios[len(ratios)-1])
		if median > 1.05 {
			t.Errorf("%s: %.3f times as many iterations in the median", k, median)
		}
	}
}

func TestJacobiZeroDiagonal(t *testing.T) {
	m := fromRows(t, [][]float64{
		{2, 1, 0, 0},
		{1, 0, 3, 0},
		{0, 3, -8, 0},
		{0, 0, 0, 0},
	})
	for _, c := range []struct {
		symmetric bool
		want      []float64
	}{
		{true, []float64{0.5, 0.25, 0.125, 1}},
		{false, []float64{0.5, 0.25, -0.125, 1}},
	} {
		p, said := logged(t, Jacobi, m, Options{Symmetric: c.symmetric})
		x := make(vector, 4)
		if p.Apply(x, vector{1, 1, 1, 1}); !slices.Equal(x, c.want) {
			t.Errorf("symmetric %v: %v, want %v", c.symmetric, x, c.want)
		}
		if said != "jacobi: zero diagonal entries replaced by absolute row sums: 2" {
			t.Errorf("said %q", said)
		}
	}
	p, said := logged(t, BlockJacobi, m, Options{Symmetric: true})
	x := make(vector, 4)
	if p.Apply(x, vector{1, 1, 1, 1}); !slices.Equal(x, []float64{0.5, 0.25, 0.125, 1}) {
		t.Errorf("block: %v", x)
	}
	if said != "bjacobi: blocks that are not positive definite replaced by their diagonal: 1 of 1" {
		t.Errorf("said %q", said)
	}
	for _, k := range []Kind{Chebyshev, FSAI} {
		if _, err := New(context.Background(), k, m, Options{Symmetric: true}, nil); !errors.Is(err, ErrNotDefinite) {
			t.Errorf("%s: %v", k, err)
		}
	}
}

// Not a number in A is an error, in r it comes through.
func TestNaN(t *testing.T) {
	rows := [][]float64{{4, 1, 0}, {1, 4, 1}, {0, 1, 4}}
	for _, k := range simple {
		p := mustNew(t, k, fromRows(t, rows), Options{Symmetric: true}, nil)
		x := make(vector, 3)
		if p.Apply(x, vector{1, math.NaN(), 1}); !math.IsNaN(x[1]) {
			t.Errorf("%s hides NaN: %v", k, x)
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			m := fromRows(t, rows)
			for e := range m.Val {
				if m.Val[e] == 4 {
					m.Val[e] = bad
				}
			}
			if _, err := New(context.Background(), k, m, Options{Symmetric: true}, nil); err == nil {
				t.Errorf("%s takes a matrix with %g on its diagonal", k, bad)
			}
		}
	}
}
