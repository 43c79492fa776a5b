package adaptive

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// sameAsAlone compares products with k vectors with k products, to the bit.
func sameAsAlone(t *testing.T, what string, a Matrix, k int) {
	t.Helper()
	rows, cols := a.Dims()
	dst, src := linop.NewMultiVector(rows, k), linop.NewMultiVector(cols, k)
	for v := range k {
		src.Set(v, random(uint64(10+v), cols))
		dst.Set(v, random(uint64(20+v), rows)) // to be overwritten
	}
	a.ApplyMulti(dst, src)
	got, want := make([]float64, rows), make([]float64, rows)
	for v := range k {
		dst.Get(v, got)
		a.Apply(want, random(uint64(10+v), cols))
		for i := range want {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
				t.Fatalf("%s, %d vectors: element %d of vector %d is %v, alone %v", what, k, i, v, got[i], want[i])
			}
		}
	}
	severalAsAlone(t, what, a, k)
}

// severalAsAlone does the same for products with epilogues of their own.
func severalAsAlone(t *testing.T, what string, a Matrix, k int) {
	t.Helper()
	rows, cols := a.Dims()
	all := make([]linop.Product, k)
	for v := range all {
		all[v] = linop.Product{Epilogue: linop.WithDot, Dst: make([]float64, rows), Src: random(uint64(10+v), cols), W: random(uint64(30+v), rows)}
	}
	a.Several(all)
	want := make([]float64, rows)
	for v, p := range all {
		dot := a.ApplyDot(want, p.Src, p.W).Float()
		if math.Float64bits(dot) != math.Float64bits(p.Sums[0]) || !slices.EqualFunc(p.Dst, want, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
			t.Fatalf("%s, %d products: product %d differs from one by itself: inner product %v, alone %v", what, k, v, p.Sums[0], dot)
		}
	}
}

// Products with several vectors have the bits of as many products, in every layout.
func TestMulti(t *testing.T) {
	names, matrices := goldenMatrices(t)
	for n, m := range matrices {
		for s, spec := range goldenSpecs(t) {
			if m.NNZ() > 10_000 && (n+s)%6 > 0 || testing.Short() && (n+s)%2 > 0 { // others for each matrix
				continue
			}
			a, err := Build(m, spec, newPool(t, 2))
			if err != nil {
				continue // symmetric only, or out of the range of a format
			}
			sameAsAlone(t, names[n]+", "+spec.name(), a, []int{2, 3, 4, 7, 8, 10}[s%6])
		}
	}
}

// The units of rows may be beyond the range of float64.
func TestMultiTiny(t *testing.T) {
	m := generated(t, "elasticity3d", generate.Params{"n": 3})
	for k := range m.Val {
		m.Val[k] = dd.Ldexp(m.Val[k], -1030)
	}
	for _, layout := range []Layout{Slots, Blocks, Symmetric, Tiles, Diagonals, Bucketed, COO, ELL, Hybrid, SELL8, BCRS4x1} {
		a := build(t, m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-30, Criterion: NW, Layout: layout})
		sameAsAlone(t, string(layout), a, 4)
	}
}

// The same bits for any number of threads, with parts of their own for several.
func TestMultiThreads(t *testing.T) {
	side := 18.0
	if testing.Short() {
		side = 10
	}
	body := generated(t, "elasticity3d", generate.Params{"n": side, "decades": 6})
	for _, layout := range []Layout{Symmetric, Blocks, Slots} {
		for _, threads := range someThreads() {
			a, err := Build(body, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-30, Criterion: NW, Layout: layout}, newPool(t, threads))
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range []int{8, 2, 4} { // sums are kept, and shrink
				if testing.Short() && (k == 4 || layout == Blocks) {
					continue
				}
				sameAsAlone(t, fmt.Sprintf("%s, %d threads", layout, threads), a, k)
			}
		}
	}
}
