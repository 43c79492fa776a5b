package gpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// matrixOf makes a matrix of rows that a function fills.
func matrixOf(t testing.TB, rows, cols int, row func(rng *rand.Rand, i int, add func(j int, v float64))) *csr.Matrix {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, uint64(rows)))
	b, err := csr.NewBuilder(rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		row(rng, i, func(j int, v float64) {
			if err := b.Add(i, j, v); err != nil {
				t.Fatal(err)
			}
		})
	}
	return b.Build()
}

// slotMatrices are generated ones of many shapes.
func slotMatrices(t testing.TB) map[string]*csr.Matrix {
	all := map[string]*csr.Matrix{
		"poisson2d":    generated(t, "poisson2d", generate.Params{"n": 23, "decades": 6}),
		"poisson3d":    generated(t, "poisson3d", generate.Params{"n": 11}),
		"elasticity3d": generated(t, "elasticity3d", generate.Params{"n": 5}),
		"powerlaw":     generated(t, "powerlaw", generate.Params{"n": 3000}),
		"stencil27":    generated(t, "stencil27", generate.Params{"n": 9}),
		"1x1":          matrixOf(t, 1, 1, func(_ *rand.Rand, _ int, add func(int, float64)) { add(0, -3) }),
		"empty rows": matrixOf(t, 70, 9, func(rng *rand.Rand, i int, add func(int, float64)) {
			if i%7 == 3 {
				add(i%9, rng.NormFloat64())
			}
		}),
		"range": matrixOf(t, 300, 300, func(rng *rand.Rand, i int, add func(int, float64)) {
			for _, j := range rng.Perm(300)[:1+i%40] {
				add(j, math.Ldexp(rng.NormFloat64(), rng.IntN(400)-200-3*i))
			}
			if i%3 > 0 {
				add(i, math.Ldexp(1, -800))
			}
		}),
		"subnormal": matrixOf(t, 40, 40, func(rng *rand.Rand, i int, add func(int, float64)) {
			add(i, math.Ldexp(rng.NormFloat64(), -1060))
			add((i+9)%40, math.Ldexp(rng.NormFloat64(), -1050))
		}),
		"dense row": matrixOf(t, 50, 20000, func(rng *rand.Rand, i int, add func(int, float64)) {
			for j := i; j < 20000; j++ {
				add(j, rng.NormFloat64())
				if i != 20 {
					j += 1000 * (1 + i%3)
				}
			}
		}),
		"far": matrixOf(t, 100, 140000, func(rng *rand.Rand, i int, add func(int, float64)) {
			for range 9 {
				add(rng.IntN(140000), rng.ExpFloat64())
			}
		}),
	}
	for b := 2; b <= 6; b++ {
		all[fmt.Sprint("blocks ", b)] = blockMatrix(t, b, 37, 37)
	}
	all["long block rows"] = blockMatrix(t, 2, 100, 5000)
	return all
}

// blockMatrix has blocks of b x b, m rows of n of them, the first full.
func blockMatrix(t testing.TB, b, m, n int) *csr.Matrix {
	return matrixOf(t, b*m, b*n, func(rng *rand.Rand, i int, add func(int, float64)) {
		step := n/9 + 1
		if i/b == 0 {
			step = 1
		}
		for k := i / b % step; k < n; k += step {
			for j := range b {
				add(k*b+j, math.Ldexp(rng.NormFloat64(), -rng.IntN(20)))
			}
		}
	})
}
