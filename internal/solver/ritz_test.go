package solver

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"gonum.org/v1/gonum/mat"
)

// Ritz values are inside of the spectrum, reach its ends where there are enough steps, and scale with the matrix.
func TestRitz(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	for name, m := range map[string]*csr.Matrix{"grid": shifted(8, 0), "large": shifted(16, 0), "one": shifted(1, 0), "negative": shifted(7, -3)} {
		dense := mat.NewSymDense(m.Rows, nil)
		m.DoNonZero(func(i, j int, v float64) { dense.SetSym(i, j, v) })
		var e mat.EigenSym
		if !e.Factorize(dense, false) {
			t.Fatal(name)
		}
		want := e.Values(nil)
		least, most := want[0], want[len(want)-1]
		slack := 0x1p-45 * math.Max(math.Abs(least), math.Abs(most))
		low, high, steps, err := features.Ritz(t.Context(), m, pool)
		if err != nil || low < least-slack || high > most+slack || steps < 1 || steps > features.RitzSteps {
			t.Errorf("%s: %g to %g in %d steps, the spectrum %g to %g: %v", name, low, high, steps, least, most, err)
		}
		if wide := most - least; high < most-0.02*wide || low > least+0.02*wide {
			t.Errorf("%s: %g to %g is not near %g to %g", name, low, high, least, most)
		}
		if m.Rows <= features.RitzSteps && (math.Abs(low-least) > 1e-9 || math.Abs(high-most) > 1e-9) {
			t.Errorf("%s: %g to %g, want %g to %g", name, low, high, least, most)
		}
		for _, power := range []int{-900, 900} {
			scaled := *m
			scaled.Val = make([]float64, len(m.Val))
			for k, v := range m.Val {
				scaled.Val[k] = math.Ldexp(v, power)
			}
			if l, h, _, err := features.Ritz(t.Context(), &scaled, pool); err != nil || l != math.Ldexp(low, power) || h != math.Ldexp(high, power) {
				t.Errorf("%s times 2^%d: %g to %g: %v", name, power, l, h, err)
			}
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, _, _, err := features.Ritz(ended, shifted(8, 0), pool); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
