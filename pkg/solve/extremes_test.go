package solve

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// Symmetric, well-conditioned, with a positive diagonal that is no measure of
// the rows: scaling by it would overflow.
func TestTinyDiagonal(t *testing.T) {
	for _, d := range []float64{1e-20, 1e-170, 1e-300} {
		for _, m := range []*csr.Matrix{
			dense([]float64{d, 1}, []float64{1, d}),
			dense([]float64{d, 1, 0}, []float64{1, d, 2}, []float64{0, 2, 1}),
			dense([]float64{d, 1e300}, []float64{1e300, d}),
		} {
			b := rhs(m, 1)
			r := mustSolve(t, m, b, nil, Options{})
			if e := bigMeasure(StopRow, m, r.X, b); r.Reason != krylov.Converged || e > krylov.DefaultTol {
				t.Errorf("diagonal %g, entries %g: %v with error %g", d, m.Val, r.Reason, e)
			}
		}
	}
}

// The 2-norm of b, but no element of it, is beyond float64.
func TestNormOfRHSBeyondFloat64(t *testing.T) {
	const n = 16
	m := entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			add(i, i, 2+float64(i))
		}
	})
	b := make([]float64, n)
	for i := range b {
		b[i] = math.MaxFloat64 / 3
	}
	for _, stop := range Stops {
		r := mustSolve(t, m, b, nil, Options{Stop: stop, Method: GMRES})
		if e := bigMeasure(stop, m, r.X, b); r.Reason != krylov.Converged || e > krylov.DefaultTol {
			t.Errorf("stop %s: %v with error %g", stop, r.Reason, e)
		}
	}
}

// Random matrices whose entries spread over many orders of magnitude: converged
// is said exactly where the tolerance is met, and of those that float64 can
// hold (2^±10) nearly all are solved.
func TestHonestOnRandomMatrices(t *testing.T) {
	for _, spread := range []int{10, 60, 300} {
		solved, total := 0, 0
		for seed := range uint64(60) {
			rng := rand.New(rand.NewPCG(seed, uint64(spread)))
			n := 2 + rng.IntN(30)
			value := func() float64 { return math.Ldexp(rng.NormFloat64(), rng.IntN(2*spread)-spread) }
			m := entries(n, func(add func(i, j int, v float64)) {
				for i := range n {
					add(i, i, value())
					for range 3 {
						add(i, rng.IntN(n), value())
					}
				}
			})
			b := random(seed, n)
			for _, stop := range Stops {
				r := mustSolve(t, m, b, nil, Options{Stop: stop, MaxIter: 2000})
				e := bigMeasure(stop, m, r.X, b)
				if !honest(r, e, krylov.DefaultTol) {
					t.Errorf("spread %d, seed %d, stop %s: %v with error %g", spread, seed, stop, r.Reason, e)
				}
				if r.Reason == krylov.Singular {
					continue // nothing to solve, to working precision
				}
				if total++; r.Reason.Converged() {
					solved++
				}
			}
		}
		if spread == 10 && 100*solved < 98*total {
			t.Errorf("%d of %d solved", solved, total)
		}
	}
}

// An ill-conditioned system, to nearly the last digit of its backward error.
func TestLastDigits(t *testing.T) {
	hilbert := entries(7, func(add func(i, j int, v float64)) {
		for i := range 7 {
			for j := range 7 {
				add(i, j, 1/float64(i+j+1))
			}
		}
	})
	b := rhs(hilbert, 1)
	for _, method := range []Method{CG, GMRES} {
		r := mustSolve(t, hilbert, b, nil, Options{Method: method, Stop: StopCW, Tol: 4e-16})
		if e := bigMeasure(StopCW, hilbert, r.X, b); r.Reason != krylov.Converged || e > 4e-16 {
			t.Errorf("%s: %v after %d steps with error %g", method, r.Reason, r.Outer, e)
		}
	}
}
