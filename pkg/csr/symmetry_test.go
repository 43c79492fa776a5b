package csr

import (
	"math/rand/v2"
	"testing"
)

func TestSymmetry(t *testing.T) {
	for _, c := range []struct {
		name string
		a    [][]float64
		want bool
	}{
		{"badly scaled", [][]float64{{1e20, 1}, {1, 1e-20}}, true},
		{"badly scaled, not quite", [][]float64{{1e20, 1}, {1.001, 1e-20}}, false},
		{"hidden by a huge row and column", [][]float64{{1, 0.25, 1e20}, {-0.25, 1, 1e20}, {1e20, 1e20, 1e40}}, false},
		{"rounding", [][]float64{{3, 1}, {1 + 4e-16, 3}}, true},
		{"cancelled to rounding errors", [][]float64{{3, 1e-17}, {-2e-17, 3}}, true},
		{"the same in one triangle alone", [][]float64{{3, 0}, {1e-16, 3}}, true},
		{"small, but not beside its diagonal", [][]float64{{1e-16, 1e-17}, {-2e-17, 1e-16}}, false},
		{"tolerance met", [][]float64{{1, 1e-12}, {0, 1}}, true},
		{"tolerance exceeded", [][]float64{{1, 1.01e-12}, {0, 1}}, false},
		{"rounding beside zeros", [][]float64{{0, 1}, {1 + 4e-16, 0}}, true},
		{"alone beside zeros", [][]float64{{0, 1e-300}, {0, 0}}, false},
		{"huge diagonal", [][]float64{{1e308, 1}, {-1, 1e308}}, true},
		{"tiny diagonal", [][]float64{{1e-308, 1e-308}, {-1e-308, 1e-308}}, false},
		{"difference beyond float64", [][]float64{{1, 1e308}, {-1e308, 1}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if f := Examine(fromDense(t, c.a), nil); f.Symmetric != c.want {
				t.Errorf("symmetric %v, asymmetry %g", f.Symmetric, f.Asymmetry)
			}
		})
	}
}

// The asymmetry of D A D is that of A, to the last bit for powers of two.
func TestSymmetryKnowsNoScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		n := 2 + rng.IntN(8)
		a := randomDense(rng, n, n, 0.6, 10)
		m := fromDense(t, a)
		s := NoScaling(m)
		for i := range n {
			s.Row[i] = rng.IntN(400) - 200
		}
		s.Col = s.Row
		if got, want := Examine(s.Apply(m, nil), nil).Asymmetry, Examine(m, nil).Asymmetry; got != want {
			t.Fatalf("asymmetry %v, scaled %v", want, got)
		}
	}
}
