package stochastic

import (
	"fmt"
	"math"
	"sync/atomic"
)

// A Triple is three samples of a value.
type Triple = [Samples]float64

// Mean returns the mean of the samples.
func Mean(x Triple) float64 {
	if x[0] == x[1] && x[1] == x[2] {
		return x[0]
	}
	return x[0]/Samples + x[1]/Samples + x[2]/Samples
}

// Significant returns the number of digits of x that roundings leave, Full64 at most.
func Significant(x Triple) float64 { return math.Min(Digits(x[:]), Full64) }

// Format returns the mean with its significant digits, as CADNA prints a stochastic number, and @.0 for a
// computational zero.
func Format(x Triple) string {
	digits := int(Significant(x))
	if digits == 0 {
		return "@.0"
	}
	return fmt.Sprintf("%.*e", digits-1, Mean(x))
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

// Arithmetic is the arithmetic of Numbers: three roundings, and the instabilities so far.
type Arithmetic struct {
	seed  uint64
	calls uint64 // passes over vectors, each with its own roundings
	own   trio   // of scalars
	met   Instabilities
}

// NewArithmetic returns the arithmetic of a seed.
func NewArithmetic(seed uint64) *Arithmetic {
	return &Arithmetic{seed: seed, own: newTrio(seed)}
}

// Instabilities returns the instabilities so far.
func (a *Arithmetic) Instabilities() Instabilities {
	met := a.met
	met.Cancellations = atomic.LoadInt64(&a.met.Cancellations)
	return met
}

// next returns the seed of the next pass over vectors.
func (a *Arithmetic) next() uint64 {
	a.calls++
	return mix(a.seed + a.calls*0x9e3779b97f4a7c15)
}

// A trio holds the roundings of three samples. The third rounds opposite to the second, so that an inexact operation
// never leaves the three samples equal.
type trio [Samples]Rounding

func newTrio(seed uint64) trio {
	second := NewRounding(mix(seed) + 1)
	return trio{NewRounding(seed), second, second.Opposite()}
}

func (t *trio) add(a, b Triple) Triple {
	return Triple{t[0].Add(a[0], b[0]), t[1].Add(a[1], b[1]), t[2].Add(a[2], b[2])}
}

func (t *trio) mul(a, b Triple) Triple {
	return Triple{t[0].Mul(a[0], b[0]), t[1].Mul(a[1], b[1]), t[2].Mul(a[2], b[2])}
}

func negative(a Triple) Triple { return Triple{-a[0], -a[1], -a[2]} }

const (
	cancelled = 1e4     // the loss that counts as a cancellation: four digits
	finest    = 0x1p-53 // the relative deviation assumed for an exact value
)

// cancels reports whether c = a + b has at least four digits fewer than a or b.
func cancels(a, b, c Triple) bool {
	size := math.Abs(c[0]) + math.Abs(c[1])
	if !(size*(cancelled/10) < math.Abs(a[0])+math.Abs(a[1])) || c == (Triple{}) {
		return false // most sums: a c about as large as a has about the digits of a
	}
	return deviation(c) > cancelled*math.Max(finest, math.Max(deviation(a), deviation(b)))
}

// deviation returns the standard deviation relative to the mean.
func deviation(x Triple) float64 { return spread(x) / math.Abs(Mean(x)) }

// spread returns the standard deviation.
func spread(x Triple) float64 {
	m := Mean(x)
	p, q, r := x[0]-m, x[1]-m, x[2]-m
	return math.Sqrt((float64(p*p) + float64(q*q) + float64(r*r)) / (Samples - 1))
}

// A Number is three samples of a scalar, with the arithmetic that computes with it; it is the linop.Scalar of
// [Space]. Comparisons use its mean.
type Number struct {
	Samples Triple
	by      *Arithmetic // nil: a zero
}

// with returns the arithmetic of a or b.
func (a Number) with(b Number) *Arithmetic {
	switch {
	case a.by != nil:
		return a.by
	case b.by != nil:
		return b.by
	}
	return NewArithmetic(0) // two zeros
}

// insignificant reports whether a is a computational zero but not zero.
func (a Number) insignificant() bool { return a.Samples != Triple{} && Digits(a.Samples[:]) == 0 }

// Add returns a + b.
func (a Number) Add(b Number) Number {
	by := a.with(b)
	sum := by.own.add(a.Samples, b.Samples)
	if cancels(a.Samples, b.Samples, sum) {
		atomic.AddInt64(&by.met.Cancellations, 1)
	}
	return Number{sum, by}
}

// Sub returns a - b.
func (a Number) Sub(b Number) Number { return a.Add(b.Neg()) }

// Mul returns a b.
func (a Number) Mul(b Number) Number {
	by := a.with(b)
	if a.insignificant() && b.insignificant() {
		by.met.Multiplications++
	}
	return Number{by.own.mul(a.Samples, b.Samples), by}
}

// Div returns a / b.
func (a Number) Div(b Number) Number {
	by := a.with(b)
	if b.insignificant() {
		by.met.Divisions++
	}
	var q Triple
	for k := range q {
		q[k] = by.own[k].Div(a.Samples[k], b.Samples[k])
	}
	return Number{q, by}
}

// Neg returns -a.
func (a Number) Neg() Number { return Number{negative(a.Samples), a.by} }

// Sqrt returns the square root of a.
func (a Number) Sqrt() Number {
	by := a.with(a)
	if a.insignificant() {
		by.met.Roots++
	}
	var s Triple
	for k := range s {
		s[k] = by.own[k].Sqrt(a.Samples[k])
	}
	return Number{s, by}
}

// Float returns the mean of the samples, by which a method decides for all three.
func (a Number) Float() float64 {
	if a.insignificant() {
		a.with(a).met.Decisions++
	}
	return Mean(a.Samples)
}

// Largest returns the number of digits of x in the maximum norm that roundings leave, those of the largest elements,
// Full64 at most.
func Largest(x Vector) float64 {
	var size, widest float64
	for _, v := range x {
		size = math.Max(size, math.Abs(Mean(v)))
		widest = math.Max(widest, spread(v))
	}
	if size == 0 || !finite(size) {
		return 0
	}
	c := math.Log10(math.Sqrt(Samples) * size / (student[Samples] * widest))
	return math.Max(0, math.Min(c, Full64))
}

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
