package csr

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
)

func inverse(s Scaling) Scaling {
	inv := Scaling{Row: make([]int, len(s.Row)), Col: make([]int, len(s.Col))}
	for i, e := range s.Row {
		inv.Row[i] = -e
	}
	for j, e := range s.Col {
		inv.Col[j] = -e
	}
	return inv
}

func within(t *testing.T, what string, v, lo, hi float64) {
	t.Helper()
	if !(v >= lo && v < hi) {
		t.Errorf("%s = %v, not in [%v, %v)", what, v, lo, hi)
	}
}

// checkScaling tests that s is exact and can be undone, and that it does what
// it promises for the largest magnitudes.
func checkScaling(t *testing.T, m *Matrix, s Scaling, promise func(scaled *Matrix)) {
	t.Helper()
	scaled := s.Apply(m, nil)
	if err := scaled.Validate(); err != nil {
		t.Fatal(err)
	}
	for i := range m.Rows {
		for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
			if want := math.Ldexp(m.Val[k], s.Row[i]+s.Col[m.Col[k]]); scaled.Val[k] != want {
				t.Fatalf("entry (%d, %d) became %v, want %v", i, m.Col[k], scaled.Val[k], want)
			}
		}
	}
	if back := inverse(s).Apply(scaled, nil); !sameBits(back, m) {
		t.Error("the inverse scaling does not restore the matrix")
	}
	promise(scaled)
}

// Magnitudes are kept where nothing underflows after scaling.
func TestScalings(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, spread := range []int{0, 10, 120} {
		for range 20 {
			n := 1 + rng.IntN(12)
			a := randomDense(rng, n, n, 0.3, spread)
			for i := range a {
				a[i][i] = math.Ldexp(1+rng.Float64(), rng.IntN(2*spread+1)-spread)
			}
			m := fromDense(t, a)
			t.Run(fmt.Sprintf("row %d", spread), func(t *testing.T) {
				checkScaling(t, m, RowScaling(m, nil), func(scaled *Matrix) {
					for i, v := range scaled.RowMax(nil) {
						within(t, fmt.Sprintf("largest of row %d", i), v, 0.5, 1)
					}
				})
			})
			t.Run(fmt.Sprintf("both %d", spread), func(t *testing.T) {
				checkScaling(t, m, BothScaling(m, nil), func(scaled *Matrix) {
					for i, v := range scaled.RowMax(nil) {
						within(t, fmt.Sprintf("largest of row %d", i), v, 0.25, 2)
					}
					for j, v := range columnMax(scaled) {
						within(t, fmt.Sprintf("largest of column %d", j), v, 0.25, 2)
					}
				})
			})
			symmetrise(a, 1)
			m = fromDense(t, a)
			t.Run(fmt.Sprintf("sym %d", spread), func(t *testing.T) {
				s, err := SymmetricScaling(m, false, nil)
				if err != nil {
					t.Fatal(err)
				}
				checkScaling(t, m, s, func(scaled *Matrix) {
					if f := Examine(scaled, nil); f.Asymmetry != 0 {
						t.Errorf("asymmetry %v after symmetric scaling", f.Asymmetry)
					}
					if !couldBePositiveDefinite(m) {
						for i, v := range scaled.RowMax(nil) {
							within(t, fmt.Sprintf("largest of row %d", i), v, 0.25, 2)
						}
						return
					}
					for i, v := range scaled.Diagonal(nil) {
						within(t, fmt.Sprintf("diagonal %d", i), v, 0.5, 2)
					}
				})
			})
		}
	}
}

// couldBePositiveDefinite says whether the diagonal is large enough for the
// entries beside it, with room for the rounding to powers of two: with the
// exponents that SymmetricScaling takes from the diagonal no entry reaches 4.
func couldBePositiveDefinite(m *Matrix) bool {
	diagonal, could := m.Diagonal(nil), true
	m.DoNonZero(func(i, j int, v float64) {
		di, dj := dd.Exponent(diagonal[i])>>1, dd.Exponent(diagonal[j])>>1
		could = could && math.Abs(math.Ldexp(v, -di-dj)) < 4
	})
	return could
}

func TestScalingOfEmptyRowsAndZeroDiagonal(t *testing.T) {
	m := fromDense(t, [][]float64{{0, 1 << 20, 0}, {1 << 20, 1, 0}, {0, 0, 0}})
	for _, c := range []struct {
		m    *Matrix
		want []int
	}{
		{m, []int{-10, -10, 0}}, // the diagonal alone would leave 2^10
		{fromDense(t, [][]float64{{0, 8, 0}, {8, 1, 0}, {0, 0, 0}}), []int{-2, 0, 0}},
		{fromDense(t, [][]float64{{1e-300, 0x1p990}, {0x1p990, 1e-300}}), []int{-495, -495}},
		{fromDense(t, [][]float64{{0x1p-900, 0x1p-2}, {0x1p-2, 0x1p900}}), []int{450, -450}},
	} {
		s, err := SymmetricScaling(c.m, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(s.Row, c.want) || !slices.Equal(s.Col, c.want) {
			t.Errorf("symmetric exponents %v and %v, want %v", s.Row, s.Col, c.want)
		}
	}
	if s := RowScaling(m, nil); s.Row[2] != 0 {
		t.Errorf("an empty row has exponent %d", s.Row[2])
	}
	if s := BothScaling(m, nil); s.Row[2] != 0 || s.Col[2] != 0 {
		t.Errorf("an empty row and column have exponents %d, %d", s.Row[2], s.Col[2])
	}
	if _, err := SymmetricScaling(fromDense(t, [][]float64{{1, 2}}), false, nil); err == nil {
		t.Error("symmetric scaling of a 1 x 2 matrix")
	}
}

func TestIdentityScaling(t *testing.T) {
	m := fromDense(t, [][]float64{{0.5, 0.25}, {0.25, 0.75}})
	if !NoScaling(m).Identity() || !RowScaling(m, nil).Identity() {
		t.Error("a scaled matrix is scaled again")
	}
	if s := RowScaling(fromDense(t, [][]float64{{8}}), nil); s.Identity() || s.Row[0] != -4 {
		t.Errorf("exponents of (8): %v", s)
	}
	if (Scaling{Row: []int{0}, Col: []int{1}}).Identity() {
		t.Error("a column exponent does not count")
	}
}
