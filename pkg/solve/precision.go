package solve

import (
	"math"
	"math/big"
	"time"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// A Vector holds numbers of multiple precision.
type Vector interface {
	Len() int
	Bits() int // of each number
	At(i int) *big.Float
}

// Precise is an x with more digits than float64 holds, see Options.Digits, and what is known of it. Magnitudes are
// decimal logarithms, since numbers such as 1e-500 are beyond float64; that of zero is -Inf.
type Precise struct {
	X        Vector // in the order of the matrix as given
	Asked    int    // digits
	Believed int    // digits of the largest elements, as those of Digits; 0: none
	Proved   int    // digits that a bound proves, see Bound; 0: none
	Elements int    // how many elements have the digits asked for themselves

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

	LimbBits  = kernels.LimbBits // of which the bits of x are a multiple
	guardBits = 16               // that x has more than its digits and the condition of A ask for
)

// BitsPerDigit is log2 10.
var BitsPerDigit = math.Log2(10)

// DigitsOfBits is the number of digits that numbers of so many bits hold.
func DigitsOfBits(bits int) int { return min(MaxPreciseDigits, int(float64(bits-1)/BitsPerDigit)) }

// floatBits are those of the significand of float64.
const floatBits = 53
