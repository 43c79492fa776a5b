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

// dominating describes a scaling of columns with which the diagonal of A dominates: a vector v > 0 with
//
//	f_i = |a_ii| v_i - sum_(j != i) |a_ij| v_j > 0
//
// for all rows. Then A is nonsingular, and |x - x*|_i <= v_i max_j |r_j| / f_j ([Varah75], with columns scaled by v).
type dominating struct {
	rows   []float64 // f, rounded down, in the order given; nil: no scaling was found
	factor float64   // log10 max v_i
}

// findBound looks for such a scaling: v = 1 and, where all off-diagonal entries have the opposite sign of the diagonal, as in an M-matrix,
// the rough solution of A v = sign(a_ii) T_i.
func (v *multiprecise) findBound() dominating {
	n := len(v.X)
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	if f := v.dominates(ones); f != nil || v.Ctx.Err() != nil || !v.opposite() {
		return dominating{rows: f}
	}
	sums := v.S.AbsSums()
	b := make([]float64, n)
	for i, t := range sums {
		b[i] = math.Copysign(t, v.S.M.At(i, i))
	}
	x := make([]float64, n)
	more, err := v.S.Refiner.Further(v.Ctx, x, b, sums, krylov.Options[vector]{Tol: boundTol, MaxIter: max(rules.FurtherIter, v.Solved.Iterations)})
	v.Digits.Iterations += more.Iterations
	if err != nil {
		return dominating{}
	}
	f := v.dominates(x)
	return dominating{rows: f, factor: Log10(v.Vectors.AbsMax(x), 0)}
}

// boundTol is the tolerance of A v = T, relative to T_i.
const boundTol = 0.25

// dominates returns f for v = x, in the order given; nil if x or f is not positive.
func (v *multiprecise) dominates(x []float64) []float64 {
	f := make([]float64, len(x))
	worst := -v.Vectors.Max(func(lo, hi int) float64 {
		least := math.Inf(1)
		for i := lo; i < hi; i++ {
			cols, vals := v.S.M.Row(i)
			var diagonal, others float64
			for k, j := range cols {
				if p := math.Abs(vals[k]) * x[j]; int(j) == i {
					diagonal = p
				} else {
					others += p
				}
			}
			// Each sum has at most as many roundings as the row has entries.
			f[i] = diagonal - others - float64(2*len(cols)+4)*rules.Roundoff*(diagonal+others)
			if !(f[i] >= leastNormal/rules.Roundoff) || !(f[i] < math.MaxFloat64) || !(x[i] > 0) {
				return math.Inf(1)
			}
			least = min(least, f[i])
		}
		return -least
	})
	if !(worst > 0) {
		return nil
	}
	return v.S.Order.Back(f)
}

// opposite reports whether no off-diagonal entry has the sign of the diagonal entry of its row.
func (v *multiprecise) opposite() bool {
	return v.Vectors.Max(func(lo, hi int) float64 {
		for i := lo; i < hi; i++ {
			cols, vals := v.S.M.Row(i)
			negative, diagonal := math.Signbit(v.S.M.At(i, i)), false
			for k, j := range cols {
				if int(j) == i {
					diagonal = vals[k] != 0
				} else if vals[k] != 0 && math.Signbit(vals[k]) == negative {
					return 1
				}
			}
			if !diagonal {
				return 1
			}
		}
		return 0
	}) == 0
}
