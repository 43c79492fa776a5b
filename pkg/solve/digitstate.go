package solve

// Digits says how many decimal digits of x can be believed: those of the largest elements,
// -log10 (||x - x*||_inf / ||x||_inf), where x* solves the system exactly as given.
//
// A probe, A e = p with a random p of the size of roundings, p_i = u (T_i ||x||_inf + |b_i|)
// N(0,1), shows what A^-1 makes of a residual: where A is singular, numerically or exactly,
// it cannot be solved, or only by an e as large as x. Otherwise it bounds what steps of
// refinement leave of the error of x. docs/accuracy.md has the formulas.
type Digits struct {
	State    DigitsState
	Believed int // 0 unless State is DigitsBelieved or DigitsEstimated

	Error float64 // estimate of ||x - x*||_inf / ||x||_inf; NaN: not known
	Step  float64 // ||d||_inf / ||x||_inf of the last step; NaN: none was taken
	Probe float64 // ||e||_inf / ||x||_inf; NaN: not solved
	// Condition is how much larger than the roundings of A and b the change of x is that
	// they may cause, relative to ||x||_inf; NaN: not known.
	Condition float64

	Iterations int // that this took, besides those of the solve
}

// DigitsState says what is known about the digits of x.
type DigitsState string

// What is known.
const (
	DigitsNotEstimated DigitsState = ""              // not asked for, or the solve did not converge
	DigitsBelieved     DigitsState = "believed"      // Believed of them
	DigitsEstimated    DigitsState = "estimated"     // Believed of them, unless A is nearly singular, which a large solve does not exclude
	DigitsNone         DigitsState = "none"          // no digit can be believed
	DigitsNotConfirmed DigitsState = "not confirmed" // the probe was not solved in the work allowed
)

const (
	// NoDigits is the Options.Digits of a solve that does not estimate them.
	NoDigits = -1
	// MaxDigits is the largest number of digits that can be asked for.
	MaxDigits = 15
)

// Roundoff is that of float64.
const Roundoff = 0x1p-53
