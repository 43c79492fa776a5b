package linop_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// pairs returns n double-double numbers.
func pairs(seed uint64, n int) dd.Vec {
	v, low := dd.VecOf(random(seed, n)), random(seed+100, n)
	for i, l := range low {
		v.Hi[i], v.Lo[i] = dd.TwoSum(v.Hi[i], 0x1p-56*l)
	}
	return v
}

// productsDD appends every product of a with x to trace.
func productsDD(a linop.Transposer[dd.Vec, dd.DD], y, x, b dd.Vec, trace []float64) []float64 {
	keep := func() { trace = append(append(trace, y.Hi...), y.Lo...) }
	a.Apply(y, x)
	keep()
	s := a.ApplyDot(y, x, b)
	dw, d2 := a.ApplyDots(y, x, b)
	trace = append(trace, s.Hi, s.Lo, dw.Hi, dw.Lo, d2.Hi, d2.Lo)
	keep()
	a.Residual(y, b, x)
	keep()
	a.ApplyT(y, b)
	keep()
	return trace
}

// Fused products are what the space makes of plain ones, to some roundings of double-double, and have
// the same bits for any number of threads; they allocate nothing.
func TestCSRDDThreads(t *testing.T) {
	m := rowsOf(rand.New(rand.NewPCG(31, 32)), 20000, func(i int) int { return i % 9 })
	x, b, y := pairs(1, m.Cols), pairs(2, m.Rows), dd.NewVec(m.Rows)
	h := linop.NewHostDD(m.Rows, newPool(t, 2))
	a := linop.NewCSRDD(m, nil, newPool(t, 2))
	a.Apply(y, x)
	near := func(what string, got, want dd.DD, size float64) {
		t.Helper()
		if d := got.Sub(want).Float(); math.Abs(d) > 0x1p-90*size {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	r := dd.NewVec(m.Rows)
	yb, yy := h.Dot(y, b), h.Dot(y, y)
	near("ApplyDot", a.ApplyDot(r, x, b), yb, float64(m.Rows))
	dw, d2 := a.ApplyDots(r, x, b)
	near("ApplyDots", dw, yb, float64(m.Rows))
	near("ApplyDots, itself", d2, yy, yy.Float())
	a.Residual(r, b, x)
	h.Xpay(b, dd.From(-1), y)
	for i := range m.Rows {
		near("Residual", r.At(i), y.At(i), 10)
	}
	want := productsDD(a, y, x, b, nil)
	trace := make([]float64, 0, len(want))
	for _, k := range threads {
		a := linop.NewCSRDD(m, nil, newPool(t, k))
		if !slices.Equal(productsDD(a, y, x, b, nil), want) {
			t.Errorf("%d threads give other bits", k)
		}
		if n := testing.AllocsPerRun(3, func() { productsDD(a, y, x, b, trace) }); n != 0 {
			t.Errorf("%d threads: %v allocations", k, n)
		}
	}
}

// A matrix of double-double numbers, and its transpose, against 300 bits.
func TestCSRDDLow(t *testing.T) {
	m := rowsOf(rand.New(rand.NewPCG(33, 34)), 200, func(i int) int { return i % 30 })
	low := &csr.Matrix{Rows: m.Rows, Cols: m.Cols, RowPtr: m.RowPtr, Col: m.Col, Val: random(5, m.NNZ())}
	for k, v := range m.Val {
		low.Val[k] *= 0x1p-57 * v
	}
	a := linop.NewCSRDD(m, low, newPool(t, 2))
	x, y, z := pairs(6, m.Cols), dd.NewVec(m.Rows), dd.NewVec(m.Cols)
	a.Apply(y, x)
	a.ApplyT(z, x)
	number := func(hi, lo float64) *big.Float {
		s := new(big.Float).SetPrec(300).SetFloat64(hi)
		return s.Add(s, new(big.Float).SetFloat64(lo))
	}
	type row struct {
		sum  *big.Float
		size float64
		n    float64
	}
	rows := map[bool][]row{false: make([]row, m.Rows), true: make([]row, m.Cols)}
	for i := range m.Rows {
		for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
			for transposed, list := range rows {
				to, from := i, int(m.Col[k])
				if transposed {
					to, from = from, to
				}
				if list[to].sum == nil {
					list[to].sum = number(0, 0)
				}
				p := number(m.Val[k], low.Val[k])
				list[to].sum.Add(list[to].sum, p.Mul(p, number(x.Hi[from], x.Lo[from])))
				list[to].size += math.Abs(m.Val[k] * x.Hi[from])
				list[to].n++
			}
		}
	}
	for transposed, list := range rows {
		of := y
		if transposed {
			of = z
		}
		for i, r := range list {
			if r.sum == nil {
				continue
			}
			d, _ := r.sum.Sub(r.sum, number(of.Hi[i], of.Lo[i])).Float64()
			if bound := (r.n + 2) * (r.n + 2) * 0x1p-106 * r.size; math.Abs(d) > bound {
				t.Fatalf("transposed %v: row %d is off by %g, more than %g", transposed, i, d, bound)
			}
		}
	}
}
