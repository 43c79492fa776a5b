package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// All sets give the same integers, for every length.
func TestQuantize(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	a := &arena{t: t}
	for n := range 70 {
		v := make([]float64, n)
		for k := range v {
			switch rng.IntN(4) {
			case 0:
				v[k] = float64(rng.IntN(9)-4) / 2 // ties
			case 1:
				v[k] = 0x1p-1030 * rng.NormFloat64()
			default:
				v[k] = math.Ldexp(2*rng.Float64()-1, rng.IntN(56))
			}
		}
		everywhere(a, fmt.Sprintf("Quantize of %v", v), nil, func(k *Set) []float64 {
			m, width := put(a, make([]int64, n)), put(a, make([]uint8, n))
			zeros := k.Quantize(m, width, put(a, v), 0.5)
			for k, i := range m {
				if want := int64(math.RoundToEven(v[k] / 2)); i != want || width[k] != BitsOf(want) {
					t.Fatalf("%g became %d of %d bits, want %d", v[k], i, width[k], want)
				}
			}
			return []float64{float64(zeros)}
		})
	}
}
