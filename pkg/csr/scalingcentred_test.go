package csr

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Rows, columns or both that differ by up to 2^500 in a matrix whose entries are alike: scaled, these are alike again. Where they are not alike, the largest
// entries alone determine the scaling.
func TestBothScalingOfGradedMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 80))
	for _, spread := range []int{40, 80, 133, 250} {
		for _, graded := range []string{"rows", "columns", "both", "symmetric"} {
			n := 200
			a, by := make([][]float64, n), Scaling{Row: make([]int, n), Col: make([]int, n)}
			for i := range a {
				a[i] = make([]float64, n)
			}
			for i := range a {
				for range 3 {
					j := rng.IntN(n)
					v := 0.5 + rng.Float64()
					if a[i][j] = v; graded == "symmetric" {
						a[j][i] = v
					}
				}
				a[i][i] = 3
				row, column := rng.IntN(2*spread+1)-spread, rng.IntN(2*spread+1)-spread
				switch by.Row[i], by.Col[i] = row, column; graded {
				case "rows":
					by.Col[i] = 0
				case "columns":
					by.Row[i] = 0
				case "symmetric":
					by.Col[i] = row
				}
			}
			m := by.Apply(fromDense(t, a), nil)
			t.Run(fmt.Sprintf("%s %d", graded, spread), func(t *testing.T) {
				s := BothScaling(m, nil)
				checkScaling(t, m, s, func(scaled *Matrix) {
					for i, v := range scaled.RowMax(nil) {
						within(t, fmt.Sprintf("largest of row %d", i), v, 0.25, 2)
					}
					least := math.Inf(1)
					for _, v := range scaled.Val {
						least = min(least, math.Abs(v))
					}
					if least < 0x1p-54 {
						t.Errorf("least entry %g", least)
					}
				})
				if graded == "symmetric" && !slices.Equal(s.Row, s.Col) {
					t.Error("rows and columns of a symmetric matrix have unlike exponents")
				}
			})
		}
	}
	a := randomDense(rng, 100, 100, 0.1, 200)
	m := fromDense(t, a)
	if s, want := BothScaling(m, nil), unshared.equilibrated(m, entryExponents(m, nil), NoScaling(m), nil); !slices.Equal(s.Row, want.Row) || !slices.Equal(s.Col, want.Col) {
		t.Error("entries of all sizes change the scaling")
	}
}
