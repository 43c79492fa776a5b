package precond

import (
	"errors"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

func TestExtremeEigenvalues(t *testing.T) {
	const n = 40 // those of D^-1 A are 1 - cos(k pi / (n+1)), sums of two of them halved
	m := generated(t, "poisson2d", generate.Params{"n": n})
	w := m.Diagonal(nil)
	for i, d := range w {
		w[i] = 1 / d
	}
	smallest, largest, err := extremeEigenvalues(linop.NewCSR(m, nil), w, thorough, nil)
	least, most := 1-math.Cos(math.Pi/(n+1)), 1+math.Cos(math.Pi/(n+1))
	if err != nil || largest > most || largest < 0.95*most || smallest < least || smallest > 0.2 {
		t.Errorf("%g and %g (%v), want %g and %g", smallest, largest, err, least, most)
	}
	if v := largestOfTridiagonal([]float64{2, 2, 2}, []float64{1, 1}); math.Abs(v-2-math.Sqrt2) > 1e-14 {
		t.Errorf("%g, want 2 + sqrt 2", v)
	}
	m.Negate(nil)
	if _, err := largestEigenvalue(linop.NewCSR(m, nil), w, nil); !errors.Is(err, ErrNotDefinite) {
		t.Errorf("negative definite: %v", err)
	}
}

// An eigenvalue that is alone, of a few rows among many, comes late: what goes by it is within the margin of
// smoothers all the same.
func TestLargestEigenvalueAlone(t *testing.T) {
	const n, few = 100_000, 4 // eigenvalues below 2, and 1 + 0.6 (few - 1)
	a := sparse(t, n, func(add func(i, j int, v float64)) {
		for i := range n {
			for j := max(i-few, 0); j <= min(i+few, n-1); j++ {
				switch {
				case j == i:
					add(i, j, 1)
				case max(i, j) < few:
					add(i, j, 0.6)
				case min(i, j) >= few && max(i, j) == min(i, j)+1:
					add(i, j, -0.5)
				}
			}
		}
	})
	w := make(vector, n)
	for i := range w {
		w[i] = 1
	}
	const want = 1 + 0.6*(few-1)
	for name, steps := range map[string]effort{"quick": quick, "thorough": thorough} {
		if _, v, err := extremeEigenvalues(linop.NewCSR(a, nil), w, steps, nil); err != nil || v > want*(1+1e-12) || eigenvalueMargin*v < want {
			t.Errorf("%s: %g (%v), want %g", name, v, err, want)
		}
	}
	if _, v, _ := extremeEigenvalues(linop.NewCSR(a, nil), w, effort{8, 8}, nil); eigenvalueMargin*v >= want {
		t.Errorf("eight steps are enough: %g", v)
	}
}
