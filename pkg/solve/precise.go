package solve

import (
	"fmt"
	"math"
	"time"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/mp"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// Precise is an x with more digits than float64 holds, see Options.Digits, and what is known of it. Magnitudes are
// decimal logarithms, since numbers such as 1e-500 are beyond float64; that of zero is -Inf.
type Precise struct {
	X        *mp.Vec // in the order of the matrix as given
	Asked    int     // digits
	Believed int     // digits of the largest elements, as those of Digits; 0: none
	Proved   int     // digits that a bound proves, see Bound; 0: none
	Elements int     // how many elements have the digits asked for themselves

	// Error is an estimate of ||x - x*||_inf / ||x||_inf: the larger one of what the steps show, which contract, and of
	// what the digits probe shows that A^-1 makes of the last residual.
	Error float64

	// Bound is a bound of the same that holds for any A in which the diagonal dominates, if rows and columns are
	// scaled suitably, such as M-matrices; NaN: none was found.
	Bound float64

	Errors verify.PreciseErrors // of X
	Bits   int                  // of X
	Steps  []PreciseStep
	Time   time.Duration // in all, with that of verification
	Why    string        // the digits asked for could not be reached; empty if they were
}

// PreciseStep is a step of refinement in multiple precision.
type PreciseStep struct {
	Change     float64       // ||d||_inf / ||x||_inf
	Residual   float64       // max |r_i| / (sum_j |a_ij| ||x||_inf + |b_i|) after the step
	Error      float64       // Precise.Error after the step
	Iterations int           // of the method
	Time       time.Duration // since the solve began
}

const (
	// MaxPreciseDigits is the largest number of digits that can be asked for with an x of multiple precision.
	MaxPreciseDigits = 500
	// MinBits and MaxBits are the least and the most bits that such an x has.
	MinBits = 106
	MaxBits = mp.MaxBits

	limbBits  = kernels.LimbBits // of which the bits of x are a multiple
	guardBits = 16               // that x has more than its digits and the condition of A ask for
)

// bitsPerDigit is log2 10.
var bitsPerDigit = math.Log2(10)

// DigitsOfBits is the number of digits that numbers of so many bits hold.
func DigitsOfBits(bits int) int { return min(MaxPreciseDigits, int(float64(bits-1)/bitsPerDigit)) }

// precise reports whether x is to have more digits than float64 holds.
func (o Options) precise() bool { return o.Digits > MaxDigits }

// floatDigits are the digits that the solve in float64 is to go on for: with more than it can hold, x need only be believable.
func (o Options) floatDigits() int {
	if o.precise() {
		return 1
	}
	return o.Digits
}

// inFloat64 are the options of a solve that does not go on to more digits.
func (o Options) inFloat64() Options {
	if o.precise() {
		o.Digits, o.Bits = 0, 0
	}
	return o
}

// bitsFor is the precision in which x can have the digits asked for with a condition of A.
func (o Options) bitsFor(condition float64) int {
	need := int(math.Ceil(float64(o.Digits)*bitsPerDigit+math.Log2(max(1, condition)))) + guardBits
	need = max(MinBits, o.Bits, need)
	return min(MaxBits, (need+limbBits-1)/limbBits*limbBits)
}

// preciseMemory is what x of multiple precision takes in bytes at most, beside a solve: the matrix of its residuals, x, what products make of
// it, and the sizes of its elements.
func (s *Solver) preciseMemory() int64 {
	if !s.opt.precise() {
		return 0
	}
	n, bits := s.rows(), s.opt.bitsFor(1/roundoff)
	nonzeros, lower := int64(s.nonzeros()), int64(0)
	for _, part := range s.opt.Lower {
		nonzeros += int64(part.NNZ())
		lower += part.Bytes()
	}
	return lower + mp.MatrixBytes(int64(n), nonzeros) + 3*mp.Bytes(n, bits+limbBits) + 8*int64(n)
}

// Parts is how many float64 hold an element of A and b as accurately as the digits asked for need, unless the condition of A is above 2^53.
func (o Options) Parts() int { return (o.bitsFor(1/roundoff) + floatBits - 1) / floatBits }

// floatBits are those of the significand of float64.
const floatBits = 53

// refinePrecisely makes an x of multiple precision of one that the solve has found, and decides whether it has the digits asked for.
func (a *answer) refinePrecisely() error {
	if a.digits.State != DigitsBelieved {
		a.reason = krylov.TooFewDigits // as with fewer digits
		return nil
	}
	start := time.Now()
	defer func() { a.estimating += time.Since(start) }()
	v := newMultiprecise(a)
	p := v.result
	a.precise = p
	err := v.run()
	if err == nil {
		err = v.verify()
	}
	p.Time = time.Since(start)
	if err != nil {
		return err
	}
	a.x = a.s.Order.forth(rounded64(p.X))
	a.digits.Error = max(math.Pow(10, p.Error), math.SmallestNonzeroFloat64)
	a.digits.Believed = p.Believed
	if n := len(p.Steps); n > 0 {
		a.digits.Step = math.Pow(10, p.Steps[n-1].Change)
	}
	switch {
	case p.Believed >= p.Asked:
		p.Why = ""
	case a.ctx.Err() != nil:
		a.reason = krylov.Ended(a.ctx)
	default:
		a.reason = krylov.TooFewDigits
	}
	return a.judge()
}

// rounded64 is x rounded to float64.
func rounded64(v *mp.Vec) []float64 {
	x := make([]float64, v.Len())
	v.Float64s(x)
	return x
}

// preciseDigits is the number of digits that are right with an error of 10^e.
func preciseDigits(e float64) int {
	if !(e < 0) {
		return 0
	}
	return int(-e)
}

// least is the log10 of the error that numbers of the precision of x have.
func (p *Precise) least() float64 { return -float64(p.Bits) / bitsPerDigit }

// log10 returns the decimal logarithm of v 2^e.
func log10(v float64, e int) float64 { return math.Log10(v) + float64(e)/bitsPerDigit }

// advice says what is in the way of the digits asked for.
func (p *Precise) advice() string {
	if p.Believed <= MaxDigits {
		return fmt.Sprintf("%s; about %d digits can be believed", p.Why, p.Believed)
	}
	return fmt.Sprintf("%s; about %d digits can be believed, try --digits %d", p.Why, p.Believed, p.Believed)
}
