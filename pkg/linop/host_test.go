package linop_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// operations does every operation of a space on vectors, with what may be aliased, and
// returns its scalars in out, of which it takes len(v)+10.
func operations[V any, S linop.Scalar[S]](h linop.Space[V, S], v []V, out []S) {
	a, o, last := h.Scalar(-0.75), h.Scalar(0.2), len(v)-1
	one := out[len(v):]
	h.Scale(h.Scalar(0.25), v[3])
	one[0], one[1] = h.Dot(v[0], v[2]), h.Dot(v[0], v[0])
	one[2], one[3], one[4] = h.AxpyDot(a, v[0], v[1], v[2]), h.AxpyDot(o, v[0], v[1], v[0]), h.AxpyDot(o, v[0], v[1], v[1])
	one[5] = h.Step(a, v[0], v[1], v[2], v[3])
	one[6], one[7] = h.DoubleStep(a, v[0], o, v[3], v[1], v[2], v[3], v[0])
	h.Axpy(o, v[0], v[1])
	h.Xpay(v[2], a, v[0])
	h.Direction(v[2], a, o, v[1], v[0])
	for m := 0; m <= last; m += max(1, min(2, last-m)) {
		h.MultiDot(out[:m], v[:m], v[last])
		for k := range m {
			out[k] = out[k].Div(h.Scalar(float64((m + 1) * (h.Dim() + 1))))
		}
		h.MultiAxpy(out[:m], v[:m], v[last])
	}
	one[8] = h.MultiAxpyDot(out[:last], v[:last], v[last])
	h.Copy(v[2], v[last])
	one[9] = h.Dot(v[2], v[2])
	h.Zero(v[1])
}

// vectors are random ones of dimension n.
func vectors(n, count int) (v [][]float64) {
	for k := range count {
		v = append(v, random(uint64(k), n))
	}
	return v
}

func TestHostAgainstDoubleDouble(t *testing.T) {
	for _, n := range lengths {
		for _, count := range []int{4, 9, 41} {
			if n > 5000 && count > 4 {
				continue
			}
			v, out, want := vectors(n, count), make([]linop.Float64, count+10), make([]dd.DD, count+10)
			twice, outDD := vectorsDD(v), make([]dd.DD, count+10)
			var exact []testsupport.Vector
			for _, x := range v {
				exact = append(exact, testsupport.From(x))
			}
			h, hDD := linop.NewHost(n, newPool(t, 2)), linop.NewHostDD(linop.NewHost(n, newPool(t, 2)))
			if h.Dim() != n || !slices.Equal(h.New(), make([]float64, n)) || hDD.Dim() != n || hDD.New().Len() != n {
				t.Fatalf("Dim = %d, New = %v", h.Dim(), h.New())
			}
			operations(h, v, out)
			operations(hDD, twice, outDD)
			operations(testsupport.Space(n), exact, want)
			off := func(got, want dd.DD) float64 { return math.Abs(got.Sub(want).Float()) / (1 + math.Abs(want.Float())) }
			for k := range out {
				if e := off(dd.From(out[k].Float()), want[k]); !(e <= 1e-14*float64(n)) {
					t.Errorf("n = %d, %d vectors: scalar %d is %v, want %v", n, count, k, out[k], want[k])
				}
				if e := off(outDD[k], want[k]); !(e <= 1e-30*float64(n)) {
					t.Errorf("n = %d, %d vectors: double-double scalar %d is %v, want %v", n, count, k, outDD[k], want[k])
				}
			}
			for k, x := range v {
				for i, e := range x {
					if e := off(dd.From(e), exact[k][i]); !(e <= 1e-13) {
						t.Fatalf("n = %d, %d vectors: element %d of vector %d is off by %g", n, count, i, k, e)
					}
					if e := off(twice[k].At(i), exact[k][i]); !(e <= 1e-29) {
						t.Fatalf("n = %d, %d vectors: element %d of double-double vector %d is off by %g", n, count, i, k, e)
					}
				}
			}
			if n > 0 {
				h.Mul(-0.75, v[0], v[3], v[0])
				if w := -0.75 * exact[0][n-1].Float() * exact[3][n-1].Float(); math.Abs(v[0][n-1]-w) > 1e-12*(1+math.Abs(w)) {
					t.Errorf("n = %d: Mul gives %v, want %v", n, v[0][n-1], w)
				}
			}
		}
	}
}

func TestHostSameBitsForAnyThreads(t *testing.T) {
	for _, n := range lengths {
		var want []float64
		for _, k := range threads {
			h, v, out := linop.NewHost(n, newPool(t, k)), vectors(n, 4), make([]linop.Float64, 14)
			operations(h, v, out)
			h.Mul(0.9, v[0], v[3], v[0])
			norm, exp := h.Norm2(v[0])
			trace := append([]float64{norm, float64(exp), h.AbsMax(v[3])}, slices.Concat(v...)...)
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

// Operations on float64 and float32 vectors do what they say, with the same bits for any
// number of threads.
func TestMixedSameBitsForAnyThreads(t *testing.T) {
	for _, n := range lengths {
		var want []float64
		for _, k := range threads {
			h, v := linop.NewHost(n, newPool(t, k)), vectors(n, 4)
			w, f, z := make([]float32, n), make([]float32, n), make([]float32, n)
			for i := range w {
				w[i], z[i] = float32(i%7)-2, float32(v[0][i])
			}
			h.Input32(w, v[0], f)
			for i := range f {
				if f[i] != w[i]*float32(v[0][i]) {
					t.Fatalf("n = %d: Input32 gives %v", n, f[i])
				}
			}
			x, r := slices.Clone(v[1]), slices.Clone(v[3])
			rr, plain := h.StepInput32(0.3, v[0], v[1], v[2], v[3], w, f), h.Step(0.3, v[0], x, v[2], r)
			if rr != plain || !sameBits(v[1], x) || !sameBits(v[3], r) {
				t.Errorf("n = %d: StepInput32 is not Step", n)
			}
			dot, exact := h.Dot32(f, z), 0.0
			for i := range f {
				exact += float64(f[i]) * float64(z[i])
			}
			if math.Abs(dot.Float()-exact) > 1e-13*float64(n) {
				t.Errorf("n = %d: Dot32 = %v, want %v", n, dot, exact)
			}
			p := slices.Clone(v[2])
			h.Direction32(w, z, 0.7, p)
			for i := range p {
				if p[i] != float64(w[i])*float64(z[i])+float64(0.7*v[2][i]) {
					t.Fatalf("n = %d: Direction32 gives %v", n, p[i])
				}
			}
			trace := append(slices.Concat(v[1], v[3], p), rr.Float(), dot.Float())
			for _, e := range f {
				trace = append(trace, float64(e))
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
			h, v, out := linop.NewHost(n, newPool(t, k)), vectors(n, 4), make([]linop.Float64, 14)
			run := func() {
				operations(h, v, out)
				h.Mul(0.9, v[0], v[3], v[0])
			}
			run() // takes its scratch memory
			if allocs := testing.AllocsPerRun(20, run); allocs != 0 {
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
		{[]float64{0, math.Copysign(0, -1)}, 0, 0},
		{[]float64{3, -4}, 4, 5},
		{[]float64{3e300, -4e300}, 4e300, 5e300},
		{[]float64{3e-310, 4e-310}, 4e-310, 5e-310},
		{[]float64{1, -inf}, inf, inf},
		{[]float64{nan, 1}, nan, nan},
	} {
		h := linop.NewHost(len(c.x), nil)
		norm, exp := h.Norm2(c.x)
		norm = math.Ldexp(norm, exp)
		if got := h.AbsMax(c.x); got != c.largest && !math.IsNaN(c.largest) || math.IsNaN(got) != math.IsNaN(c.largest) {
			t.Errorf("AbsMax of %v = %v", c.x, got)
		}
		if math.Abs(norm-c.one) > 1e-15*c.one || math.IsNaN(norm) != math.IsNaN(c.one) {
			t.Errorf("Norm2 of %v = %v", c.x, norm)
		}
	}
	const n = 3*8*4096 + 5 // three ranges and a bit
	h, seen := linop.NewHost(n, newPool(t, 3)), make([]int, n)
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
type doubled struct{ linop.Reducer }

func (d doubled) Sum(sums, partial []float64) {
	linop.Local.Sum(sums, partial)
	for k := range sums {
		sums[k] *= 2
	}
}

func (d doubled) Max(partial []float64) float64 { return linop.Local.Max(partial) + 100 }

// All sums and maxima go through the Reducer.
func TestReducer(t *testing.T) {
	const n = 9000
	local, shared := linop.NewHost(n, newPool(t, 2)), linop.NewHost(n, newPool(t, 2))
	shared.SetReducer(doubled{linop.Local})
	var out [2][]linop.Float64
	var norms, largest [2]float64
	for k, h := range []linop.Host{local, shared} {
		v := vectors(n, 4)
		d := rowsOf(rand.New(rand.NewPCG(4, 4)), n, func(int) int { return 2 })
		a := linop.NewCSR(d, newPool(t, 2))
		a.SetReducer(h.Reducer())
		o := make([]linop.Float64, 3)
		h.MultiDot(o, v[:3], v[3])
		rr, rw := h.DoubleStep(1, v[0], 1, v[1], v[2], v[3], v[1], v[0])
		dw, dd := a.ApplyDots(v[2], v[0], v[1])
		out[k] = append(o, rr, rw, dw, dd, a.ApplyDot(v[3], v[0], v[1]), h.Dot(v[0], v[1]), h.AxpyDot(1, v[0], v[1], v[2]),
			h.Step(1, v[0], v[1], v[2], v[3]), h.MultiAxpyDot([]linop.Float64{1}, v[:1], v[1]))
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
	a, b := linop.NewHost(1, nil).Scalar(6), linop.Float64(1.5)
	for _, c := range []struct {
		op   string
		got  linop.Float64
		want float64
	}{
		{"Add", a.Add(b), 7.5},
		{"Sub", a.Sub(b), 4.5},
		{"Mul", a.Mul(b), 9},
		{"Div", a.Div(b), 4},
		{"Neg", a.Neg(), -6},
		{"Sqrt", linop.Float64(2.25).Sqrt(), 1.5},
	} {
		if c.got.Float() != c.want {
			t.Errorf("%s = %v, want %v", c.op, c.got, c.want)
		}
	}
}
