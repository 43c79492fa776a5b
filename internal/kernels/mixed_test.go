package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The kernels on float64 and float32 vectors do what they say, with the same bits with every
// set, also of special numbers.
func TestMixedSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN(), 0x1p-1074, 0x1p-140, math.MaxFloat64}
	a := &arena{t: t}
	for n := range 4*group + 4 {
		v, w := vectors(rng, n, 4), normal[float32](rng, n)
		if n%4 == 3 {
			for range 5 {
				v[rng.IntN(4)][rng.IntN(n)] = special[rng.IntN(len(special))]
				w[rng.IntN(n)] = float32(special[rng.IntN(len(special))])
			}
		}
		everywhere(a, fmt.Sprintf("StepInto of %d elements", n), nil, func(k *Set) []float64 {
			p, x, q, r := put(a, v[0]), put(a, v[1]), put(a, v[2]), put(a, v[3])
			w, f := put(a, w), put(a, make([]float32, n))
			rr := k.StepInto(-0.3, p, x, q, r, w, f)
			wantX, wantR, want := slices.Clone(v[1]), slices.Clone(v[3]), 0.0
			if want = k.Step(-0.3, v[0], wantX, v[2], wantR); rr != want && want == want || !sameNumbers(x, wantX) || !sameNumbers(r, wantR) {
				t.Errorf("StepInto of %d elements is not Step", n)
			}
			for i := range f {
				if want := w[i] * float32(r[i]); f[i] != want && want == want {
					t.Errorf("StepInto: f[%d] = %v, want %v", i, f[i], want)
				}
			}
			return slices.Concat(x, r, wide(f), []float64{rr})
		})
		everywhere(a, fmt.Sprintf("XpayMixed of %d elements", n), nil, func(k *Set) []float64 {
			w, x, y := put(a, w), put(a, w), put(a, v[0])
			k.XpayMixed(w, x, 0.7, y)
			for i := range y {
				if want := float64(w[i])*float64(x[i]) + float64(0.7*v[0][i]); y[i] != want && want == want {
					t.Errorf("XpayMixed: y[%d] = %v, want %v", i, y[i], want)
				}
			}
			return y
		})
	}
}

// sameNumbers is slices.Equal for which NaN equals NaN.
func sameNumbers(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(a, b float64) bool { return a == b || a != a && b != b })
}
