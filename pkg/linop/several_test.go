package linop_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Several products have the bits of one after the other, with any epilogue, for any number of threads.
func TestSeveralThreads(t *testing.T) {
	for name, m := range shapes() {
		for kind, rows := range map[string]func(pool *parallel.Pool) linop.Products{
			"CSR":   func(pool *parallel.Pool) linop.Products { return linop.NewCSR(m, pool) },
			"alone": func(pool *parallel.Pool) linop.Products { return linop.NewProducts(alone{m}, csr.Panels(m), pool) },
			"by panel": func(pool *parallel.Pool) linop.Products {
				return linop.NewProducts(byPanel{rows: alone{m}}, csr.Panels(m), pool)
			},
		} {
			for _, threads := range []int{1, 3} {
				a := rows(newPool(t, threads))
				for _, k := range []int{1, 2, 3, 5, 8, 11} {
					if testing.Short() && k != 5 {
						continue
					}
					checkSeveral(t, fmt.Sprintf("%s, %s, %d threads, %d products", name, kind, threads, k), a, k)
				}
			}
		}
	}
}

func checkSeveral(t *testing.T, what string, a linop.Products, k int) {
	t.Helper()
	rows, cols := a.Dims()
	epilogues := []linop.Epilogue{linop.Plain, linop.WithDot, linop.WithDots, linop.Residual, linop.Plus}
	all := make([]linop.Product, k)
	for j := range all {
		all[j] = linop.Product{
			Epilogue: epilogues[j%len(epilogues)], Dst: random(uint64(200+j), rows), Src: random(uint64(100+j), cols),
			B: random(uint64(300+j), rows), W: random(uint64(400+j), rows),
		}
	}
	a.Several(all)
	want := make([]float64, rows)
	for j, p := range all {
		var sums [2]float64
		switch p.Epilogue {
		case linop.Plain:
			a.Apply(want, p.Src)
		case linop.WithDot:
			sums[0] = a.ApplyDot(want, p.Src, p.W).Float()
		case linop.WithDots:
			dw, dd := a.ApplyDots(want, p.Src, p.W)
			sums = [2]float64{dw.Float(), dd.Float()}
		case linop.Residual:
			a.Residual(want, p.B, p.Src)
		case linop.Plus:
			a.ApplyPlus(want, p.B, p.Src)
		}
		if !sameBits(p.Dst, want) || !slices.Equal(p.Sums[:], sums[:]) {
			t.Fatalf("%s: product %d differs from one by itself; sums %v, want %v", what, j, p.Sums, sums)
		}
	}
}

func TestInterleave(t *testing.T) {
	for _, k := range []int{2, 4, 8} {
		for given := 1; given <= k; given++ {
			const n = 5
			vectors, back := make([][]float64, k), make([][]float64, k)
			for v := range given {
				vectors[v], back[v] = random(uint64(v), n), make([]float64, n)
			}
			x := random(99, k*n)
			linop.Interleave(x, vectors)
			for i := range n {
				for v := range k {
					want := 0.0
					if v < given {
						want = vectors[v][i]
					}
					if x[k*i+v] != want {
						t.Fatalf("%d of %d vectors: element %d of vector %d is %g, want %g", given, k, i, v, x[k*i+v], want)
					}
				}
			}
			linop.Separate(back, x)
			for v := range given {
				if !slices.Equal(back[v], vectors[v]) {
					t.Fatalf("%d of %d vectors: vector %d comes back as %v, want %v", given, k, v, back[v], vectors[v])
				}
			}
		}
	}
}
