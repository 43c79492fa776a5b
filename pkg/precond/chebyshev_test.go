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
	smallest, largest, err := extremeEigenvalues(linop.NewCSR(m, nil), w, lanczosSteps, nil)
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
