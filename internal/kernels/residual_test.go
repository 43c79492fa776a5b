package kernels

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Every set gives the bits of the portable loop, for rows of any lengths and numbers of any size.
func TestResidual(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for n := 1; n < 90; n++ {
		for _, longest := range []int{0, 1, 5, 40} {
			rowPtr, col, val := make([]int64, 1, n+1), []int32(nil), []float64(nil)
			x, b := make([]float64, 7), make([]float64, n)
			for k := range x {
				x[k] = math.Ldexp(rng.NormFloat64(), rng.IntN(60))
			}
			for i := range n {
				for range rng.IntN(longest + 1) {
					col = append(col, int32(rng.IntN(len(x))))
					val = append(val, math.Ldexp(rng.NormFloat64(), -rng.IntN(60)))
					if rng.IntN(9) == 0 {
						val[len(val)-1] = math.Copysign(0, rng.NormFloat64())
					}
				}
				rowPtr = append(rowPtr, int64(len(col)))
				b[i] = rng.NormFloat64() * float64(rng.IntN(2))
				if rowPtr[i+1] == rowPtr[i] { // which stays infinite, if others have elements
					b[i] = math.Inf(rng.IntN(2) - 1)
				}
			}
			want := make([]float64, n)
			csrResidualDD(want, b, 0, n, rowPtr, col, val, x)
			for _, k := range Sets() {
				got := make([]float64, n)
				k.residual64(got, b, 0, n, rowPtr, col, val, x)
				for i := range want {
					if math.Float64bits(got[i]) != math.Float64bits(want[i]) && !(got[i] != got[i] && want[i] != want[i]) {
						t.Fatalf("%v, %d rows of up to %d: r[%d] = %v, want %v", k, n, longest, i, got[i], want[i])
					}
				}
			}
		}
	}
}

func BenchmarkResidual(bench *testing.B) {
	const n, length = 4000, 12
	rng := rand.New(rand.NewPCG(1, 1))
	rowPtr, col, val := make([]int64, n+1), make([]int32, n*length), make([]float64, n*length)
	for i := range n + 1 {
		rowPtr[i] = int64(i * length)
	}
	for e := range col {
		col[e], val[e] = int32((e/length+rng.IntN(200))%n), rng.NormFloat64()
	}
	r, b := make([]float64, n), make([]float64, n)
	for _, k := range Sets() {
		bench.Run(k.String(), func(bench *testing.B) {
			bench.SetBytes(12 * n * length)
			for bench.Loop() {
				k.residual64(r, b, 0, n, rowPtr, col, val, b)
			}
		})
	}
}
