package agata

import "math"

// Power computes |x|^p by a small table and a polynomial, in FP64, more accurately than FP32 and about as fast as a C
// library's powf.
type Power struct {
	exponents    [1 << 8]float64 // 2^(p e), by the biased exponent of FP32
	significands [1 << powerBits]significand
	c1, c2, c3   float64 // (1+s)^p = 1 + c1 s + c2 s^2 + c3 s^3
}

// powerBits is the number of bits of the significand that choose an entry; its relative distance is at most 2^-8.
const powerBits = 7

// significand is an entry of the table, for the significands near it.
type significand struct{ inverse, power float64 }

// NewPower prepares the powers of an exponent.
func NewPower(p float64) *Power {
	f := &Power{c1: p, c2: p * (p - 1) / 2, c3: p * (p - 1) * (p - 2) / 6}
	for e := range f.exponents {
		f.exponents[e] = math.Exp2(p * float64(e-127))
	}
	f.exponents[0] = 0 // subnormal numbers count as zero
	for k := range f.significands {
		m := 1 + (float64(k)+0.5)/(1<<powerBits)
		f.significands[k] = significand{1 / m, math.Pow(m, p)}
	}
	return f
}

// Of returns |x|^p in FP64, with a relative error below 1e-10 for p from 0 to 2. It returns 0 for numbers below the
// normal range of FP32.
func (f *Power) Of(x float32) float64 {
	bits := math.Float32bits(x)
	near := &f.significands[bits>>(23-powerBits)%(1<<powerBits)]
	m := math.Float32frombits(bits&(1<<23-1) | 127<<23)
	s := float64(float64(m)*near.inverse) - 1
	return f.exponents[uint8(bits>>23)] * near.power * (1 + float64(s*(f.c1+float64(s*(f.c2+float64(s*f.c3))))))
}
