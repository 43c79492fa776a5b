package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// vectorCalls are the vector functions on five vectors of one length; each
// returns its sums.
var vectorCalls = []struct {
	name    string
	vectors int // of the five, the bytes of a benchmark
	call    func(a []float64, v [][]float64) []float64
}{
	{"Dot", 2, func(_ []float64, v [][]float64) []float64 { return []float64{Dot(v[0], v[1])} }},
	{"Norm", 1, func(_ []float64, v [][]float64) []float64 { return []float64{Dot(v[0], v[0])} }},
	{"Axpy", 2, func(a []float64, v [][]float64) []float64 { Axpy(a[0], v[0], v[1]); return nil }},
	{"Xpay", 2, func(a []float64, v [][]float64) []float64 { Xpay(v[0], a[0], v[1]); return nil }},
	{"Scale", 1, func(a []float64, v [][]float64) []float64 { Scale(a[0], v[0]); return nil }},
	{"Step", 4, func(a []float64, v [][]float64) []float64 { return []float64{Step(a[0], v[0], v[1], v[2], v[3])} }},
	{"AxpyDot", 3, func(a []float64, v [][]float64) []float64 { return []float64{AxpyDot(a[0], v[0], v[1], v[2])} }},
	{"AxpyDot x", 2, func(a []float64, v [][]float64) []float64 { return []float64{AxpyDot(a[0], v[0], v[1], v[0])} }},
	{"AxpyDot y", 2, func(a []float64, v [][]float64) []float64 { return []float64{AxpyDot(a[0], v[0], v[1], v[1])} }},
	{"Mul", 3, func(a []float64, v [][]float64) []float64 { Mul(a[0], v[0], v[1], v[2]); return nil }},
	{"Mul x", 2, func(a []float64, v [][]float64) []float64 { Mul(a[0], v[0], v[1], v[1]); return nil }},
	{"Relax", 3, func(a []float64, v [][]float64) []float64 { Relax(a[0], v[0], v[1], v[2]); return nil }},
	{"MultiDot", 5, func(a []float64, v [][]float64) []float64 {
		MultiDot(a[:4], v[:4], 0, len(v[4]), v[4])
		return a
	}},
	{"MultiAxpy", 5, func(a []float64, v [][]float64) []float64 {
		MultiAxpy(a[:4], v[:4], 0, len(v[4]), v[4])
		return nil
	}},
}

// onTier runs the rest of a test on the vector kernels of a tier.
func onTier(t testing.TB, tier Tier) {
	t.Helper()
	kernels, ok := vectorTiers[tier]
	if !ok || tier > processor {
		t.Skipf("no %s on this processor or in this build", tier)
	}
	before := vector
	vector = kernels
	t.Cleanup(func() { vector = before })
}

// sameFloats tells whether x and y have the same bits; any NaN equals another.
func sameFloats(x, y []float64) bool {
	for i := range x {
		if math.Float64bits(x[i]) != math.Float64bits(y[i]) && !(math.IsNaN(x[i]) && math.IsNaN(y[i])) {
			return false
		}
	}
	return len(x) == len(y)
}

// sumInOrder is x·y as the package comment tells it.
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

func TestSumsInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for n := range 70 {
		v := vectors(rng, n, 6)
		want := sumInOrder(v[0], v[5])
		if got := Dot(v[0], v[5]); got != want {
			t.Errorf("n = %d: Dot = %v, in order %v", n, got, want)
		}
		dots := make([]float64, 6)
		MultiDot(dots[:5], v[:5], 0, n, v[5])
		for k, got := range dots[:5] {
			if want := sumInOrder(v[k], v[5]); got != want {
				t.Errorf("n = %d: MultiDot = %v, in order %v", n, got, want)
			}
		}
		if got, want := AxpyDot(0.3, v[0], v[1], v[2]), sumInOrder(v[1], v[2]); got != want {
			t.Errorf("n = %d: AxpyDot = %v, in order %v", n, got, want)
		}
		if got, want := Step(0.3, v[0], v[1], v[2], v[3]), sumInOrder(v[3], v[3]); got != want {
			t.Errorf("n = %d: Step = %v, in order %v", n, got, want)
		}
	}
}

// MultiAxpy is Axpy for every vector in turn, MultiDot Dot, on any range.
func TestMultiIsOneByOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for count := range 11 {
		n := 40 + rng.IntN(100)
		lo, hi := rng.IntN(20), n-rng.IntN(20)
		v, w := vectors(rng, n, count), vectors(rng, n, 1)[0]
		a, dots := vectors(rng, count, 1)[0], make([]float64, count)
		MultiDot(dots, v, lo, hi, w)
		for k := range v {
			if want := Dot(v[k][lo:hi], w[lo:hi]); dots[k] != want {
				t.Errorf("product %d of %d: %v, want %v", k, count, dots[k], want)
			}
		}
		want := append([]float64(nil), w...)
		for k := range v {
			Axpy(a[k], v[k][lo:hi], want[lo:hi])
		}
		MultiAxpy(a, v, lo, hi, w)
		if !sameFloats(w, want) {
			t.Errorf("MultiAxpy of %d vectors differs from Axpy for each", count)
		}
	}
}

// Elementwise, every product rounded.
func TestMulAndRelax(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	for n := range 70 {
		v := vectors(rng, n, 4)
		w, x, y, r := v[0], v[1], v[2], v[3]
		want := make([]float64, 0, 2*n)
		for i := range n {
			want = append(want, 0.3*float64(w[i]*x[i]))
		}
		for i := range n {
			product := 0.3 * float64(w[i]*r[i])
			want = append(want, x[i]+float64(product))
		}
		Mul(0.3, w, x, y)
		Relax(0.3, w, x, r)
		if !sameFloats(append(y, r...), want) {
			t.Errorf("n = %d: Mul and Relax give %v, want %v", n, append(y, r...), want)
		}
	}
}

func BenchmarkVector(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"L1", 1 << 10}, {"L2", 1 << 12}, {"memory", 1 << 23}} {
		v := vectors(rand.New(rand.NewPCG(1, 2)), size.n, 5)
		for _, c := range vectorCalls {
			for tier := range Tier(len(tierNames)) {
				b.Run(fmt.Sprintf("%s/%s/%s", size.name, c.name, tier), func(b *testing.B) {
					onTier(b, tier)
					b.SetBytes(int64(8 * c.vectors * size.n))
					for b.Loop() {
						c.call([]float64{1e-9, 1e-9, 1e-9, 1e-9}, v)
					}
				})
			}
		}
	}
}
