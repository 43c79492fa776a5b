package cli

import (
	"context"
	"io"
	"math/big"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// floatDigits is the number of decimal digits that identify every float64.
const floatDigits = 17

// write writes x, with the digits that were asked for, or with those that can be believed if these are fewer.
func (r *solveRun) write(ctx context.Context) (string, error) {
	if !slices.ContainsFunc(r.precise, func(p *solve.Precise) bool { return p != nil }) {
		return r.problem.write(ctx, r.output, r.x)
	}
	digits := make([]int, len(r.x))
	for k, p := range r.precise {
		if digits[k] = floatDigits; p != nil {
			digits[k] = max(digits[k], min(p.Asked, p.Believed))
		}
	}
	at := func(i, k int) *big.Float {
		if p := r.precise[k]; p != nil {
			return p.X.At(i)
		}
		return big.NewFloat(r.x[k][i])
	}
	return writeOrElsewhere(ctx, r.output, func(to io.Writer) error {
		return matrixmarket.WriteDensePrecise(to, len(r.x[0]), digits, at, matrixmarket.WriteOptions{})
	})
}
