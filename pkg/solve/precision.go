package solve

import (
	"math/big"
	"time"

	"github.com/mpsolve/mpsolve/pkg/verify"
)

// A Vector holds numbers of multiple precision.
type Vector interface {
	Len() int
	Bits() int // of each number
	At(i int) *big.Float
}

// Precise is an x with more digits than float64 holds, see Options.Digits, with its errors. Magnitudes are decimal logarithms,
// since numbers such as 1e-500 are beyond float64; the logarithm of zero is -Inf.
type Precise struct {
	X        Vector // in the order of the matrix as given
	Asked    int    // number of digits asked for
	Believed int    // number of digits of the largest elements that can be believed; 0: none
	Proved   int    // number of digits that Bound proves; 0: none
	Elements int    // number of elements that have the digits asked for

	// Error is an estimate of ||x - x*||_inf / ||x||_inf: the larger of the estimate by the contraction of the steps, and of the estimate
	// by the digits probe, which shows how much A^-1 enlarges the last residual.
	Error float64

	// Bound is a proved bound of the same error. It exists for matrices whose diagonal dominates after a suitable scaling of rows and
	// columns, such as M-matrices; NaN: none was found.
	Bound float64

	Errors verify.PreciseErrors // of X
	Bits   int                  // of X
	Steps  []PreciseStep
	Time   time.Duration // in all, verification included
	Why    string        // why the digits asked for could not be reached; empty if they were
}

// PreciseStep is a step of refinement in multiple precision.
type PreciseStep struct {
	Change     float64       // ||d||_inf / ||x||_inf
	Residual   float64       // max |r_i| / (sum_j |a_ij| ||x||_inf + |b_i|) after the step
	Error      float64       // Precise.Error after the step
	Iterations int           // of the method
	Time       time.Duration // since the solve began
}
