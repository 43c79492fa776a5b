package linop

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// elementwise checks y_i = want(i) up to the rounding of one product and sum.
func elementwise(t *testing.T, what string, y []float64, want func(i int) float64) {
	t.Helper()
	for i, v := range y {
		if w := want(i); math.Abs(v-w) > 0x1p-50*(1+math.Abs(w)) {
			t.Errorf("%s: element %d is %v, want %v", what, i, v, w)
			return
		}
	}
}

func dotClose(t *testing.T, what string, got Float64, x, y []float64) {
	t.Helper()
	if want, size := naiveDot(x, y); !near(got.Float(), want, size, len(x)) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestHostAgainstNaiveLoops(t *testing.T) {
	const a = Float64(-0.75)
	for _, n := range lengths {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			h := NewHost(n, newPool(t, 2))
			p, x, q, r := random(rng, n), random(rng, n), random(rng, n), random(rng, n)
			if h.Dim() != n || len(h.New()) != n {
				t.Fatalf("Dim = %d, New has %d elements", h.Dim(), len(h.New()))
			}
			y := h.New()
			elementwise(t, "New", y, func(int) float64 { return 0 })
			h.Copy(y, x)
			elementwise(t, "Copy", y, func(i int) float64 { return x[i] })
			h.Scale(a, y)
			elementwise(t, "Scale", y, func(i int) float64 { return -0.75 * x[i] })
			h.Axpy(a, p, y)
			elementwise(t, "Axpy", y, func(i int) float64 { return -0.75*x[i] - 0.75*p[i] })
			h.Copy(y, x)
			h.Xpay(p, a, y)
			elementwise(t, "Xpay", y, func(i int) float64 { return p[i] - 0.75*x[i] })
			h.Mul(a, p, x, y)
			elementwise(t, "Mul", y, func(i int) float64 { return -0.75 * p[i] * x[i] })
			dotClose(t, "Dot", h.Dot(p, q), p, q)
			dotClose(t, "Dot of one vector", h.Dot(p, p), p, p)

			for _, z := range []string{"x", "y", "another"} {
				h.Copy(y, x)
				w := map[string][]float64{"x": p, "y": y, "another": q}[z]
				got := h.AxpyDot(a, p, y, w)
				elementwise(t, "AxpyDot", y, func(i int) float64 { return x[i] - 0.75*p[i] })
				dotClose(t, "AxpyDot with "+z, got, y, w)
			}
			x2, r2 := clone(x), clone(r)
			rr := h.Step(a, p, x2, q, r2)
			elementwise(t, "Step x", x2, func(i int) float64 { return x[i] - 0.75*p[i] })
			elementwise(t, "Step r", r2, func(i int) float64 { return r[i] + 0.75*q[i] })
			dotClose(t, "Step", rr, r2, r2)
			h.Zero(y)
			elementwise(t, "Zero", y, func(int) float64 { return 0 })
		})
	}
}

func TestMultiAgainstNaiveLoops(t *testing.T) {
	for _, n := range lengths {
		for _, m := range []int{0, 1, 3, 40} {
			t.Run(fmt.Sprint(n, m), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(uint64(m), uint64(n)))
				h := NewHost(n, newPool(t, 2))
				w, vs, a, out := random(rng, n), make([][]float64, m), make([]Float64, m), make([]Float64, m+1)
				for k := range vs {
					vs[k], a[k] = random(rng, n), Float64(rng.NormFloat64())
				}
				out[m] = 17
				h.MultiDot(out[:m], vs, w)
				for k := range vs {
					dotClose(t, fmt.Sprint("MultiDot ", k), out[k], vs[k], w)
				}
				if out[m] != 17 {
					t.Error("MultiDot wrote behind the result")
				}
				dotClose(t, "Dot after MultiDot", h.Dot(w, w), w, w)
				y := clone(w)
				h.MultiAxpy(a, vs, y)
				elementwise(t, "MultiAxpy", y, func(i int) float64 {
					s := w[i]
					for k := range vs {
						s += float64(float64(a[k]) * vs[k][i])
					}
					return s
				})
			})
		}
	}
}

// operations does every operation on four vectors; out gets the scalars.
func operations(h *Host, v [][]float64, out []Float64) {
	h.Scale(0.25, v[3])
	out[4] = h.Dot(v[0], v[2])
	out[5] = h.AxpyDot(0.3, v[0], v[1], v[2])
	out[6] = h.Step(0.7, v[0], v[1], v[2], v[3])
	out[7], out[8] = h.DoubleStep(0.1, v[0], 0.2, v[3], v[1], v[2], v[3], v[0])
	h.Axpy(0.1, v[0], v[1])
	h.Xpay(v[2], 1.1, v[0])
	h.Direction(v[2], 0.4, 0.3, v[1], v[0])
	h.Mul(0.9, v[0], v[1], v[0])
	h.MultiDot(out[:3], v[:3], v[3])
	for k := range 3 {
		out[k] /= Float64(h.Dim() + 1)
	}
	h.MultiAxpy(out[:3], v[:3], v[3])
	out[3] = h.MultiAxpyDot(out[:3], v[:3], v[3])
	h.Copy(v[2], v[3])
	h.Zero(v[3])
}

func TestHostSameBitsForAnyThreads(t *testing.T) {
	for _, n := range lengths {
		var want []float64
		for _, k := range threads {
			h, rng, out := NewHost(n, newPool(t, k)), rand.New(rand.NewPCG(9, uint64(n))), make([]Float64, 9)
			v := [][]float64{random(rng, n), random(rng, n), random(rng, n), random(rng, n)}
			operations(h, v, out)
			norm, exp := h.Norm2(v[0])
			trace := append([]float64{norm, float64(exp), h.AbsMax(v[1])}, slices.Concat(v...)...)
			for _, s := range out {
				trace = append(trace, s.Float())
			}
			if want == nil {
				want = trace
			}
			if !sameBits(trace, want) {
				t.Errorf("n = %d: %d threads give other bits than one", n, k)
			}
		}
	}
}

func TestHostDoesNotAllocate(t *testing.T) {
	for _, k := range threads {
		for _, n := range []int{5000, 50000} {
			h, rng, out := NewHost(n, newPool(t, k)), rand.New(rand.NewPCG(1, 2)), make([]Float64, 9)
			v := [][]float64{random(rng, n), random(rng, n), random(rng, n), random(rng, n)}
			operations(h, v, out) // takes its scratch memory
			if allocs := testing.AllocsPerRun(5, func() { operations(h, v, out) }); allocs != 0 {
				t.Errorf("n = %d, %d threads: %v allocations", n, k, allocs)
			}
		}
	}
}

// Norms at the ends of the range of float64, and of what is no number.
func TestNorms(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		x            []float64
		largest, one float64 // and the 2-norm
	}{
		{nil, 0, 0},
		{[]float64{0, -0.0}, 0, 0},
		{[]float64{3, -4}, 4, 5},
		{[]float64{3e300, -4e300}, 4e300, 5e300},
		{[]float64{3e-310, 4e-310}, 4e-310, 5e-310},
		{[]float64{1, -inf}, inf, inf},
		{[]float64{nan, 1}, nan, nan},
	} {
		h := NewHost(len(c.x), nil)
		norm, exp := h.Norm2(c.x)
		norm = math.Ldexp(norm, exp)
		if got := h.AbsMax(c.x); got != c.largest && !math.IsNaN(c.largest) || math.IsNaN(got) != math.IsNaN(c.largest) {
			t.Errorf("AbsMax of %v = %v", c.x, got)
		}
		if math.Abs(norm-c.one) > 1e-15*c.one || math.IsNaN(norm) != math.IsNaN(c.one) {
			t.Errorf("Norm2 of %v = %v", c.x, norm)
		}
	}
	const n = 3*rangeSize + 5
	h, seen := NewHost(n, newPool(t, 3)), make([]int, n)
	h.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			seen[i]++
		}
	})
	if slices.Min(seen) != 1 || slices.Max(seen) != 1 {
		t.Error("Ranges do not cover every index once")
	}
	if got := h.Max(func(lo, _ int) float64 { return -float64(lo + 1) }); got != -1 {
		t.Errorf("Max = %v, want -1", got)
	}
}

// doubled is the Reducer of two processes that have the same elements.
type doubled struct{ Local }

func (d doubled) Sum(sums, partial []float64) {
	d.Local.Sum(sums, partial)
	for k := range sums {
		sums[k] *= 2
	}
}

func (d doubled) Max(partial []float64) float64 { return d.Local.Max(partial) + 100 }

// All sums and maxima go through the Reducer.
func TestReducer(t *testing.T) {
	const n = 9000
	local, shared := NewHost(n, newPool(t, 2)), NewHost(n, newPool(t, 2))
	shared.Reducer = doubled{}
	var out [2][]Float64
	var norms, largest [2]float64
	for k, h := range []*Host{local, shared} {
		v := make([][]float64, 4)
		for i := range v {
			v[i] = random(rand.New(rand.NewPCG(3, uint64(i))), n)
		}
		d := rowsOf(rand.New(rand.NewPCG(4, 4)), n, func(int) int { return 2 })
		a := NewCSR(d, newPool(t, 2))
		a.Reducer = h.Reducer
		o := make([]Float64, 3)
		h.MultiDot(o, v[:3], v[3])
		rr, rw := h.DoubleStep(1, v[0], 1, v[1], v[2], v[3], v[1], v[0])
		dw, dd := a.ApplyDots(v[2], v[0], v[1])
		out[k] = append(o, rr, rw, dw, dd, a.ApplyDot(v[3], v[0], v[1]), h.Dot(v[0], v[1]), h.AxpyDot(1, v[0], v[1], v[2]),
			h.Step(1, v[0], v[1], v[2], v[3]), h.MultiAxpyDot([]Float64{1}, v[:1], v[1]))
		norm, exp := h.Norm2(v[0])
		norms[k], largest[k] = math.Ldexp(norm, exp), h.AbsMax(v[0])
	}
	if math.Abs(norms[1]/norms[0]-math.Sqrt2) > 1e-15 || largest[1] != largest[0]+100 {
		t.Errorf("norms %v, largest %v", norms, largest)
	}
	for k, v := range out[0] {
		if out[1][k] != 2*v {
			t.Errorf("sum %d is %v, want %v", k, out[1][k], 2*v)
		}
	}
}

func TestFloat64IsAScalar(t *testing.T) {
	a, b := NewHost(1, nil).Scalar(6), Float64(1.5)
	for _, c := range []struct {
		op   string
		got  Float64
		want float64
	}{
		{"Add", a.Add(b), 7.5},
		{"Sub", a.Sub(b), 4.5},
		{"Mul", a.Mul(b), 9},
		{"Div", a.Div(b), 4},
		{"Neg", a.Neg(), -6},
		{"Sqrt", Float64(2.25).Sqrt(), 1.5},
	} {
		if c.got.Float() != c.want {
			t.Errorf("%s = %v, want %v", c.op, c.got, c.want)
		}
	}
}
