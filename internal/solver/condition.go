package solver

import (
	"context"
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// conditionSteps is the largest number of steps of Condition; more steps rarely help [Higham02, section 15.2].
const conditionSteps = 5

// Condition estimates the condition number ||A||_1 ||A^-1||_1 by Hager's method with Higham's additional vector ([Higham02],
// algorithm 15.1), from solves with A and its transpose. But for the tolerance of the solves, the estimate is a lower bound, and most
// often within a factor of 3. If a solve does not converge, as with a singular matrix, Condition returns an error.
func Condition(ctx context.Context, m *csr.Matrix, opt solve.Options) (float64, error) {
	opt.Digits, opt.NullSpace = solve.NoDigits, solve.NullSpace{Kind: solve.NullSpaceNone}
	s, err := New(ctx, m, opt)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	transposed := s
	if !s.Facts.Symmetric {
		if transposed, err = New(ctx, m.Transpose(s.Pool), opt); err != nil {
			return 0, err
		}
		defer transposed.Close()
	}
	solve := func(s *Solver, b []float64) ([]float64, error) {
		r, err := s.Solve(ctx, b, nil)
		if err == nil && !r.Reason.Converged() {
			err = fmt.Errorf("a solve for the condition number did not converge: %v", r.Reason)
		}
		return r.X, err
	}
	n := m.Rows
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = 1 / float64(n)
		y[i] = 1 + float64(i)/float64(max(1, n-1))
		if i%2 == 1 {
			y[i] = -y[i]
		}
	}
	alternating, err := solve(s, y)
	if err != nil {
		return 0, err
	}
	most := 2 * norm1(alternating) / (3 * float64(n))
	for range conditionSteps {
		z, err := solve(s, x)
		if err != nil {
			return 0, err
		}
		most = math.Max(most, norm1(z))
		for i, v := range z {
			z[i] = math.Copysign(1, v)
		}
		if z, err = solve(transposed, z); err != nil {
			return 0, err
		}
		at, inner := 0, 0.0
		for i, v := range z {
			inner += v * x[i]
			if math.Abs(v) > math.Abs(z[at]) {
				at = i
			}
		}
		if math.Abs(z[at]) <= inner {
			break
		}
		clear(x)
		x[at] = 1
	}
	return features.Norm1(m) * most, nil
}

func norm1(x []float64) (sum float64) {
	for _, v := range x {
		sum += math.Abs(v)
	}
	return sum
}
