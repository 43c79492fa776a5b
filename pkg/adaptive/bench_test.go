package adaptive

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// BenchmarkBuild measures how many products with tuned FP64 CSR, on two threads, it takes to
// store matrices of 20 million nonzeros anew, to choose the layout besides, and to store them in
// the memory of another: the least times of each.
func BenchmarkBuild(b *testing.B) {
	for _, c := range []struct {
		kind   string
		p      generate.Params
		layout []Layout
	}{
		{"elasticity3d", generate.Params{"n": 46, "decades": 6}, []Layout{Symmetric, Blocks}},
		{"poisson3d", generate.Params{"n": 145, "decades": 4}, []Layout{Diagonals}},
		{"stencil27", generate.Params{"n": 92, "window": 4096, "decades": 10}, []Layout{Slots}},
		{"powerlaw", generate.Params{"n": 1_400_000}, []Layout{LayoutAuto, Tiles}},
	} {
		var m *csr.Matrix
		for _, l := range c.layout {
			b.Run(c.kind+"/"+string(l.orAuto()), func(b *testing.B) {
				if m == nil {
					m = generated(b, c.kind, c.p)
				}
				benchmarkBuild(b, m, Spec{Set: set(b, "AFX"), Epsilon: 0x1p-53, Layout: l})
			})
		}
	}
}

// orAuto is a name of the layout that is not empty.
func (l Layout) orAuto() Layout {
	if l == LayoutAuto {
		return "auto"
	}
	return l
}

func benchmarkBuild(b *testing.B, m *csr.Matrix, s Spec) {
	pool := parallel.New(2)
	defer pool.Close()
	x, y := random(1, m.Cols), make([]float64, m.Rows)
	tuned := linop.NewCSR(m, pool)
	product, anew, again := math.Inf(1), math.Inf(1), math.Inf(1)
	measure := func(least *float64, f func()) {
		start := time.Now()
		f()
		*least = min(*least, time.Since(start).Seconds())
	}
	var a Matrix
	var err error
	for range b.N {
		for range 4 {
			measure(&product, func() { tuned.Apply(y, x) })
		}
		a = nil
		runtime.GC()
		measure(&anew, func() { a, err = Build(m, s, pool) })
		if err != nil {
			b.Fatal(err)
		}
		measure(&again, func() { a, err = rebuild(a, m, s, pool) })
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(1e3*product, "ms/product")
	b.ReportMetric(anew/product, "products/anew")
	b.ReportMetric(again/product, "products/again")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkDD measures products with double-double vectors in FP64 layouts: ns a place for an element, and places for an element.
func BenchmarkDD(b *testing.B) {
	for _, c := range []struct {
		kind string
		p    generate.Params
	}{
		{"stencil27", generate.Params{"n": 70}},
		{"poisson3d", generate.Params{"n": 110}},
		{"elasticity3d", generate.Params{"n": 36}},
		{"powerlaw", generate.Params{"n": 600_000}},
		{"stencil27", generate.Params{"n": 16}},
		{"poisson3d", generate.Params{"n": 24}},
		{"powerlaw", generate.Params{"n": 9_000}},
	} {
		m := generated(b, c.kind, c.p)
		x, y := randomDD(1, m.Cols), dd.NewVec(m.Rows)
		for threads := 1; threads <= 2; threads++ {
			b.Run(fmt.Sprintf("%s/%v/%d", c.kind, c.p["n"], threads), func(b *testing.B) {
				pool := newPool(b, threads)
				var products []linop.Operator[dd.Vec, dd.DD]
				var layouts []Layout
				built := map[string]float64{}
				for _, l := range []Layout{CSR, SELL8, BCRS4x1} {
					start := time.Now()
					a, err := Build(m, Spec{Set: set(b, "FP64"), Epsilon: MinEpsilon, Layout: l}, pool)
					if err != nil {
						b.Fatal(err)
					}
					built[string(l)+"-build-ms"] = 1e3 * time.Since(start).Seconds()
					p, err := a.DD()
					if err != nil {
						b.Fatal(err)
					}
					products, layouts = append(products, p), append(layouts, l)
					switch s := a.(*matrix).stored.(type) {
					case *sell8Matrix:
						built["sell8-fill"] = float64(len(s.Val)) / float64(m.NNZ())
					case *bcrsMatrix:
						built["bcrs-fill"] = float64(len(s.Val)) / float64(m.NNZ())
					}
				}
				least := []float64{math.Inf(1), math.Inf(1), math.Inf(1)}
				for b.Loop() {
					for k, p := range products {
						start := time.Now()
						p.Apply(y, x)
						least[k] = min(least[k], time.Since(start).Seconds())
					}
				}
				for k, l := range layouts {
					b.ReportMetric(1e9*least[k]/float64(m.NNZ()), string(l)+"-ns")
				}
				for name, v := range built {
					b.ReportMetric(v, name)
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
