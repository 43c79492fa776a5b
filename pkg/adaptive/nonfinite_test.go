package adaptive

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// NaN or infinity in x spoils all rows that have this column, in every layout, and no others in a layout without zeros that fill up blocks of
// several rows.
func TestNonFiniteX(t *testing.T) {
	const n = 200
	rng := rand.New(rand.NewPCG(3, 1))
	random, band := make([][]float64, n), make([][]float64, n)
	for i := range n {
		random[i], band[i] = make([]float64, n), make([]float64, n)
		random[i][i] = 4
		for range rng.IntN(9) {
			random[i][rng.IntN(n)] = rng.NormFloat64()
		}
		for _, j := range []int{i - 3, i, i + 3} {
			if j >= 0 && j < n && i*j%7 != 3 {
				band[i][j] = float64(min(i, j)%5 + 1)
			}
		}
	}
	exact := map[Layout]bool{CSR: true, Bucketed: true, COO: true, ELL: true, Hybrid: true, SELL8: true}
	for name, m := range map[string]*csr.Matrix{"random": entries(random...), "band": entries(band...)} {
		for _, l := range layoutTable {
			if l.lower && name == "random" {
				continue
			}
			a := build(t, m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-53, Layout: l.name, Criterion: NW})
			for _, bad := range []float64{math.NaN(), math.Inf(1)} {
				for _, j := range []int{0, 77, n - 1} {
					x, y := slices.Repeat([]float64{1}, n), make([]float64, n)
					x[j] = bad
					a.Apply(y, x)
					for i, v := range y {
						has, spoilt := m.At(i, j) != 0, math.IsNaN(v) || math.IsInf(v, 0)
						if has && !spoilt || spoilt && !has && exact[l.name] {
							t.Fatalf("%s, %s: x_%d = %g makes y_%d %g, a_ij = %g", name, l.name, j+1, bad, i+1, v, m.At(i, j))
						}
					}
				}
			}
		}
	}
}
