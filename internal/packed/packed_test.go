package packed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// random returns numbers whose magnitudes spread over spread powers of two.
func random(rng *rand.Rand, n int, spread float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64() * math.Exp2(-spread*rng.Float64())
	}
	return x
}

// exact returns x·y, sum |x_i y_i| and ||y||_1.
func exact(x, y []float64) (s dd.DD, sum, norm float64) {
	for i, v := range x {
		s = s.AddProd(v, y[i])
		sum += math.Abs(v * y[i])
		norm += math.Abs(y[i])
	}
	return s, sum, norm
}

// TestBound: inner products and sums are within their bounds, compared with double-double arithmetic, and within
// epsilon ||x||_1 ||y||_inf; elements are within theta.
func TestBound(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 17, Block, Block + 1, 5*Block - 3, 40 * Block} {
		for _, spread := range []float64{0, 20, 60, 300} {
			for _, epsilon := range []float64{0x1p-53, 0x1p-37, 0x1p-24, 0x1p-10} {
				x, y := random(rng, n, spread), random(rng, n, 10)
				slices.SortFunc(x[:n/2], func(a, b float64) int { return int(math.Copysign(1, math.Abs(b)-math.Abs(a))) })
				v, stored := New(n, pool, nil), slices.Clone(x)
				theta := Tolerance(x, epsilon)
				v.Pack(1, stored, Rule{Theta: theta})
				for i := range x {
					if e := math.Abs(x[i] - stored[i]); e > theta {
						t.Fatalf("n = %d, spread %g, epsilon %g: element %d is off by %g, theta is %g", n, spread, epsilon, i, e, theta)
					}
				}
				s, sum, norm := exact(x, y)
				e := math.Abs(s.Sub(dd.From(v.Dot(y))).Float())
				if bound := v.Bound(sum, norm); e > bound {
					t.Errorf("n = %d, spread %g, epsilon %g: error %g, bound %g", n, spread, epsilon, e, bound)
				}
				_, x1, _ := exact(x, slices.Repeat([]float64{1}, n))
				if most := (epsilon + 200*0x1p-53) * x1 * kernels.AbsMax(y); e > most {
					t.Errorf("n = %d, spread %g, epsilon %g: error %g, want at most %g", n, spread, epsilon, e, most)
				}
				one := slices.Repeat([]float64{1}, n)
				s, sum, norm = exact(x, one)
				if got := v.Sum(); math.Abs(s.Sub(dd.From(got)).Float()) > v.Bound(sum, norm) || got != v.Dot(one) {
					t.Errorf("n = %d, spread %g, epsilon %g: sum %g, want %v", n, spread, epsilon, got, s)
				}
			}
		}
	}
}

// TestFormats: a block has the narrowest format that keeps theta, and the bytes of that format.
func TestFormats(t *testing.T) {
	pool := parallel.New(1)
	defer pool.Close()
	for _, c := range []struct {
		most float64
		rule Rule
		want Format
	}{
		{0, Rule{Narrowest: FP64}, Dropped},
		{1, Rule{Theta: 1}, Dropped},
		{1, Rule{Theta: 1, Narrowest: Int16}, Int16},
		{1, Rule{Theta: 0x1p-15}, Int16}, // 1 is 2^14 units of 2^-14
		{1, Rule{Theta: 0x1p-16}, FP32},
		{32767.0 / 32768, Rule{Theta: 0x1p-16}, Int16},
		{1, Rule{Theta: 0x1p-24}, FP32},
		{1, Rule{Theta: 0x1p-25}, FP64},
		{1, Rule{}, FP64},
		{1, Uniform(FP32), FP32},
		{1e300, Uniform(FP32), FP64},
		{1e-300, Uniform(FP32), FP64},
		{1e-303, Uniform(Int16), FP64},
		{1, Uniform(FP64), FP64},
		{math.NaN(), Uniform(Int16), FP64},
		{math.Inf(1), Uniform(Int16), FP64},
	} {
		v, x := New(Block+5, pool, nil), make([]float64, Block+5)
		x[7], x[Block] = -c.most/2, c.most
		if x[7] != x[7] {
			x[7] = 0
		}
		x[3] = c.most
		v.Pack(1, x, c.rule)
		if v.Count(c.want) != Block+5 {
			t.Errorf("largest %g, %+v: %d elements in %v, want all", c.most, c.rule, v.Count(c.want), c.want)
		}
		if want := int64((Block+5)*c.want.Bytes() + 6); v.Bytes() != want {
			t.Errorf("%v takes %d bytes, want %d", c.want, v.Bytes(), want)
		}
	}
}

// TestPack: the vector stores what Pack leaves in x, also for Dot and Axpy.
func TestPack(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	rng := rand.New(rand.NewPCG(3, 4))
	for _, rule := range []Rule{{}, {Theta: 1e-3}, {Theta: 1e-6}, {Theta: 1e-9}, Uniform(Int16), Uniform(FP32), Uniform(FP64)} {
		n := 7*Block + 100
		x := random(rng, n, 0)
		for i := range x {
			x[i] *= math.Exp2(-float64(8 * (i / Block)))
		}
		v := New(n, pool, nil)
		v.Pack(0.3, x, rule)
		w := random(rng, n, 0)
		s, sum, _ := exact(x, w)
		if e := math.Abs(s.Sub(dd.From(v.Dot(w))).Float()); e > 200*0x1p-53*sum {
			t.Errorf("%+v: inner product off by %g", rule, e)
		}
		want := slices.Clone(w)
		for i := range want {
			want[i] += -0.7 * x[i]
		}
		v.AxpyBlocks(-0.7, 0, v.Blocks(), w)
		for i := range w {
			if math.Abs(w[i]-want[i]) > 1e-15*(1+math.Abs(want[i])) {
				t.Fatalf("%+v: element %d of w - 0.7 v is %g, want %g", rule, i, w[i], want[i])
			}
		}
	}
}

// TestOrder: in order, all elements that may be narrow are narrow, and none is lost.
func TestOrder(t *testing.T) {
	pool := parallel.New(1)
	defer pool.Close()
	x := random(rand.New(rand.NewPCG(5, 6)), 20*Block, 80)
	rule := Rule{Theta: Tolerance(x, 0x1p-37)}
	order, sorted, seen := Order(x, rule), make([]float64, len(x)), make([]bool, len(x))
	for k, i := range order {
		sorted[k], seen[i] = x[i], true
	}
	if slices.Contains(seen, false) {
		t.Fatal("an element is lost")
	}
	given, brought := New(len(x), pool, nil), New(len(x), pool, nil)
	given.Pack(1, slices.Clone(x), rule)
	brought.Pack(1, sorted, rule)
	if 2*brought.Bytes() > given.Bytes() {
		t.Errorf("%d bytes in order, %d as given: want half", brought.Bytes(), given.Bytes())
	}
}

// TestThreads: results have the same bits for any number of threads and all kernels.
func TestVectorThreads(t *testing.T) {
	x := random(rand.New(rand.NewPCG(7, 8)), 100*Block+77, 40)
	y := random(rand.New(rand.NewPCG(9, 10)), len(x), 40)
	var want string
	for _, k := range kernels.Sets() {
		for _, threads := range []int{1, 2, 3, 8} {
			pool := parallel.New(threads)
			v := New(len(x), pool, k)
			v.Pack(1/3., slices.Clone(x), Rule{Theta: Tolerance(x, 0x1p-37)})
			got := fmt.Sprintf("%x %x %d", v.Dot(y), v.Sum(), v.Bytes())
			if pool.Close(); want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%d threads, %v: %s, want %s", threads, k, got, want)
			}
		}
	}
}
