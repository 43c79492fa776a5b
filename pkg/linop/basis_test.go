package linop

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// TestBasis: operations with a basis are those with the vectors that Set has left, which are near those
// that it was given.
func TestBasis(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 1000, 1024, 4096, 5000, 70000} {
		for _, f := range []BasisFormat{BasisFP64, BasisFP32, BasisINT16, BasisAdaptive} {
			h := NewHost(n, pool)
			b := h.NewBasis(f)
			const delta = 1e-6
			most := map[BasisFormat]float64{BasisFP64: 0, BasisFP32: 0x1p-24, BasisINT16: 1e-3, BasisAdaptive: delta}[f]
			var vs [][]float64
			for k := range 7 {
				v := make([]float64, n)
				for i := range v {
					v[i] = rng.NormFloat64()
				}
				w := append([]float64(nil), v...)
				a := 1 / h.Dot(v, v).Sqrt()
				b.Set(k, a, w, delta)
				h.Scale(a, v)
				h.Axpy(-1, w, v)
				if e := float64(h.Dot(v, v).Sqrt()); e > most {
					t.Errorf("n = %d, %s: a vector is off by %g, want at most %g", n, f, e, most)
				}
				vs = append(vs, w)
			}
			near := func(what string, got, want float64) {
				if math.Abs(got-want) > 1e-11*(1+math.Abs(want)) {
					t.Errorf("n = %d, %s: %s is %g, want %g", n, f, what, got, want)
				}
			}
			w, got, want := vs[6], make([]Float64, 5), make([]Float64, 5)
			b.MultiDot(got, w)
			h.MultiDot(want, vs[:5], w)
			for k := range got {
				near("an inner product", float64(got[k]), float64(want[k]))
			}
			x, y := make([]float64, n), make([]float64, n)
			factors := []Float64{1, -2, 3, 0.5}
			b.MultiAxpy(factors, x)
			near("a norm", float64(b.MultiAxpyDot(factors, x)), float64(h.Dot(x, x)))
			h.MultiAxpy(factors, vs[:4], y)
			h.MultiAxpy(factors, vs[:4], y)
			for i := range x {
				near("a combination", x[i], y[i])
			}
			c := b.Counts()
			if c.Elements != int64(7*n) {
				t.Errorf("counts are %+v", c)
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("there is a basis of an unknown format")
		}
	}()
	NewHost(1, pool).NewBasis("fp8")
}
