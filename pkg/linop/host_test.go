package linop

import (
	"fmt"
	"math"
	"math/rand/v2"
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

// The results of every operation, one after the other, as one list.
func hostTrace(n int, pool *Pool) []float64 {
	rng := rand.New(rand.NewPCG(9, uint64(n)))
	h := NewHost(n, pool)
	p, x, q, r := random(rng, n), random(rng, n), random(rng, n), random(rng, n)
	out := make([]Float64, 3)
	trace := []float64{h.Dot(p, q).Float(), h.AxpyDot(0.3, p, x, q).Float(), h.Step(0.7, p, x, q, r).Float()}
	h.Axpy(0.1, p, x)
	h.Xpay(q, 1.1, p)
	h.Mul(0.9, p, x, p)
	h.MultiDot(out, [][]float64{p, x, q}, r)
	h.MultiAxpy(out, [][]float64{p, x, q}, r)
	h.Scale(1.0/3, r)
	h.Copy(q, r)
	for _, v := range out {
		trace = append(trace, v.Float())
	}
	for _, v := range [][]float64{p, x, q, r} {
		trace = append(trace, v...)
	}
	return trace
}

func TestHostSameBitsForAnyThreads(t *testing.T) {
	for _, n := range lengths {
		want := hostTrace(n, newPool(t, 1))
		for _, k := range threads[1:] {
			if !sameBits(hostTrace(n, newPool(t, k)), want) {
				t.Errorf("n = %d: %d threads give other bits than one", n, k)
			}
		}
	}
}

func TestHostDoesNotAllocate(t *testing.T) {
	for _, k := range threads {
		for _, n := range []int{5000, 50000} {
			h := NewHost(n, newPool(t, k))
			v := make([][]float64, 4)
			for i := range v {
				v[i] = random(rand.New(rand.NewPCG(1, 2)), n)
			}
			out := make([]Float64, 3)
			h.MultiDot(out, v[:3], v[3]) // takes its scratch memory
			allocs := testing.AllocsPerRun(5, func() {
				h.Zero(v[0])
				h.Copy(v[0], v[1])
				h.Scale(0.5, v[0])
				h.Axpy(0.5, v[1], v[0])
				h.Xpay(v[1], 0.5, v[0])
				h.Mul(0.5, v[1], v[2], v[0])
				out[0] = h.Dot(v[0], v[1])
				out[1] = h.AxpyDot(0.5, v[1], v[0], v[2])
				out[2] = h.Step(0.5, v[0], v[1], v[2], v[3])
				h.MultiDot(out, v[:3], v[3])
				h.Scale(0.01, v[3])
				h.MultiAxpy(out, v[:3], v[3])
				h.Scale(0, v[3])
			})
			if allocs != 0 {
				t.Errorf("n = %d, %d threads: %v allocations", n, k, allocs)
			}
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
