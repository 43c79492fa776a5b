package lab

import "github.com/mpsolve/mpsolve/pkg/solve"

// believed returns the number of digits of x that a result claims, if it claims any. For a matrix taken for singular
// they are digits of one of many x.
func believed(res solve.Result) (digits float64, known bool) {
	return float64(res.Digits.Believed), res.Digits.State == solve.DigitsBelieved && res.NullSpace.Dim == 0
}

// cautious reports whether a result says that no digit may be correct, that the digits are unknown, that A may be
// nearly singular, or that x is one of many.
func cautious(res solve.Result) bool {
	switch res.Digits.State {
	case solve.DigitsNone, solve.DigitsNotConfirmed, solve.DigitsEstimated:
		return true
	}
	return res.NullSpace.Dim > 0
}
