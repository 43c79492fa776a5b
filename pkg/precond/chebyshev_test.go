package precond

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// An application is the residual polynomial with the roots of the Chebyshev
// polynomial, whatever their order.
func TestChebyshevIsItsPolynomial(t *testing.T) {
	m := generated(t, "poisson2d", generate.Params{"n": 12})
	for degree := 1; degree <= 9; degree++ {
		p := mustNew(t, Chebyshev, m, Options{Symmetric: true, Degree: degree, Epsilon: adaptive.MinEpsilon}, nil).(*chebyshev)
		x, b, y, ax := random(m.Rows, 4), make(vector, m.Rows), make(vector, m.Rows), make(vector, m.Rows)
		m.MulVec(b, x)
		p.Apply(y, b)
		// x - y = q(D^-1 A) x by the three-term recurrence.
		c, d := (p.hi+p.lo)/2, (p.hi-p.lo)/2
		before := slices.Clone(x)
		step := func(z vector, scale float64, minus vector) vector {
			m.MulVec(ax, z)
			next := make(vector, len(z))
			for i := range z {
				next[i] = scale * (c*z[i] - p.w[i]*ax[i]) / d
				if minus != nil {
					next[i] -= minus[i]
				}
			}
			return next
		}
		now := step(before, 1, nil)
		for range degree {
			before, now = now, step(now, 2, before)
		}
		top := math.Cosh(float64(degree+1) * math.Acosh(c/d))
		want := make(vector, m.Rows)
		for i := range want {
			want[i] = x[i] - now[i]/top
		}
		closeTo(t, p.String(), y, want, 0x1p-40)
	}
}

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
