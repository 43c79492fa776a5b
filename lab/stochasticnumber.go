package lab

import (
	"fmt"
	"math"
	"sync/atomic"
)

// A Triple is three samples of a value.
type Triple = [Samples]float64

// MeanOfTriple returns the mean of the samples.
func MeanOfTriple(x Triple) float64 {
	if x[0] == x[1] && x[1] == x[2] {
		return x[0]
	}
	return x[0]/Samples + x[1]/Samples + x[2]/Samples
}

// SignificantDigits returns the number of digits of x that roundings leave, Full64 at most.
func SignificantDigits(x Triple) float64 { return math.Min(SampleDigits(x[:]), Full64) }

// FormatTriple returns the mean with its significant digits, as CADNA prints a stochastic number, and @.0 for a
// computational zero.
func FormatTriple(x Triple) string {
	digits := int(SignificantDigits(x))
	if digits == 0 {
		return "@.0"
	}
	return fmt.Sprintf("%.*e", digits-1, MeanOfTriple(x))
}

// Instabilities counts what CADNA warns of: operations after which the estimate of digits, or a branch that the
// computation takes, can no longer be trusted.
type Instabilities struct {
	Cancellations   int64 // sums that lose at least four digits at once, in updates of vectors and between scalars
	Multiplications int64 // of scalars, both computational zeros
	Divisions       int64 // of scalars, by a computational zero
	Roots           int64 // of a computational zero
	Decisions       int64 // by the value of a computational zero, such as a comparison
}

// StochasticArithmetic is the arithmetic of Numbers: three roundings, and the instabilities so far.
type StochasticArithmetic struct {
	seed  uint64
	calls uint64 // passes over vectors, each with its own roundings
	own   trio   // of scalars
	met   Instabilities
}

// NewStochasticArithmetic returns the arithmetic of a seed.
func NewStochasticArithmetic(seed uint64) *StochasticArithmetic {
	return &StochasticArithmetic{seed: seed, own: newTrio(seed)}
}

// Instabilities returns the instabilities so far.
func (a *StochasticArithmetic) Instabilities() Instabilities {
	met := a.met
	met.Cancellations = atomic.LoadInt64(&a.met.Cancellations)
	return met
}

// next returns the seed of the next pass over vectors.
func (a *StochasticArithmetic) next() uint64 {
	a.calls++
	return mix(a.seed + a.calls*0x9e3779b97f4a7c15)
}

// A trio holds the roundings of three samples. The third rounds opposite to the second, so that an inexact operation
// never leaves the three samples equal.
type trio [Samples]RandomRounding

func newTrio(seed uint64) trio {
	second := NewRandomRounding(mix(seed) + 1)
	return trio{NewRandomRounding(seed), second, second.Opposite()}
}

func (t *trio) add(a, b Triple) Triple {
	return Triple{t[0].Add(a[0], b[0]), t[1].Add(a[1], b[1]), t[2].Add(a[2], b[2])}
}

func (t *trio) mul(a, b Triple) Triple {
	return Triple{t[0].Mul(a[0], b[0]), t[1].Mul(a[1], b[1]), t[2].Mul(a[2], b[2])}
}

func negative(a Triple) Triple { return Triple{-a[0], -a[1], -a[2]} }

const (
	cancelledTriple = 1e4     // the loss that counts as a cancellation: four digits
	finest          = 0x1p-53 // the relative deviation assumed for an exact value
)

// cancels reports whether c = a + b has at least four digits fewer than a or b.
func cancels(a, b, c Triple) bool {
	size := math.Abs(c[0]) + math.Abs(c[1])
	if !(size*(cancelledTriple/10) < math.Abs(a[0])+math.Abs(a[1])) || c == (Triple{}) {
		return false // most sums: a c about as large as a has about the digits of a
	}
	return deviation(c) > cancelledTriple*math.Max(finest, math.Max(deviation(a), deviation(b)))
}

// deviation returns the standard deviation relative to the mean.
func deviation(x Triple) float64 { return spread(x) / math.Abs(MeanOfTriple(x)) }

// spread returns the standard deviation.
func spread(x Triple) float64 {
	m := MeanOfTriple(x)
	p, q, r := x[0]-m, x[1]-m, x[2]-m
	return math.Sqrt((float64(p*p) + float64(q*q) + float64(r*r)) / (Samples - 1))
}

// A Number is three samples of a scalar, with the arithmetic that computes with it; it is the linop.Scalar of
// [StochasticSpace]. Comparisons use its mean.
type StochasticNumber struct {
	Samples Triple
	by      *StochasticArithmetic // nil: a zero
}

// with returns the arithmetic of a or b.
func (a StochasticNumber) with(b StochasticNumber) *StochasticArithmetic {
	switch {
	case a.by != nil:
		return a.by
	case b.by != nil:
		return b.by
	}
	return NewStochasticArithmetic(0) // two zeros
}

// insignificant reports whether a is a computational zero but not zero.
func (a StochasticNumber) insignificant() bool {
	return a.Samples != Triple{} && SampleDigits(a.Samples[:]) == 0
}

// Add returns a + b.
func (a StochasticNumber) Add(b StochasticNumber) StochasticNumber {
	by := a.with(b)
	sum := by.own.add(a.Samples, b.Samples)
	if cancels(a.Samples, b.Samples, sum) {
		atomic.AddInt64(&by.met.Cancellations, 1)
	}
	return StochasticNumber{sum, by}
}

// Sub returns a - b.
func (a StochasticNumber) Sub(b StochasticNumber) StochasticNumber { return a.Add(b.Neg()) }

// Mul returns a b.
func (a StochasticNumber) Mul(b StochasticNumber) StochasticNumber {
	by := a.with(b)
	if a.insignificant() && b.insignificant() {
		by.met.Multiplications++
	}
	return StochasticNumber{by.own.mul(a.Samples, b.Samples), by}
}

// Div returns a / b.
func (a StochasticNumber) Div(b StochasticNumber) StochasticNumber {
	by := a.with(b)
	if b.insignificant() {
		by.met.Divisions++
	}
	var q Triple
	for k := range q {
		q[k] = by.own[k].Div(a.Samples[k], b.Samples[k])
	}
	return StochasticNumber{q, by}
}

// Neg returns -a.
func (a StochasticNumber) Neg() StochasticNumber { return StochasticNumber{negative(a.Samples), a.by} }

// Sqrt returns the square root of a.
func (a StochasticNumber) Sqrt() StochasticNumber {
	by := a.with(a)
	if a.insignificant() {
		by.met.Roots++
	}
	var s Triple
	for k := range s {
		s[k] = by.own[k].Sqrt(a.Samples[k])
	}
	return StochasticNumber{s, by}
}

// Float returns the mean of the samples, by which a method decides for all three.
func (a StochasticNumber) Float() float64 {
	if a.insignificant() {
		a.with(a).met.Decisions++
	}
	return MeanOfTriple(a.Samples)
}

// LargestDigits returns the number of digits of x in the maximum norm that roundings leave, those of the largest elements,
// Full64 at most.
func LargestDigits(x TripleVector) float64 {
	var size, widest float64
	for _, v := range x {
		size = math.Max(size, math.Abs(MeanOfTriple(v)))
		widest = math.Max(widest, spread(v))
	}
	if size == 0 || !finite(size) {
		return 0
	}
	c := math.Log10(math.Sqrt(Samples) * size / (student[Samples] * widest))
	return math.Max(0, math.Min(c, Full64))
}

// Samples is the number of samples that CADNA takes and that a [StochasticNumber] has.
const Samples = 3

// The most digits that a number of each format can share with the value it rounds.
const (
	Full64 = 53 * math.Ln2 / math.Ln10 // 15.95
	Full32 = 24 * math.Ln2 / math.Ln10 // 7.22
)

// student holds the two-sided 95 % quantiles of Student's t distribution, by the number of samples.
var student = []float64{2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}

// MaxSamples is the largest number of samples that SampleDigits accepts.
var MaxSamples = len(student) - 1

// SampleDigits estimates the number of decimal digits that the samples, 2 to MaxSamples results of one computation with
// random rounding, share with its exact result:
//
// \tC = log10(sqrt(N) |mean| / (tau s))
//
// where s is the standard deviation of the N samples and tau Student's quantile for a confidence of 95 % ([Vignes93];
// thesis, equation 1.14). It returns 0, a computational zero (CADNA's @.0), if C <= 0, if all samples are zero, or if
// one is not finite; it returns +Inf if all are equal.
func SampleDigits(samples []float64) float64 {
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
	if sameTriple(samples) {
		return math.Inf(1)
	}
	s := math.Sqrt(squares / (n - 1))
	return math.Max(0, math.Log10(math.Sqrt(n)*math.Abs(mean)/(student[len(samples)]*s)))
}

func sameTriple(samples []float64) bool {
	for _, x := range samples[1:] {
		if x != samples[0] {
			return false
		}
	}
	return true
}
