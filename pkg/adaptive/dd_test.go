package adaptive

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// randomDD is a vector of double-double numbers.
func randomDD(seed uint64, n int) dd.Vec {
	v, low := dd.VecOf(random(seed, n)), random(seed+1000, n)
	for i := range n {
		v.Hi[i], v.Lo[i] = dd.TwoSum(v.Hi[i], 0x1p-55*low[i])
	}
	return v
}

// withinDD compares y with the product of a matrix of float64 and x in 400 bits, by the bound that DD states.
func withinDD(t *testing.T, what string, m [][]float64, x, y dd.Vec) {
	t.Helper()
	number := func(v dd.DD) *big.Float {
		s := new(big.Float).SetPrec(400).SetFloat64(v.Hi)
		return s.Add(s, new(big.Float).SetFloat64(v.Lo))
	}
	for i, row := range m {
		sum, size, n := new(big.Float).SetPrec(400), 0.0, 2.0
		for j, a := range row {
			if a != 0 {
				p := number(x.At(j))
				sum.Add(sum, p.Mul(p, new(big.Float).SetFloat64(a)))
				size += math.Abs(a * x.Hi[j])
				n++
			}
		}
		difference, _ := sum.Sub(sum, number(y.At(i))).Float64()
		if bound := n * n * 0x1p-106 * size * (1 + 0x1p-40); !(math.Abs(difference) <= bound) {
			t.Fatalf("%s: row %d of %v elements is off by %g, more than %g", what, i, n-2, difference, bound)
		}
	}
}

func transposed(m [][]float64, cols int) [][]float64 {
	a := make([][]float64, cols)
	for j := range a {
		a[j] = make([]float64, len(m))
		for i := range m {
			a[j][i] = m[i][j]
		}
	}
	return a
}

// Products with what is stored, and with its transpose where there are such products, are within the bound.
func TestDDProducts(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{
		"stencil":    generated(t, "stencil27", generate.Params{"n": 6}),
		"graph":      generated(t, "powerlaw", generate.Params{"n": 300}),
		"wide rows":  pattern(t, 61, 500, func(i int) int { return i * 3 }),
		"narrow":     pattern(t, 203, 5, func(i int) int { return i % 6 }),
		"no element": pattern(t, 9, 9, func(int) int { return 0 }),
	} {
		for _, l := range Layouts {
			for _, eps := range []float64{0x1p-24, 0x1p-53} {
				a, err := Build(m, Spec{Set: set(t, "AFX"), Epsilon: eps, Criterion: CW, Layout: l}, newPool(t, 2))
				if err != nil || a.Layout() != l {
					continue // symmetric, or blocks that there are none of
				}
				p, err := a.DD()
				if (err == nil) != l.HasDD(false, false) {
					t.Fatalf("%s: %v", l, err)
				}
				if err != nil {
					continue
				}
				what, stored := fmt.Sprintf("%s, %s at %g", name, l, eps), decoded(a)
				x, y := randomDD(1, m.Cols), dd.NewVec(m.Rows)
				p.Apply(y, x)
				withinDD(t, what, stored, x, y)
				if p, ok := p.(linop.Transposer[dd.Vec, dd.DD]); ok {
					x, y := randomDD(2, m.Rows), dd.NewVec(m.Cols)
					p.ApplyT(y, x)
					withinDD(t, what+", transposed", transposed(stored, m.Cols), x, y)
					product, err := a.Transposed()
					if err != nil {
						t.Fatal(err)
					}
					double := make([]float64, m.Cols)
					product(double, x.Hi)
					for j, v := range double {
						if d := math.Abs(v - y.Hi[j]); d > 0x1p-40 {
							t.Fatalf("%s: element %d of A^T x is %v, in double-double %v", what, j, v, y.At(j))
						}
					}
				} else if _, err := a.Transposed(); err == nil || l.HasDD(false, true) {
					t.Errorf("%s has no products with the transpose", l)
				}
				if n, err := a.DDRenormalised(); err == nil {
					z := dd.NewVec(m.Rows)
					n.Apply(z, x)
					for i := range m.Rows {
						if d := z.At(i).Sub(y.At(i)).Float(); math.Abs(d) > 0x1p-80*float64(m.Cols) {
							t.Errorf("%s: row %d with sums that are renormalised differs by %g", what, i, d)
						}
					}
				} else if l == CSR || l == SELL8 {
					t.Error(err)
				}
			}
		}
	}
}

// Units of rows beyond the range of float64 are applied to both parts.
func TestDDTiny(t *testing.T) {
	m := generated(t, "poisson2d", generate.Params{"n": 5})
	for k := range m.Val {
		m.Val[k] = dd.Ldexp(m.Val[k], -1030)
	}
	a := build(t, m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-30, Layout: Slots})
	p, err := a.DD()
	if err != nil {
		t.Fatal(err)
	}
	x, y, want := randomDD(1, m.Cols), dd.NewVec(m.Rows), make([]float64, m.Rows)
	for i := range m.Cols {
		x.Set(i, dd.DD{Hi: x.Hi[i] * 0x1p60, Lo: x.Lo[i] * 0x1p60})
	}
	p.Apply(y, x)
	a.Apply(want, x.Hi)
	for i, v := range want {
		if math.Abs(y.Hi[i]-v) > 0x1p-40*math.Abs(v) || v == 0 {
			t.Errorf("row %d is %v, want %v", i, y.At(i), v)
		}
	}
}

// The same bits for any number of threads, in all kinds of products, with each set of kernels.
func TestDDThreads(t *testing.T) {
	graph := generated(t, "powerlaw", generate.Params{"n": 8000})
	x, b := randomDD(3, graph.Cols), randomDD(4, graph.Rows)
	for _, l := range []Layout{CSR, Slots, SELL, Tiles, SELL8, BCRS4x1} {
		var want []float64
		for _, k := range kernels.Sets() {
			for _, threads := range []int{1, 3} {
				a, err := Build(graph, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-30, Criterion: CW, Layout: l, Kernels: k.String()}, newPool(t, threads))
				if err != nil {
					t.Fatal(err)
				}
				p, err := a.DD()
				if err != nil {
					t.Fatal(err)
				}
				y := dd.NewVec(graph.Rows)
				s := p.ApplyDot(y, x, b)
				s1, s2 := p.ApplyDots(y, x, b)
				trace := append(append([]float64{s.Hi, s.Lo, s1.Hi, s1.Lo, s2.Hi, s2.Lo}, y.Hi...), y.Lo...)
				p.Residual(y, b, x)
				trace = append(append(trace, y.Hi...), y.Lo...)
				if p, ok := p.(linop.Transposer[dd.Vec, dd.DD]); ok {
					p.ApplyT(y, b)
					trace = append(append(trace, y.Hi...), y.Lo...)
				}
				if want == nil {
					want = trace
				}
				for i, v := range trace {
					if v != want[i] {
						t.Fatalf("%s, %s, %d threads: number %d is %v, not %v", l, k, threads, i, v, want[i])
					}
				}
			}
		}
	}
}
