package solve

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
