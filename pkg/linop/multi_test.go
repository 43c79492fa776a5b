package linop_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// alone is rows that multiply one vector at a time.
type alone struct{ m *csr.Matrix }

func (a alone) Dims() (rows, cols int) { return a.m.Rows, a.m.Cols }
func (a alone) Begin([]float64)        {}
func (a alone) MulRows(dst []float64, _, lo, hi int, x []float64) {
	for i := lo; i < hi; i++ {
		cols, vals := a.m.Row(i)
		dst[i] = 0
		for k, j := range cols {
			dst[i] += float64(vals[k] * x[j])
		}
	}
}

// unprepared needs no preparation of products.
type unprepared struct{}

func (unprepared) Begin([]float64)           {}
func (unprepared) BeginMulti([]float64, int) {}
func (unprepared) ByPanel() bool             { return true }

// byPanel is alone panel by panel.
type byPanel struct {
	unprepared
	rows alone
}

func (a byPanel) Dims() (rows, cols int) { return a.rows.Dims() }
func (a byPanel) MulRows(dst []float64, panel, lo, hi int, x []float64) {
	a.rows.MulRows(dst, panel, lo, hi, x)
}

// Products with several vectors have the bits of as many products, for any number of threads
// and of vectors.
func TestMultiThreads(t *testing.T) {
	operators := map[string]func(m *csr.Matrix, pool *parallel.Pool) linop.MultiOperator{
		"CSR":   func(m *csr.Matrix, pool *parallel.Pool) linop.MultiOperator { return linop.NewCSR(m, pool) },
		"CSR32": func(m *csr.Matrix, pool *parallel.Pool) linop.MultiOperator { return linop.NewCSR32(m, pool) },
		"alone": func(m *csr.Matrix, pool *parallel.Pool) linop.MultiOperator {
			return linop.NewProducts(alone{m}, csr.Panels(m), pool)
		},
		"by panel": func(m *csr.Matrix, pool *parallel.Pool) linop.MultiOperator {
			return linop.NewProducts(byPanel{rows: alone{m}}, csr.Panels(m), pool)
		},
	}
	for name, m := range shapes() {
		for kind, operator := range operators {
			for _, threads := range []int{1, 3} {
				a := operator(m, newPool(t, threads))
				for _, k := range []int{0, 1, 2, 3, 4, 5, 8, 13} {
					if testing.Short() && k != 5 {
						continue
					}
					checkMulti(t, fmt.Sprintf("%s, %s, %d threads, %d vectors", name, kind, threads, k), a, k)
				}
			}
		}
	}
}

func checkMulti(t *testing.T, what string, a linop.MultiOperator, k int) {
	t.Helper()
	rows, cols := a.Dims()
	dst, src := linop.NewMultiVector(rows, k), linop.NewMultiVector(cols, k)
	for j := range k {
		src.Set(j, random(uint64(100+j), cols))
		dst.Set(j, random(uint64(200+j), rows)) // to be overwritten
	}
	a.ApplyMulti(dst, src)
	x, y, want := make([]float64, cols), make([]float64, rows), make([]float64, rows)
	for j := range k {
		src.Get(j, x)
		if !sameBits(x, random(uint64(100+j), cols)) {
			t.Fatalf("%s: vector %d is not what was set", what, j)
		}
		a.Apply(want, x)
		if dst.Get(j, y); !sameBits(y, want) {
			t.Fatalf("%s: vector %d differs from a product of its own", what, j)
		}
	}
}

func TestMultiVector(t *testing.T) {
	for k, widths := range map[int]string{0: "[]", 1: "[1]", 2: "[2]", 3: "[4]", 4: "[4]", 5: "[8]", 8: "[8]", 9: "[8 1]", 19: "[8 8 4]"} {
		v := linop.NewMultiVector(5, k)
		got := []int{}
		for _, g := range v.Groups() {
			got = append(got, g.Width)
			if len(g.Data) != 5*g.Width {
				t.Errorf("%d vectors: %d numbers in a group of %d", k, len(g.Data), g.Width)
			}
		}
		if fmt.Sprint(got) != widths {
			t.Errorf("%d vectors: groups %v, want %s", k, got, widths)
		}
	}
	v := linop.NewMultiVector(2, 3)
	v.Set(2, []float64{7, 9})
	if g := v.Groups()[0].Data; g[2] != 7 || g[6] != 9 {
		t.Errorf("interleaved: %v", g)
	}
}

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
			kernels.Interleave(x, vectors)
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
			kernels.Separate(back, x)
			for v := range given {
				if !slices.Equal(back[v], vectors[v]) {
					t.Fatalf("%d of %d vectors: vector %d comes back as %v, want %v", given, k, v, back[v], vectors[v])
				}
			}
		}
	}
}

// Gram matrices and combinations of blocks of vectors against inner products and updates one by one, with the same bits for any number of
// threads.
func TestBlockVectorsThreads(t *testing.T) {
	for _, n := range []int{0, 1, 255, 256, 257, 5000, 64*256 + 1} {
		for _, shape := range [][2]int{{1, 1}, {3, 3}, {8, 8}, {5, 2}, {9, 4}} {
			var u, v [][]float64
			for i := range shape[0] {
				u = append(u, random(uint64(i+1), n))
			}
			for j := range shape[1] {
				v = append(v, random(uint64(100+j), n))
			}
			a := random(7, shape[0]*shape[1])
			var first [][]float64
			for _, k := range threads {
				h := linop.NewHost(n, newPool(t, k))
				g, s := make([]float64, len(a)), make([]float64, shape[0]*shape[0])
				h.Gram(g, u, v)
				h.GramSymmetric(s, u, u)
				sum, added := make([][]float64, len(v)), make([][]float64, len(v))
				for j := range v {
					sum[j], added[j] = random(3, n), append([]float64(nil), v[j]...)
				}
				h.Combine(a, u, sum, false)
				h.Combine(a, u, added, true)
				all := append(append([][]float64{g, s}, sum...), added...)
				if first == nil {
					first = all
				}
				for i := range all {
					if !sameBits(all[i], first[i]) {
						t.Fatalf("n = %d, %v: %d threads give other bits than one", n, shape, k)
					}
				}
				limit := 1e-14 * float64(n+1)
				for i := range u {
					for j := range v {
						if d := g[i*len(v)+j] - h.Dot(u[i], v[j]).Float(); math.Abs(d) > limit {
							t.Fatalf("n = %d, %v: inner product off by %g", n, shape, d)
						}
					}
					for j := range u {
						if d := s[i*len(u)+j] - h.Dot(u[i], u[j]).Float(); math.Abs(d) > limit {
							t.Fatalf("n = %d, %v: symmetric inner product off by %g", n, shape, d)
						}
					}
				}
				for j := range v {
					for e := range n {
						want := 0.0
						for i := range u {
							want += a[i*len(v)+j] * u[i][e]
						}
						if math.Abs(sum[j][e]-want) > 1e-13 || math.Abs(added[j][e]-want-v[j][e]) > 1e-13 {
							t.Fatalf("n = %d, %v: combination %g, want %g", n, shape, sum[j][e], want)
						}
					}
				}
			}
		}
	}
}
