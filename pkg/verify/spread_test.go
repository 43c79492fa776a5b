package verify

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// The elements of A, x and b spread over up to 600 decades, each on its own, against
// 3000-bit arithmetic: with x right to rounding for some rows and wrong for others.
func TestSpreadAgainstBigFloat(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	for round := range rounds {
		rng := rand.New(rand.NewPCG(uint64(round), 16))
		decades := []float64{10, 60, 150, 300}[round%4]
		value := func() float64 {
			return rng.NormFloat64() * math.Pow(10, decades*(2*rng.Float64()-1))
		}
		const n = 12
		entries := map[[2]int]float64{}
		for i := range n {
			entries[[2]int{i, i}] = value()
			entries[[2]int{i, rng.IntN(n)}] = value()
		}
		m, x, b := build(t, n, n, entries), make([]float64, n), make([]float64, n)
		for j := range x {
			x[j] = value()
		}
		m.MulVec(b, x)
		for i := range b {
			if v := b[i]; v-v != 0 || rng.IntN(3) == 0 {
				b[i] = value()
			}
		}
		sameErrors(t, compute(t, m, x, b), oracle(m, x, b))
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

// What the squares of small numbers, and a small element beside a large one, did to errors.
func TestNothingVanishes(t *testing.T) {
	path := build(t, 3, 3, map[[2]int]float64{
		{0, 0}: 1, {0, 1}: -1, {1, 0}: -1, {1, 1}: 2, {1, 2}: -1, {2, 1}: -1, {2, 2}: 1,
	})
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		x, b []float64
	}{
		{"|A||x| far above b", path, []float64{1e165, 1e165, 1e165}, []float64{1, 2, 4}},
		{"a null vector near the largest number", path, []float64{1e300, 1e300, 1e300}, []float64{1e-300, 0, 1e-300}},
		{
			"a small element of x, beside the largest", build(t, 2, 2, map[[2]int]float64{{0, 0}: 1, {1, 1}: 1e300}),
			[]float64{1e301, 1e-24},
			[]float64{1e301, 0},
		},
		{
			"a small element of A, beside the largest", build(t, 1, 2, map[[2]int]float64{{0, 0}: 1e300, {0, 1}: 1e-300}),
			[]float64{0, 1e300},
			[]float64{2},
		},
	} {
		t.Run(c.name, func(t *testing.T) { sameErrors(t, compute(t, c.m, c.x, c.b), oracle(c.m, c.x, c.b)) })
	}
}

// Where x is so large that b is below the roundings of double-double arithmetic, residuals are exact:
// they are held against b.
func TestHugeSolution(t *testing.T) {
	wide := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
	for round := range 40 {
		rng := rand.New(rand.NewPCG(uint64(round), 17))
		const n = 8
		size := 100 + rng.IntN(700)
		x, b := make([]float64, n), make([]float64, n)
		for j := range x {
			x[j] = math.Ldexp(1+rng.Float64(), size-40*max(0, j-(n-4)))
		}
		entries := map[[2]int]float64{}
		for i := range n { // with A x = 0 but for 2^-140 of the terms
			sum := wide(0)
			for j := range n {
				v := rng.NormFloat64()
				if j >= n-4 {
					v, _ = new(big.Float).Quo(sum, wide(-x[j])).Float64()
				}
				entries[[2]int{i, j}] = v
				sum.Add(sum, new(big.Float).Mul(wide(v), wide(x[j])))
			}
			b[i] = rng.NormFloat64() * math.Ldexp(1, size-140)
		}
		m := build(t, n, n, entries)
		got, want := compute(t, m, x, b), oracle(m, x, b)
		for k, r := range []float64{got.RelativeResidual / want.RelativeResidual, got.Row / want.Row, got.Normwise / want.Normwise} {
			if !(math.Abs(r-1) <= 1e-12) {
				t.Errorf("round %d: error %d is %g of the right one", round, k, r)
			}
		}
	}
}
