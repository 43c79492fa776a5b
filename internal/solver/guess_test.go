package solver

import (
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A guess whose residual is much larger than b, even beyond float64, does not change x: least squares, domains and operators begin from zero
// then, as other solves do.
func TestGuessWorseThanZero(t *testing.T) {
	m, tall, wide := grid(8, 0.3, 0), randomRectangle(t, 60, 20, 0), randomRectangle(t, 20, 60, 0)
	b := testsupport.Random(3, 64)
	product := Operator{N: 64, Apply: func(y, x []float64) error {
		m.MulVec(y, x)
		return nil
	}}
	for name, run := range map[string]func(guess []float64) (x []float64, reason krylov.Reason){
		"tall": func(guess []float64) ([]float64, krylov.Reason) {
			r := mustSolve(t, tall, b[:60], guess[:min(20, len(guess))], solve.Options{})
			return r.X, r.Reason
		},
		"wide": func(guess []float64) ([]float64, krylov.Reason) {
			r := mustSolve(t, wide, b[:20], guess[:min(60, len(guess))], solve.Options{})
			return r.X, r.Reason
		},
		"domains": func(guess []float64) ([]float64, krylov.Reason) {
			x, all := solveFrom(t, 2, 3, m, b, guess, func(*dist.Matrix) solve.Options { return solve.Options{} })
			return x, all[0].result.Reason
		},
		"operator": func(guess []float64) ([]float64, krylov.Reason) {
			r, err := SolveOperator(t.Context(), product, b, guess, solve.Options{})
			if err != nil {
				t.Error(err)
			}
			return r.X, r.Reason
		},
	} {
		want, reason := run(nil)
		for _, size := range []float64{1e20, 1e160, math.MaxFloat64} {
			guess := make([]float64, 64)
			for i := range guess {
				guess[i] = size
			}
			if x, why := run(guess); !reason.Converged() || why != reason || !sameBits(x, want) {
				t.Errorf("%s from %g: %v, from zero %v", name, size, why, reason)
			}
		}
	}
}
