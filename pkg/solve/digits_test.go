package solve

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// gradedSystem has columns of very different scales and a right-hand side without rounding. An x that is
// small by rows may be far too large where a column is small.
func gradedSystem(seed uint64) (m *csr.Matrix, x, b []float64) {
	rng := rand.New(rand.NewPCG(seed, 9))
	n := 4 + rng.IntN(20)
	m = entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, i, float64(4+rng.IntN(6)))
			for range 2 {
				if j := rng.IntN(n); j != i {
					add(i, j, float64(rng.IntN(9)-4)/4)
				}
			}
		}
	})
	exponents := func() func(int) float64 {
		e := make([]float64, n)
		for i := range e {
			e[i] = math.Ldexp(1, rng.IntN(40))
		}
		return func(i int) float64 { return e[i] }
	}
	m = rescaled(m, exponents(), exponents())
	x, b = make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = float64(rng.IntN(17) - 8)
	}
	m.MulVec(b, x)
	return m, x, b
}

// Digits are right where steps of refinement make x much smaller, and with it the roundings from which
// digits are estimated.
func TestDigitsWhereXShrinks(t *testing.T) {
	for seed := range uint64(400) {
		m, x, b := gradedSystem(seed)
		for _, tol := range []float64{1e-6, 1e-10} {
			r := mustSolve(t, m, b, nil, Options{Tol: tol, Threads: 1})
			wrong := 0.0
			for i, v := range x {
				wrong = max(wrong, math.Abs(v-r.X[i]))
			}
			if wrong /= absMax(x); r.Digits.State == DigitsBelieved && wrong > math.Pow(10, 1-float64(r.Digits.Believed)) {
				t.Errorf("seed %d: %v, %+v, relative error %.1e", seed, r.Reason, r.Digits, wrong)
			}
		}
	}
}
