package stochastic

import "math"

// Samples is the number of samples that CADNA takes and that a [Number] has.
const Samples = 3

// The most digits that a number of each format can share with the value it rounds.
const (
	Full64 = 53 * math.Ln2 / math.Ln10 // 15.95
	Full32 = 24 * math.Ln2 / math.Ln10 // 7.22
)

// student holds the two-sided 95 % quantiles of Student's t distribution, by the number of samples.
var student = []float64{2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}

// MaxSamples is the largest number of samples that Digits accepts.
var MaxSamples = len(student) - 1

// Digits estimates the number of decimal digits that the samples, 2 to MaxSamples results of one computation with
// random rounding, share with its exact result:
//
// \tC = log10(sqrt(N) |mean| / (tau s))
//
// where s is the standard deviation of the N samples and tau Student's quantile for a confidence of 95 % ([Vignes93];
// thesis, equation 1.14). It returns 0, a computational zero (CADNA's @.0), if C <= 0, if all samples are zero, or if
// one is not finite; it returns +Inf if all are equal.
func Digits(samples []float64) float64 {
	var scale float64
	for _, x := range samples {
		scale = math.Max(scale, math.Abs(x))
	}
	if scale == 0 || !(scale <= math.MaxFloat64) {
		return 0
	}
	_, exponent := math.Frexp(scale)
	n := float64(len(samples))
	var mean, squares float64
	for _, x := range samples {
		mean += math.Ldexp(x, -exponent) / n
	}
	first := math.Ldexp(samples[0], -exponent)
	shift := mean - first
	for _, x := range samples { // shifted by the first sample: differences of neighbours are exact
		d := math.Ldexp(x, -exponent) - first - shift
		squares += float64(d * d)
	}
	if same(samples) {
		return math.Inf(1)
	}
	s := math.Sqrt(squares / (n - 1))
	return math.Max(0, math.Log10(math.Sqrt(n)*math.Abs(mean)/(student[len(samples)]*s)))
}

func same(samples []float64) bool {
	for _, x := range samples[1:] {
		if x != samples[0] {
			return false
		}
	}
	return true
}
