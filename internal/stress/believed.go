package stress

import "github.com/mpsolve/mpsolve/pkg/solve"

// believed returns the digits of x that a result believes in, if it says.
func believed(res solve.Result) (digits float64, known bool) {
	return float64(res.Digits.Believed), res.Digits.State == solve.DigitsBelieved
}

// cautious reports whether a result says that no digit may be correct, or that this is not known.
func cautious(res solve.Result) bool {
	return res.Digits.State == solve.DigitsNone || res.Digits.State == solve.DigitsNotConfirmed
}
