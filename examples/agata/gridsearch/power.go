package gridsearch

import "math"

// Power computes |x|^p to more than the precision of FP32, as a C library's powf does: the
// logarithm and the exponential by small tables and polynomials, in FP64.
type Power struct {
	p         float64
	logs      [logSteps]logStep
	fractions [expSteps]float64 // 2^(k/expSteps)
}

const (
	logBits  = 5
	logSteps = 1 << logBits
	expSteps = 32
)

// logStep is for significands near 1/inverse.
type logStep struct{ inverse, log float64 }

// NewPower prepares for an exponent.
func NewPower(p float64) *Power {
	f := &Power{p: p}
	for k := range f.logs {
		inverse := 1 / (1 + (float64(k)+0.5)/logSteps)
		f.logs[k] = logStep{inverse, -math.Log2(inverse)}
	}
	for k := range f.fractions {
		f.fractions[k] = math.Exp2(float64(k) / expSteps)
	}
	return f
}

// Coefficients of log2(1+r) and of 2^r.
const (
	log1 = 1 / math.Ln2
	log2 = -log1 / 2
	log3 = log1 / 3
	log4 = -log1 / 4
	log5 = log1 / 5
	exp1 = math.Ln2
	exp2 = exp1 * math.Ln2 / 2
	exp3 = exp2 * math.Ln2 / 3
	exp4 = exp3 * math.Ln2 / 4
)

// Of returns |x|^p in FP64, with a relative error below 1e-10, for x of FP32 that is 0 or
// normal, and results that are normal.
func (f *Power) Of(x float32) float64 {
	bits := math.Float64bits(float64(x)) &^ (1 << 63)
	if bits == 0 {
		return 0
	}
	exponent := int(bits>>52) - 1023
	s := &f.logs[bits>>(52-logBits)%logSteps]
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	r := float64(m*s.inverse) - 1
	r2 := r * r
	log := float64(exponent) + s.log + (float64(r*(log1+float64(r*log2))) + float64(r2*r)*(log3+float64(r*log4)+float64(r2*log5)))

	y := f.p * log
	k := math.Floor(float64(y*expSteps) + 0.5)
	q := y - k/expSteps
	q2 := q * q
	e := 1 + float64(q*exp1) + float64(q2*(exp2+float64(q*exp3)+float64(q2*exp4)))
	n := int(k)
	return e * f.fractions[n&(expSteps-1)] * math.Float64frombits(uint64(1023+n>>5)<<52)
}
