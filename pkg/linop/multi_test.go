package linop_test

import (
	"fmt"
	"testing"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
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

// byPanel is alone panel by panel.
type byPanel struct {
	linop.Unprepared
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
		if n, vectors := v.Dims(); fmt.Sprint(got) != widths || n != 5 || vectors != k {
			t.Errorf("%d vectors: Dims = %d, %d, groups %v, want %s", k, n, vectors, got, widths)
		}
	}
	v := linop.NewMultiVector(2, 3)
	v.Set(2, []float64{7, 9})
	if g := v.Groups()[0].Data; g[2] != 7 || g[6] != 9 {
		t.Errorf("interleaved: %v", g)
	}
}
