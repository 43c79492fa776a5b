package options

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/solve"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/mp"
)

const (
	// MinBits and MaxBits are the least and the largest number of bits of an x of multiple precision.
	MinBits = 106
	MaxBits = mp.MaxBits

	guardBits = 16 // that x has beyond its digits and the condition of A
	floatBits = 53 // of the significand of float64
)

// Roundoff is the unit roundoff of float64.
const Roundoff = 0x1p-53

// BitsPerDigit is log2 10.
var BitsPerDigit = math.Log2(10)

// DigitsOfBits returns the number of digits that numbers of so many bits hold.
func DigitsOfBits(bits int) int {
	return min(solve.MaxPreciseDigits, int(float64(bits-1)/BitsPerDigit))
}

// Precise reports whether x is to have more digits than float64 holds.
func Precise(o solve.Options) bool { return o.Digits > solve.MaxDigits }

// FloatDigits returns the number of digits for which the solve in float64 is to go on: 1 if Options.Digits is more than float64 holds.
func FloatDigits(o solve.Options) int {
	if Precise(o) {
		return 1
	}
	return o.Digits
}

// BitsFor returns the number of bits with which x can have the digits asked for, given the condition of A.
func BitsFor(o solve.Options, condition float64) int {
	need := int(math.Ceil(float64(o.Digits)*BitsPerDigit+math.Log2(max(1, condition)))) + guardBits
	need = max(MinBits, o.Bits, need)
	return min(MaxBits, (need+kernels.LimbBits-1)/kernels.LimbBits*kernels.LimbBits)
}

// Parts returns the number of float64 that hold an element of A and b as accurately as the digits asked for need, unless the condition
// of A is above 2^53.
func Parts(o solve.Options) int { return (BitsFor(o, 1/Roundoff) + floatBits - 1) / floatBits }
