package gpu

import (
	"math"
	"math/rand/v2"
	"testing"
)

// applied is what p makes of x.
func applied(s *deviceSpace, p interface{ Apply(dst, src *Vector) }, x []float64) []float64 {
	dst := s.New()
	p.Apply(dst, onDevice(s, x)[0])
	return s.fetched(dst)
}

func TestJacobi(t *testing.T) {
	eachSpace(t, func(t *testing.T, s *deviceSpace) {
		w, x := nasty(s.n, 1, true), nasty(s.n, 2, true)
		short := eachOf(s.n, func(i int) float64 { return float64(float32(i + 1)) })
		for _, w := range [][]float64{w, short} {
			p, err := NewJacobi(s, w)
			if err != nil {
				t.Fatal(err)
			}
			if s.n > 0 && &w[0] == &short[0] && !p.(*jacobi).single {
				t.Error("FP32 does")
			}
			sameBits(t, "Jacobi", applied(s, p, x), eachOf(s.n, func(i int) float64 { return w[i] * x[i] }))
			p.Close()
		}
	})
}

// randomInverses are blocks of all sizes and widths, with the extreme integers of each.
func randomInverses(n int, seed uint64) (v BlockInverses, numbers [][]float64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	v.First = []int32{0}
	most := 1 + rng.IntN(32)
	for lo := 0; lo < n; {
		rows, bytes := min(1+rng.IntN(most), n-lo), 2+rng.IntN(7)
		a := make([]float64, rows*rows)
		if bytes == 8 {
			a = nasty(len(a), rng.Uint64(), true)
		} else {
			top := int64(1)<<(8*bytes-1) - 1
			for k := range a {
				switch a[k] = float64(rng.Int64N(top) - top/2); rng.IntN(20) {
				case 0:
					a[k] = float64(top)
				case 1:
					a[k] = float64(-top - 1)
				}
			}
		}
		lo += rows
		v.First, v.Bytes = append(v.First, int32(lo)), append(v.Bytes, uint8(bytes))
		v.Exponent = append(v.Exponent, int16(rng.IntN(1990)-1022))
		numbers = append(numbers, a)
	}
	v.Numbers = func(yield func(int, []float64) bool) {
		for b, a := range numbers {
			if !yield(b, a) {
				return
			}
		}
	}
	return v, numbers
}

func TestBlockJacobi(t *testing.T) {
	eachSpace(t, func(t *testing.T, s *deviceSpace) {
		for seed := range uint64(4) {
			v, numbers := randomInverses(s.n, 100*uint64(s.n)+seed)
			p, err := NewBlockJacobi(s, v)
			if err != nil {
				t.Fatal(err)
			}
			x, want := nasty(s.n, seed, true), make([]float64, s.n)
			for b, a := range numbers {
				in, out := x[v.First[b]:v.First[b+1]], want[v.First[b]:v.First[b+1]]
				for i := range out {
					sum := 0.0
					for j, xj := range in {
						sum = math.FMA(a[i*len(in)+j], xj, sum)
					}
					out[i] = math.Ldexp(1, int(v.Exponent[b])) * sum
				}
			}
			sameBits(t, "block Jacobi", applied(s, p, x), want)
			p.Close()
		}
	})
}
