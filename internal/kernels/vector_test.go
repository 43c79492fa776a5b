package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// vectorCalls are the vector functions on five vectors of one length; each returns its sums.
var vectorCalls = []struct {
	name    string
	vectors int // number of vectors used, for the bytes of a benchmark
	call    func(k *Set, a []float64, v [][]float64) []float64
}{
	{"Dot", 2, func(k *Set, _ []float64, v [][]float64) []float64 { return []float64{k.Dot(v[0], v[1])} }},
	{"Norm", 1, func(k *Set, _ []float64, v [][]float64) []float64 { return []float64{k.Dot(v[0], v[0])} }},
	{"Axpy", 2, func(k *Set, a []float64, v [][]float64) []float64 { k.Axpy(a[0], v[0], v[1]); return nil }},
	{"Xpay", 2, func(k *Set, a []float64, v [][]float64) []float64 { k.Xpay(v[0], a[0], v[1]); return nil }},
	{"Scale", 1, func(k *Set, a []float64, v [][]float64) []float64 { k.Scale(a[0], v[0]); return nil }},
	{"Step", 4, func(k *Set, a []float64, v [][]float64) []float64 {
		return []float64{k.Step(a[0], v[0], v[1], v[2], v[3])}
	}},
	{"AxpyDot", 3, func(k *Set, a []float64, v [][]float64) []float64 {
		return []float64{k.AxpyDot(a[0], v[0], v[1], v[2])}
	}},
	{"AxpyDot x", 2, func(k *Set, a []float64, v [][]float64) []float64 {
		return []float64{k.AxpyDot(a[0], v[0], v[1], v[0])}
	}},
	{"AxpyDot y", 2, func(k *Set, a []float64, v [][]float64) []float64 {
		return []float64{k.AxpyDot(a[0], v[0], v[1], v[1])}
	}},
	{"Mul", 3, func(k *Set, a []float64, v [][]float64) []float64 { k.Mul(a[0], v[0], v[1], v[2]); return nil }},
	{"Mul x", 2, func(k *Set, a []float64, v [][]float64) []float64 { k.Mul(a[0], v[0], v[1], v[1]); return nil }},
	{"Relax", 3, func(k *Set, a []float64, v [][]float64) []float64 { k.Relax(a[0], v[0], v[1], v[2]); return nil }},
	{"Copy", 2, func(k *Set, _ []float64, v [][]float64) []float64 { k.Copy(v[0], v[1]); return nil }},
	{"ScaleTo", 2, func(k *Set, a []float64, v [][]float64) []float64 { k.ScaleTo(a[0], v[0], v[1]); return nil }},
	{"Add", 3, func(k *Set, _ []float64, v [][]float64) []float64 { k.Add(v[0], v[1], v[2]); return nil }},
	{"Triad", 3, func(k *Set, a []float64, v [][]float64) []float64 { k.Triad(v[0], a[0], v[1], v[2]); return nil }},
	{"MultiDot", 5, func(k *Set, a []float64, v [][]float64) []float64 {
		k.MultiDot(a[:4], v[:4], 0, len(v[4]), v[4])
		return a
	}},
	{"MultiAxpy", 5, func(k *Set, a []float64, v [][]float64) []float64 {
		MultiAxpy(k, a[:4], v[:4], 0, len(v[4]), v[4])
		return nil
	}},
}

// Every vector function has the same bits with every set, at every length, also for special numbers.
func TestVectorSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-1074, math.MaxFloat64}
	a := &arena{t: t}
	for n := range 4*group + 4 {
		source := vectors(rng, n, 5)
		for _, v := range source {
			for i := range v {
				if n%4 == 3 && rng.IntN(20) == 0 {
					v[i] = special[rng.IntN(len(special))]
				}
			}
		}
		for _, c := range vectorCalls {
			everywhere(a, fmt.Sprintf("%s of %d elements", c.name, n), nil, func(k *Set) []float64 {
				var v [5][]float64
				for i := range v {
					v[i] = put(a, source[i])
				}
				sums := c.call(k, []float64{0.3, -1.7, 0, 1e3}, v[:])
				return append(slices.Concat(v[:]...), sums...)
			})
		}
	}
}

// sumInOrder returns x·y as the package comment defines it.
func sumInOrder(x, y []float64) float64 {
	var s [16]float64
	whole := len(x) / 16 * 16
	for k := range whole {
		s[k%16] += float64(x[k] * y[k])
	}
	for _, h := range []int{8, 4, 2, 1} {
		for k := range h {
			s[k] += s[k+h]
		}
	}
	rest := 0.0
	for k := whole; k < len(x); k++ {
		rest += float64(x[k] * y[k])
	}
	return s[0] + rest
}

// Every function computes what its comment says, with each product rounded and sums in order.
func TestVectorFunctions(t *testing.T) { eachSet(t, testVectorFunctions) }

func testVectorFunctions(t *testing.T, k *Set) {
	rng := rand.New(rand.NewPCG(21, 22))
	for n := range 70 {
		v := vectors(rng, n, 6)
		same := func(what string, got, want []float64) {
			t.Helper()
			if !slices.Equal(got, want) {
				t.Errorf("n = %d: %s = %v, want %v", n, what, got, want)
			}
		}
		// elementwise returns f of each i.
		elementwise := func(f func(i int) float64) []float64 {
			out := make([]float64, n)
			for i := range out {
				out[i] = f(i)
			}
			return out
		}
		p, x, q, r := v[0], slices.Clone(v[1]), v[2], slices.Clone(v[3])
		same("Dot", []float64{k.Dot(p, q)}, []float64{sumInOrder(p, q)})

		rr := k.Step(0.75, p, x, q, r)
		same("Step x", x, elementwise(func(i int) float64 { return v[1][i] + float64(0.75*p[i]) }))
		same("Step r", r, elementwise(func(i int) float64 { return v[3][i] - float64(0.75*q[i]) }))
		same("Step r·r", []float64{rr}, []float64{sumInOrder(r, r)})

		y := slices.Clone(v[4])
		yz := k.AxpyDot(0.3, p, y, q)
		same("AxpyDot y", y, elementwise(func(i int) float64 { return v[4][i] + float64(0.3*p[i]) }))
		same("AxpyDot", []float64{yz}, []float64{sumInOrder(y, q)})

		y = slices.Clone(v[4])
		k.Xpay(p, 0.3, y)
		same("Xpay", y, elementwise(func(i int) float64 { return p[i] + float64(0.3*v[4][i]) }))
		k.Scale(2, y)
		same("Scale", y, elementwise(func(i int) float64 { return 2 * (p[i] + float64(0.3*v[4][i])) }))

		k.Mul(0.3, p, q, y)
		same("Mul", y, elementwise(func(i int) float64 { return 0.3 * float64(p[i]*q[i]) }))
		y = slices.Clone(v[4])
		k.Relax(0.3, p, q, y)
		same("Relax", y, elementwise(func(i int) float64 { return q[i] + float64(0.3*float64(p[i]*v[4][i])) }))

		k.Copy(p, y)
		same("Copy", y, p)
		k.ScaleTo(0.3, q, y)
		same("ScaleTo", y, elementwise(func(i int) float64 { return 0.3 * q[i] }))
		k.Add(p, q, y)
		same("Add", y, elementwise(func(i int) float64 { return p[i] + q[i] }))
		k.Triad(p, 0.3, q, y)
		same("Triad", y, elementwise(func(i int) float64 { return p[i] + float64(0.3*q[i]) }))
	}
}

// MultiAxpy equals an Axpy for every vector in turn, and MultiDot a Dot, on any range.
func TestMultiIsOneByOne(t *testing.T) { eachSet(t, testMultiIsOneByOne) }

func testMultiIsOneByOne(t *testing.T, k *Set) {
	rng := rand.New(rand.NewPCG(23, 24))
	for count := range 11 {
		n := 40 + rng.IntN(100)
		lo, hi := rng.IntN(20), n-rng.IntN(20)
		v, w := vectors(rng, n, count), normal[float64](rng, n)
		a, dots := normal[float64](rng, count), make([]float64, count)
		k.MultiDot(dots, v, lo, hi, w)
		for i := range v {
			if want := sumInOrder(v[i][lo:hi], w[lo:hi]); dots[i] != want {
				t.Errorf("product %d of %d: %v, want %v", i, count, dots[i], want)
			}
		}
		want := slices.Clone(w)
		for i := range v {
			k.Axpy(a[i], v[i][lo:hi], want[lo:hi])
		}
		MultiAxpy(k, a, v, lo, hi, w)
		if !slices.Equal(w, want) {
			t.Errorf("MultiAxpy of %d vectors differs from Axpy for each", count)
		}
	}
}

func TestAbsMax(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{nil, 0},
		{[]float64{1, -3, 2}, 3},
		{[]float64{1, math.Inf(-1), 3}, math.Inf(1)},
		{[]float64{1, math.NaN(), 3}, math.NaN()},
	} {
		if m := AbsMax(c.x); m != c.want && !(math.IsNaN(m) && math.IsNaN(c.want)) {
			t.Errorf("AbsMax(%v) = %v, want %v", c.x, m, c.want)
		}
	}
}

func vectors(rng *rand.Rand, n, count int) [][]float64 {
	vs := make([][]float64, count)
	for k := range vs {
		vs[k] = normal[float64](rng, n+1)[1:] // not aligned to a cache line
	}
	return vs
}

func BenchmarkVector(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"L1", 1 << 10}, {"L2", 1 << 12}, {"memory", 1 << 23}} {
		v := vectors(rand.New(rand.NewPCG(1, 2)), size.n, 5)
		for _, c := range vectorCalls {
			for _, k := range Sets() {
				b.Run(fmt.Sprintf("%s/%s/%s", size.name, c.name, k), func(b *testing.B) {
					b.SetBytes(int64(8 * c.vectors * size.n))
					for b.Loop() {
						c.call(k, []float64{1e-9, 1e-9, 1e-9, 1e-9}, v)
					}
				})
			}
		}
	}
}
