package dd

import (
	"math"
	"testing"
)

// classes has an argument of every kind that Ldexp can meet.
var classes = []float64{
	0, math.Copysign(0, -1), 1, -1, 1.5, math.Pi, -math.MaxFloat64, math.MaxFloat64,
	0x1p-1022, 0x1.fffffffffffffp-1023, math.SmallestNonzeroFloat64, -3 * math.SmallestNonzeroFloat64,
	math.Inf(1), math.Inf(-1), math.NaN(), 1e300, -1e-300,
}

func sameFloat(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

func TestLdexp(t *testing.T) {
	exps := []int{0, 1, -1, 52, -52, 53, 971, 1023, -1021, 1024, -1022, -1023, -1074, -1075, 2045, 2046, -2097, -2098, 2098, 5000, -5000, 1 << 40, -1 << 40}
	for _, v := range classes {
		for _, e := range exps {
			if got, want := Ldexp(v, e), math.Ldexp(v, e); !sameFloat(got, want) {
				t.Errorf("Ldexp(%g, %d) = %g, want %g", v, e, got, want)
			}
		}
	}
}

func FuzzLdexp(f *testing.F) {
	for _, v := range classes {
		f.Add(math.Float64bits(v), -1022)
		f.Add(math.Float64bits(v), 1023)
	}
	f.Fuzz(func(t *testing.T, bits uint64, e int) {
		v := math.Float64frombits(bits)
		for _, e := range []int{e, e % 2200, e % 64} {
			if got, want := Ldexp(v, e), math.Ldexp(v, e); !sameFloat(got, want) {
				t.Errorf("Ldexp(%g, %d) = %g, want %g", v, e, got, want)
			}
		}
	})
}

func TestExponent(t *testing.T) {
	for _, v := range classes {
		e := Exponent(v)
		if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			if e != 0 {
				t.Errorf("Exponent(%g) = %d, want 0", v, e)
			}
			continue
		}
		if m := math.Abs(math.Ldexp(math.Ldexp(v, -e/2), -e+e/2)); !(m >= 0.5 && m < 1) {
			t.Errorf("Exponent(%g) = %d", v, e)
		}
	}
}
