package solve

import (
	"fmt"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// Every method with every scaling and stopping criterion on badly scaled
// systems: converged means that the criterion, computed from its definition in
// long arithmetic, is within the tolerance, and not converged that it is not.
// With the defaults of method and scaling all of them are solved.
func TestCombinations(t *testing.T) {
	for _, c := range []struct {
		name string
		m    *csr.Matrix
	}{
		{"rows", rescaled(grid(6, 0.3, 0), uneven(8), same(1))},
		{"columns", rescaled(grid(6, 0.3, 0), same(1), uneven(8))},
		{"symmetric", rescaled(grid(6, 0, 0), uneven(4), uneven(4))},
		{"1e300", rescaled(grid(6, 0.3, 0), same(1e300), same(1))},
		{"1e-300", rescaled(grid(6, 0.3, 0), same(1e-300), same(1))},
		{"spd 1e300", rescaled(grid(6, 0, 0), same(1e300), same(1))},
		{"spd 1e-300", rescaled(grid(6, 0, 0), same(1e-300), same(1))},
	} {
		b := rhs(c.m, 1)
		for _, stop := range Stops {
			for _, scale := range Scales {
				for _, method := range Methods {
					t.Run(fmt.Sprint(c.name, " ", stop, " ", scale, " ", method), func(t *testing.T) {
						const tol = 1e-9
						r := mustSolve(t, c.m, b, nil, Options{Method: method, Scale: scale, Stop: stop, Tol: tol, MaxIter: 1500})
						e := bigMeasure(stop, c.m, r.X, b)
						if !honest(r, e, tol) {
							t.Errorf("%v with error %g", r.Reason, e)
						}
						if got := stop.pick(r.Errors); math.Abs(got-e) > 1e-6*e+1e-25 {
							t.Errorf("error reported as %g, it is %g", got, e)
						}
						if method == Auto && scale == ScaleAuto && !r.Reason.Converged() {
							t.Errorf("not solved: %v with error %g after %d iterations", r.Reason, e, r.Iterations)
						}
					})
				}
			}
		}
	}
}

// The measure that steers the solve against its definition.
func TestMeasureAgainstBigFloat(t *testing.T) {
	for _, c := range []struct {
		m    *csr.Matrix
		size float64
	}{
		{grid(5, 0.3, 0), 1},
		{rescaled(grid(5, 0.3, 0), uneven(8), uneven(3)), 1e5},
		{rescaled(grid(5, 0, 0), same(1e300), same(1)), 1e-100},
		{rescaled(grid(5, 0, 0), same(1e-200), same(1)), 1e-90},
		{rescaled(grid(5, 0, 0), same(1e200), same(1)), 1e106},
	} {
		b := rhs(c.m, c.size)
		x := random(8, c.m.Cols) // about the solution, wrong in the fourth digit
		for i := range x {
			x[i] *= c.size * (1 + 1e-4*math.Sin(float64(i)))
		}
		r := make([]float64, len(b))
		c.m.MulVec(r, x)
		for i := range r {
			r[i] = b[i] - r[i]
		}
		for _, stop := range Stops {
			k := newMeasure(newHost(c.m, nil), stop, c.m.RowSums(nil))
			k.begin(b)
			got, want := k.of(x, r), bigMeasure(stop, c.m, x, b)
			if !(math.Abs(got-want) <= 1e-10*want) {
				t.Errorf("entries of %g, x of %g, stop %s: %g, want %g", c.m.Val[0], c.size, stop, got, want)
			}
			r[3] = math.NaN()
			if v := k.of(x, r); v <= 1 {
				t.Errorf("stop %s: %g with a NaN in r", stop, v)
			}
			r[3] = 0
			c.m.MulVec(r, x)
			for i := range r {
				r[i] = b[i] - r[i]
			}
		}
	}
}

// r / (t x + b) where the denominator leaves the range of float64.
func TestQuotient(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ r, t, x, b, want float64 }{
		{0, 0, 0, 0, 0},
		{1, 1, 1, 1, 0.5},
		{1, 0, 0, 0, inf},
		{1e300, 1e200, 1e200, 0, 1e-100},
		{1e300, 1e200, 1e200, 1e308, 1e-100},
		{1e308, 1, 1e308, 1e308, 1},
		{inf, 1, 1, 1, inf},
	} {
		if got := quotient(c.r, c.t, c.x, c.b); got != c.want && !(math.Abs(got-c.want) <= 1e-14*c.want) {
			t.Errorf("quotient(%g, %g, %g, %g) = %g, want %g", c.r, c.t, c.x, c.b, got, c.want)
		}
	}
}

func TestNorm2(t *testing.T) {
	for _, size := range []float64{0, 0x1p-1070, 1e-200, 1, 1e200, 1e307} {
		norm, e := norm2Of([]float64{3 * size, 0, -4 * size})
		if got, want := math.Ldexp(norm, e), 5*size; math.Abs(got-want) > 1e-15*want {
			t.Errorf("norm of (3, 4) %g is %g", size, got)
		}
	}
	if norm, e := norm2Of([]float64{math.MaxFloat64, math.MaxFloat64}); math.Abs(norm-math.Sqrt2) > 1e-15 || e != 1024 {
		t.Errorf("norm of two largest numbers is %g 2^%d", norm, e)
	}
	if v, _ := norm2Of([]float64{1, math.NaN()}); !math.IsNaN(v) {
		t.Errorf("norm with a NaN is %g", v)
	}
	if v, _ := norm2Of([]float64{1, math.Inf(-1)}); !math.IsInf(v, 1) {
		t.Errorf("norm with an Inf is %g", v)
	}
}

// Converged, by every criterion, only within the tolerance that was asked for:
// tolerances so small that they cannot be met are not claimed.
func TestToleranceOutOfReach(t *testing.T) {
	m := rescaled(grid(8, 0.3, 0), uneven(3), uneven(3))
	b := random(7, m.Rows)
	for _, stop := range Stops {
		for _, tol := range []float64{1e-15, 1e-16, 1e-18} {
			r := mustSolve(t, m, b, nil, Options{Stop: stop, Tol: tol, MaxIter: 2000})
			e := bigMeasure(stop, m, r.X, b)
			if r.Reason.Converged() && e > tol*(1+1e-9) {
				t.Errorf("stop %s, tolerance %g: %v with error %g", stop, tol, r.Reason, e)
			}
			if r.Reason == krylov.Running || r.Iterations > 2000 {
				t.Errorf("stop %s, tolerance %g: %v after %d iterations", stop, tol, r.Reason, r.Iterations)
			}
		}
	}
}

func norm2Of(x []float64) (norm float64, e int) {
	return newHost(&csr.Matrix{Rows: len(x)}, nil).Norm2(x)
}
