package dd

import "math"

// Exponent returns the e with |v| in [2^(e-1), 2^e), and 0 for 0, NaN and Inf.
func Exponent(v float64) int {
	if biased := int(math.Float64bits(v) >> 52 & 0x7ff); biased > 0 && biased < 0x7ff {
		return biased - 1022
	}
	if v == 0 || v-v != 0 {
		return 0
	}
	_, e := math.Frexp(v)
	return e
}

// Ldexp is math.Ldexp, faster where argument and result are normal numbers.
func Ldexp(v float64, e int) float64 {
	bits := math.Float64bits(v)
	biased := int(bits >> 52 & 0x7ff)
	if to := biased + e; biased > 0 && biased < 0x7ff && to > 0 && to < 0x7ff {
		return math.Float64frombits(bits + uint64(e)<<52)
	}
	return math.Ldexp(v, e)
}
