package linop_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// vectorsDD are v in double-double.
func vectorsDD(v [][]float64) (w []dd.Vec) {
	for _, x := range v {
		w = append(w, dd.VecOf(x))
	}
	return w
}

// Double-double vectors have the same bits on any number of threads and with any kernels.
func TestHostDDSameBitsForAnyThreads(t *testing.T) {
	lengths, threads := lengths, threads
	if testing.Short() {
		lengths, threads = []int{0, 4097, 40_001}, []int{1, 3}
	}
	for _, n := range lengths {
		var want []float64
		for _, count := range threads {
			h, v, out := linop.NewHostDD(linop.NewHost(n, newPool(t, count))), vectorsDD(vectors(n, 4)), make([]dd.DD, 14)
			kernels.Use(h, kernels.Sets()[count%len(kernels.Sets())])
			operations(h, v, out)
			norm, exp := h.Norm2(v[0])
			trace := []float64{norm, float64(exp), h.AbsMax(v[3])}
			for _, x := range v {
				trace = append(append(trace, x.Hi...), x.Lo...)
			}
			for _, s := range out {
				trace = append(trace, s.Hi, s.Lo)
			}
			if want == nil {
				want = trace
			}
			if !sameBits(trace, want) {
				t.Errorf("n = %d: %d threads and the kernels %s give other bits", n, count, kernels.Sets()[count%len(kernels.Sets())])
			}
		}
	}
}

// Many runs, since a garbage collection takes away what the runtime keeps for waiting threads, whose few allocations then count.
func TestHostDDDoesNotAllocate(t *testing.T) {
	for _, count := range threads {
		for _, n := range []int{5000, 50000} {
			h, v, out := linop.NewHostDD(linop.NewHost(n, newPool(t, count))), vectorsDD(vectors(n, 4)), make([]dd.DD, 14)
			run := func() { operations(h, v, out) }
			run() // takes its scratch memory
			if allocs := testing.AllocsPerRun(20, run); allocs != 0 {
				t.Errorf("n = %d, %d threads: %v allocations", n, count, allocs)
			}
		}
	}
}

func TestHostDDFillAndNorms(t *testing.T) {
	const n = 3*8*4096 + 5
	h := linop.NewHostDD(linop.NewHost(n, newPool(t, 2)))
	x := h.New()
	x.Set(7, dd.DD{Hi: 1, Lo: 0x1p-60})
	next := 0
	h.Fill(x, func(i int) float64 {
		if i != next {
			t.Fatalf("element %d follows %d", i, next-1)
		}
		next++
		return 1e200
	})
	norm, exp := h.Norm2(x)
	if want := 1e200 * math.Sqrt(n); next != n || x.At(7) != dd.From(1e200) || math.Abs(math.Ldexp(norm, exp)/want-1) > 1e-11 || h.AbsMax(x) != 1e200 {
		t.Errorf("%d elements, element 7 is %v, norm %g, largest %g", next, x.At(7), math.Ldexp(norm, exp), h.AbsMax(x))
	}
	x.Set(n-1, dd.DD{Hi: math.NaN(), Lo: math.NaN()})
	if norm, _ := h.Norm2(x); !math.IsNaN(norm) || !math.IsNaN(h.AbsMax(x)) {
		t.Errorf("of NaN the norm is %g, the largest %g", norm, h.AbsMax(x))
	}
	h.Zero(x)
	if h.AbsMax(x) != 0 || h.Dot(x, x) != (dd.DD{}) || h.Scalar(3) != dd.From(3) || h.Roundoff() != 0x1p-104 {
		t.Error("zero is not zero")
	}
}

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
	h := linop.NewHostDD(linop.NewHost(m.Rows, newPool(t, 2)))
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
	for _, k := range testsupport.Few(threads...) {
		a := linop.NewCSRDD(m, nil, newPool(t, k))
		if !slices.Equal(productsDD(a, y, x, b, nil), want) {
			t.Errorf("%d threads give other bits", k)
		}
		if n := testing.AllocsPerRun(5, func() { productsDD(a, y, x, b, trace) }); n != 0 {
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

// BenchmarkHostDD reports the time of operations on double-double vectors beyond the caches as a multiple of that on
// float64 vectors, of minima that are measured in turn: 2 is what memory alone would take.
func BenchmarkHostDD(b *testing.B) {
	const n = 20e6
	var v []dd.Vec
	for k := range 4 {
		v = append(v, dd.NewVec(n))
		for i := range v[k].Hi {
			v[k].Hi[i], v[k].Lo[i] = float64(i%1000), 0x1p-60
		}
	}
	for _, threads := range []int{1, 2} {
		h, twice := linop.NewHost(n, newPool(b, threads)), linop.NewHostDD(linop.NewHost(n, newPool(b, threads)))
		a, aDD := linop.Float64(1e-9), dd.From(1e-9)
		few, out := [][]float64{v[0].Hi, v[1].Hi, v[2].Hi, v[0].Hi}, make([]linop.Float64, 4)
		fewDD, outDD := []dd.Vec{v[0], v[1], v[2], v[0]}, make([]dd.DD, 4)
		for _, c := range []struct {
			name      string
			plain, dd func()
		}{
			{"axpy", func() { h.Axpy(a, v[0].Hi, v[1].Hi) }, func() { twice.Axpy(aDD, v[0], v[1]) }},
			{"xpay", func() { h.Xpay(v[0].Hi, a, v[1].Hi) }, func() { twice.Xpay(v[0], aDD, v[1]) }},
			{"dot", func() { h.Dot(v[0].Hi, v[1].Hi) }, func() { twice.Dot(v[0], v[1]) }},
			{"norm", func() { h.Dot(v[0].Hi, v[0].Hi) }, func() { twice.Dot(v[0], v[0]) }},
			{"step", func() { h.Step(a, v[0].Hi, v[1].Hi, v[2].Hi, v[3].Hi) }, func() { twice.Step(aDD, v[0], v[1], v[2], v[3]) }},
			{"direction", func() { h.Direction(v[0].Hi, a, a, v[1].Hi, v[2].Hi) }, func() { twice.Direction(v[0], aDD, aDD, v[1], v[2]) }},
			{"doubleStep", func() { h.DoubleStep(a, v[0].Hi, a, v[3].Hi, v[1].Hi, v[2].Hi, v[3].Hi, v[0].Hi) }, func() { twice.DoubleStep(aDD, v[0], aDD, v[3], v[1], v[2], v[3], v[0]) }},
			{"multiDot", func() { h.MultiDot(out, few, v[3].Hi) }, func() { twice.MultiDot(outDD, fewDD, v[3]) }},
			{"multiAxpy", func() { clear(out); h.MultiAxpy(out, few, v[3].Hi) }, func() { clear(outDD); twice.MultiAxpy(outDD, fewDD, v[3]) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, threads), func(b *testing.B) {
				plain, ddTime := math.Inf(1), math.Inf(1)
				for b.Loop() {
					plain, ddTime = min(plain, seconds(c.plain)), min(ddTime, seconds(c.dd))
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(1e3*plain, "ms-double")
				b.ReportMetric(1e3*ddTime, "ms-dd")
				b.ReportMetric(ddTime/plain, "ratio")
			})
		}
	}
}

func seconds(do func()) float64 {
	start := time.Now()
	do()
	return time.Since(start).Seconds()
}
