package solve

import (
	"math/big"
	"time"

	"github.com/mpsolve/mpsolve/pkg/verify"
)

// VectorKind names the arithmetic of the vectors of a solve.
type VectorKind string

// The kinds of vectors.
const (
	VectorsDouble VectorKind = "double" // float64
	VectorsDD     VectorKind = "dd"     // double-double, 106 bits, see internal/dd
	VectorsAuto   VectorKind = "auto"   // float64, and double-double in corrections once float64 cannot go on
	VectorsDQ     VectorKind = "dq"     // float64, then double-double, by DQ-SWITCH
)

// VectorKinds lists the kinds that a solve takes.
var VectorKinds = []VectorKind{VectorsDouble, VectorsDD, VectorsAuto, VectorsDQ}

// Vectors says in which arithmetic the vectors of the method are; the zero value is VectorsDouble. The matrix and the preconditioner
// do not depend on it.
type Vectors struct {
	Kind VectorKind

	// Of VectorsDQ: the method goes on in double-double once the deviation of its last Window residual norms,
	//
	//	v = 1/Window sum ((nrm(i) - nrm(1)) / nrm(1))^2,
	//
	// is below Deviation (DD-AVX, DQ-SWITCH).
	Window    int     // 0: 100
	Deviation float64 // 0: 0.01
}

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

// Digits says how many decimal digits of the largest elements of x can be believed: -log10 (||x - x*||_inf / ||x||_inf), where x*
// solves the system exactly as given.
//
// A probe shows how much A^-1 enlarges a residual: the solution e of A e = p with a random p of the size of roundings,
// p_i = u (T_i ||x||_inf + |b_i|) N(0,1). If A is singular, numerically or exactly, the probe cannot be solved, or its e is as large as
// x. Otherwise e bounds the error of x that steps of refinement leave. docs/accuracy.md has the formulas.
type Digits struct {
	State    DigitsState
	Believed int // 0 unless State is DigitsBelieved or DigitsEstimated

	Error float64 // estimate of ||x - x*||_inf / ||x||_inf; NaN: not known
	Step  float64 // ||d||_inf / ||x||_inf of the last step; NaN: none was taken
	Probe float64 // ||e||_inf / ||x||_inf; NaN: not solved
	// Condition is the ratio of the change of x that roundings of A and b may cause, relative to ||x||_inf, to these roundings; NaN:
	// not known.
	Condition float64

	Iterations int // for probe and steps, besides those of the solve
}

// DigitsState says what is known about the digits of x. It is empty if digits were not asked for, or if the solve did not converge.
type DigitsState string

// The states.
const (
	DigitsBelieved     DigitsState = "believed"      // Digits.Believed digits can be believed
	DigitsEstimated    DigitsState = "estimated"     // the same, unless A is nearly singular, which a large solve does not exclude
	DigitsNone         DigitsState = "none"          // no digit can be believed
	DigitsNotConfirmed DigitsState = "not confirmed" // the probe was not solved in the work allowed
)

const (
	// NoDigits is the Options.Digits of a solve that does not estimate them.
	NoDigits = -1
	// MaxDigits is the largest number of digits that can be asked for.
	MaxDigits = 15
	// MaxPreciseDigits is the largest number of digits that can be asked for with an x of multiple precision.
	MaxPreciseDigits = 500
)
