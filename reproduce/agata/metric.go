package agata

import (
	"math"
	"slices"
)

// Exponent is p, as used at AGATA ([Molina24], section 2.3.3).
const Exponent = 0.3

// metric sums |measured - reference|^p over a trace, in the order of channels and samples. It may stop where the sum
// exceeds the bound: the terms are not negative and rounding is monotonic, so the sum never falls below the bound
// again. The value returned therefore exceeds the bound if and only if the whole sum does.
type metric interface {
	merit(measured, reference []float32, bound float64) float64

	// stored rounds traces to the form that the metric reads.
	stored(traces []float32) []float32
}

// stride is the number of terms between two checks of the bound; it divides the length of traces.
const stride = 8

// exactTraces reads traces as they are.
type exactTraces struct{}

func (exactTraces) stored(traces []float32) []float32 { return traces }

// fp64 computes the definition in FP64.
type fp64 struct{ exactTraces }

func (fp64) merit(measured, reference []float32, bound float64) (sum float64) {
	for t, m := range measured {
		sum += math.Pow(math.Abs(float64(m)-float64(reference[t])), Exponent)
		if t%stride == stride-1 && sum > bound {
			return sum
		}
	}
	return sum
}

func newFP32() fp32 { return fp32{Power: NewPower(Exponent)} }

// fp32 computes a power for each term, in FP32.
type fp32 struct {
	exactTraces
	*Power
}

func (f fp32) merit(measured, reference []float32, bound float64) float64 {
	sum := float32(0)
	for len(measured) >= stride {
		m, r := measured[:stride], reference[:stride]
		for t := range m {
			sum += float32(f.Of(m[t] - r[t]))
		}
		if float64(sum) > bound {
			return float64(sum)
		}
		measured, reference = measured[stride:], reference[stride:]
	}
	return float64(sum)
}

// nearest is the look-up table of [Molina24], section 5.2.1: the difference is truncated to an integer.
type nearest struct {
	exactTraces
	table []float32 // 2 MB
}

const nearestSize = 1 << 19

func newNearest() nearest {
	n := nearest{table: make([]float32, nearestSize)}
	for k := range n.table {
		n.table[k] = float32(math.Pow(math.Abs(float64(k-nearestSize/2)), Exponent))
	}
	return n
}

func (n nearest) merit(measured, reference []float32, bound float64) float64 {
	sum, table := float32(0), n.table[:nearestSize]
	for len(measured) >= stride {
		m, r := measured[:stride], reference[:stride]
		for t := range m {
			sum += table[uint32(int32(m[t]-r[t])+nearestSize/2)%nearestSize]
		}
		if float64(sum) > bound {
			return float64(sum)
		}
		measured, reference = measured[stride:], reference[stride:]
	}
	return float64(sum)
}

// linear is a look-up table with interpolation (ours): a line for each exponent and the first seven bits of the
// significand of the difference. Its relative error is below 2e-6 everywhere.
type linear struct {
	exactTraces
	lines *[1 << 15]line
}

// line is value + slope |d|.
type line struct{ value, slope float32 }

// linearShift leaves the exponent and seven bits of the significand of FP32.
const linearShift = 23 - 7

func newLinear() linear {
	l := linear{lines: new([1 << 15]line)}
	for k := 1 << 7; k < 0xff<<7; k++ { // normal numbers; all others count as zero
		a, b := float64(math.Float32frombits(uint32(k<<linearShift))), float64(math.Float32frombits(uint32((k+1)<<linearShift)))
		if math.IsInf(b, 0) {
			b = 0x1p128
		}
		fa, fb := math.Pow(a, Exponent), math.Pow(b, Exponent)
		slope := (fb - fa) / (b - a)
		l.lines[k] = line{float32(fa - slope*a), float32(slope)}
	}
	return l
}

func (l linear) merit(measured, reference []float32, bound float64) float64 {
	sum, lines := float32(0), l.lines
	for len(measured) >= stride {
		m, r := measured[:stride], reference[:stride]
		for t := range m {
			bits := math.Float32bits(m[t]-r[t]) &^ (1 << 31)
			at := &lines[bits>>linearShift]
			sum += at.value + float32(at.slope*math.Float32frombits(bits))
		}
		if float64(sum) > bound {
			return float64(sum)
		}
		measured, reference = measured[stride:], reference[stride:]
	}
	return float64(sum)
}

// fp16 rounds everything to FP16: traces, differences, powers and sums. The powers of all 2^15 magnitudes are in a
// table.
type fp16 struct{ powers []float32 }

func newFP16() fp16 {
	f := fp16{make([]float32, 1<<15)}
	for code := range f.powers {
		f.powers[code] = roundHalf(float32(math.Pow(float64(halfValue(uint16(code))), Exponent)))
	}
	return f
}

func (f fp16) merit(measured, reference []float32, bound float64) float64 {
	sum, powers := float32(0), f.powers[:1<<15]
	for t, m := range measured {
		sum = roundHalf(sum + powers[halfCode(m-reference[t])%(1<<15)])
		if t%stride == stride-1 && float64(sum) > bound {
			break
		}
	}
	return float64(sum)
}

func (fp16) stored(traces []float32) []float32 {
	rounded := slices.Clone(traces)
	for k, x := range rounded {
		rounded[k] = roundHalf(x)
	}
	return rounded
}

// Numbers of FP16, IEEE 754 binary16, are held as float32, which represents all of them. Rounding a float32 sum,
// difference or product of FP16 numbers to FP16 gives the result of FP16 arithmetic: the 24 bits of FP32 are enough
// for the double rounding to 11 bits to be harmless.

// halfCode returns the FP16 code of a number rounded to nearest, ties to even; too large numbers become infinite.
func halfCode(x float32) uint16 {
	const (
		excess = 127 - 15 // of the exponents
		cut    = 23 - 10  // bits of the significand
		least  = 0x1p-14  // normal
	)
	bits := math.Float32bits(x)
	negative := uint16(bits >> 16 & 0x8000)
	bits &= 1<<31 - 1
	switch magnitude := math.Float32frombits(bits); {
	case bits > 0x7f800000:
		return negative | 0x7e00 // NaN
	case magnitude < least: // in units of 2^-24, to which the addition rounds
		return negative | uint16(math.Float32bits(magnitude+0x1p-1)-math.Float32bits(0x1p-1))
	case magnitude >= 65520:
		return negative | 0x7c00
	}
	bits += 1<<(cut-1) - 1 + bits>>cut&1
	return negative | uint16(bits>>cut-excess<<10)
}

// halfValue returns the number that an FP16 code represents.
func halfValue(code uint16) float32 {
	magnitude := uint32(code & 0x7fff)
	switch {
	case magnitude >= 0x7c00: // infinite or no number
		magnitude = magnitude<<13 | 0xff<<23
	case magnitude < 1<<10: // exact
		magnitude = math.Float32bits(float32(magnitude) * 0x1p-24)
	default:
		magnitude = magnitude<<13 + (127-15)<<23
	}
	return math.Float32frombits(magnitude | uint32(code&0x8000)<<16)
}

// roundHalf rounds to FP16.
func roundHalf(x float32) float32 { return halfValue(halfCode(x)) }

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
