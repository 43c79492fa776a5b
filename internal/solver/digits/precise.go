package digits

import (
	"fmt"
	"math"
	"time"

	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// RefinePrecisely makes an x of multiple precision from the x of the solve, and sets the reason by whether it has the digits asked for.
// changed says that x has to be judged again.
func (a Estimation) RefinePrecisely() (changed bool, err error) {
	if a.Digits.State != solve.DigitsBelieved {
		a.Reason = krylov.TooFewDigits
		return false, nil
	}
	start := time.Now()
	defer a.Clock(&a.Spent.Estimating)()
	v := newMultiprecise(a)
	p := v.result
	a.Precise = p
	if err = v.run(); err == nil {
		err = v.verify()
	}
	p.Time = time.Since(start)
	if err != nil {
		return false, err
	}
	a.X = a.S.Order.Forth(rounded64(v.x()))
	if a.S.Job != nil {
		p.X = v.x().Ranges(a.S.Job.OwnRanges())
	}
	a.Digits.Error = max(math.Pow(10, p.Error), math.SmallestNonzeroFloat64)
	a.Digits.Believed = p.Believed
	if n := len(p.Steps); n > 0 {
		a.Digits.Step = math.Pow(10, p.Steps[n-1].Change)
	}
	switch {
	case p.Believed >= p.Asked:
		p.Why = ""
	case a.Ctx.Err() != nil:
		a.Reason = krylov.Ended(a.Ctx)
	default:
		a.Reason = krylov.TooFewDigits
	}
	return true, nil
}

// rounded64 returns x rounded to float64.
func rounded64(v *mp.Vec) []float64 {
	x := make([]float64, v.Len())
	v.Float64s(x)
	return x
}

// preciseDigits returns the number of right digits for an error of 10^e.
func preciseDigits(e float64) int {
	if !(e < 0) {
		return 0
	}
	return int(-e)
}

// leastError returns the log10 of the least error in the precision of x.
func leastError(p *solve.Precise) float64 { return -float64(p.Bits) / rules.BitsPerDigit }

// Log10 returns the decimal logarithm of v 2^e.
func Log10(v float64, e int) float64 { return math.Log10(v) + float64(e)/rules.BitsPerDigit }

// PreciseAdvice says why x has fewer digits than asked for.
func PreciseAdvice(p *solve.Precise) string {
	if p.Believed <= solve.MaxDigits {
		return fmt.Sprintf("%s; about %d digits can be believed", p.Why, p.Believed)
	}
	return fmt.Sprintf("%s; about %d digits can be believed, try Options.Digits = %d", p.Why, p.Believed, p.Believed)
}

// findBound looks for a scaling of columns with which the diagonal dominates: v = 1 and, where all off-diagonal entries have the opposite sign of
// the diagonal, as in an M-matrix, the rough solution of A v = sign(a_ii) T_i.
func (v *multiprecise) findBound() dominating {
	if f := v.dominantRows(nil); f != nil {
		return dominating{rows: v.S.Order.Back(f)}
	}
	if v.Ctx.Err() != nil || !v.opposite() {
		return dominating{}
	}
	sums := v.S.AbsSums()
	b := make([]float64, len(v.X))
	for i, t := range sums {
		b[i] = math.Copysign(t, v.S.M.At(i, i))
	}
	x := make([]float64, len(v.X))
	more, err := v.S.Refiner.Further(v.Ctx, x, b, sums, krylov.Options[vector]{Tol: boundTol, MaxIter: max(rules.FurtherIter, v.Solved.Iterations)})
	v.Digits.Iterations += more.Iterations
	if err != nil {
		return dominating{}
	}
	f := v.dominantRows(x)
	if f == nil {
		return dominating{}
	}
	return dominating{rows: v.S.Order.Back(f), factor: Log10(v.Vectors.AbsMax(x), 0)}
}

// boundTol is the tolerance of A v = T, relative to T_i.
const boundTol = 0.25
