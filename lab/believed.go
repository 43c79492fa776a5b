package lab

import "github.com/mpsolve/mpsolve/pkg/solve"

// believed returns the digits of x that a result believes in, if it says. Where A was taken for
// singular they are digits of one of many x.
func believed(res solve.Result) (digits float64, known bool) {
	return float64(res.Digits.Believed), res.Digits.State == solve.DigitsBelieved && res.NullSpace.Dim == 0
}

// cautious reports whether a result says that no digit may be correct, that this is not known or
// that A may be nearly singular, or that x is one of many.
func cautious(res solve.Result) bool {
	switch res.Digits.State {
	case solve.DigitsNone, solve.DigitsNotConfirmed, solve.DigitsEstimated:
		return true
	}
	return res.NullSpace.Dim > 0
}
