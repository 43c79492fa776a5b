package precond

import (
	"errors"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// step returns I + dt A, scaled from both sides by powers of two as far apart as reach.
func step(tb testing.TB, n float64, dt float64, reach int) *csr.Matrix {
	tb.Helper()
	m := generated(tb, "poisson3d", generate.Params{"n": n})
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			vals[k] *= dt
			if int(j) == i {
				vals[k]++
			}
			vals[k] = math.Ldexp(vals[k], i%(reach+1)+int(j)%(reach+1))
		}
	}
	return m
}

// An application reduces the residual, scaled by the diagonal, to the tolerance, whatever the units of rows and of the vector are.
func TestCG32(t *testing.T) {
	pool := newPool(t, 2)
	for _, reach := range []int{0, 20} {
		m := step(t, 20, 3, reach)
		p := mustNew(t, CG32, m, Options{Symmetric: true}, pool)
		d := m.Diagonal(nil)
		for _, e := range []int{0, -1000, 900} {
			src, dst, r := random(m.Rows, 1), make(vector, m.Rows), make(vector, m.Rows)
			for i := range src {
				src[i] = math.Ldexp(src[i]*math.Sqrt(d[i]), e)
			}
			p.Apply(dst, src)
			m.MulVec(r, dst)
			rest, size := 0.0, 0.0
			for i := range r {
				rest = math.Hypot(rest, math.Ldexp(src[i]-r[i], -e)/math.Sqrt(d[i]))
				size = math.Hypot(size, math.Ldexp(src[i], -e)/math.Sqrt(d[i]))
			}
			if !(rest <= 2*cg32Tol*size) {
				t.Errorf("units up to 2^%d, vector of 2^%d: %.1e of the residual is left", reach, e, rest/size)
			}
			if k, rate := p.(*cg32).Inner(); !(k > 1 && k < cg32Steps) || math.Exp(-k*rate) > cg32Tol {
				t.Errorf("units up to 2^%d, vector of 2^%d: %g iterations with the rate %g", reach, e, k, rate)
			}
		}
	}
}

// Where A turns out not to be definite, an application is one of the diagonal: the method that applies it finds out. Diagonal entries that are not
// positive, or too far apart for FP32, are errors.
func TestCG32Unsuitable(t *testing.T) {
	m := fromRows(t, [][]float64{{1, -3}, {-3, 4}})
	p := mustNew(t, CG32, m, Options{Symmetric: true}, nil)
	dst := make(vector, 2)
	if p.Apply(dst, vector{8, 16}); dst[0] != 8 || dst[1] != 4 {
		t.Errorf("%v", dst)
	}
	if _, err := New(t.Context(), CG32, fromRows(t, [][]float64{{1, 0}, {0, -4}}), Options{Symmetric: true}, nil); !errors.Is(err, ErrNotDefinite) {
		t.Error(err)
	}
	if _, err := New(t.Context(), CG32, fromRows(t, [][]float64{{1e300, 0}, {0, 1}}), Options{Symmetric: true}, nil); err == nil {
		t.Error("no error for 1e300")
	}
}
