package agata

import (
	"math"
	"math/rand/v2"
	"testing"
)

// definition returns the number that an FP16 code represents.
func definition(code int) float64 {
	exponent, fraction := code>>10&31, float64(code&1023)
	value := math.Ldexp(1+fraction/1024, exponent-15)
	switch {
	case exponent == 0:
		value = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		value = math.Inf(1)
	case exponent == 31:
		return math.NaN()
	}
	if code>>15 == 1 {
		return -value
	}
	return value
}

// TestHalf checks all 65536 codes, and the rounding of the midpoints between neighbouring numbers and of the numbers
// beside the midpoints.
func TestHalf(t *testing.T) {
	for code := range 1 << 16 {
		want, got := definition(code), float64(halfValue(uint16(code)))
		if math.IsNaN(want) {
			if !math.IsNaN(got) || !math.IsNaN(float64(roundHalf(float32(got)))) {
				t.Fatalf("code %#x: got %g, want NaN", code, got)
			}
			continue
		}
		if got != want || math.Signbit(got) != math.Signbit(want) {
			t.Fatalf("code %#x: got %g, want %g", code, got, want)
		}
		if back := halfCode(float32(want)); back != uint16(code) {
			t.Fatalf("%g: got code %#x, want %#x", want, back, code)
		}
		if math.IsInf(want, 0) {
			continue
		}
		next := definition(code + 1)
		if math.IsInf(next, 0) {
			next = math.Copysign(65536, want) // where the next number would be
		}
		middle := float32((want + next) / 2) // exact
		even := uint16(code + code&1)
		outwards := math.Nextafter32(middle, float32(math.Copysign(math.MaxFloat32, want)))
		for x, want := range map[float32]uint16{
			middle: even, math.Nextafter32(middle, 0): uint16(code), outwards: uint16(code + 1),
		} {
			if got := halfCode(x); got != want {
				t.Fatalf("%g, beside code %#x: got %#x, want %#x", x, code, got, want)
			}
		}
	}
}

// TestHalfDifferences: differences of FP16 numbers are rounded once, as from the exact difference.
func TestHalfDifferences(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 1 << 20 {
		a, b := random.IntN(1<<16), random.IntN(1<<16)
		x, y := definition(a), definition(b)
		if exact := x - y; math.Abs(exact) < 65504 { // exact in FP64
			got := float64(roundHalf(halfValue(uint16(a)) - halfValue(uint16(b))))
			_, e := math.Frexp(exact)
			unit := math.Ldexp(1, max(e-11, -24))
			if want := unit * math.RoundToEven(exact/unit); got != want {
				t.Fatalf("%g - %g: got %g, want %g", x, y, got, want)
			}
		}
	}
}

func TestPower(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, p := range []float64{Exponent, 1, 2} {
		f := NewPower(p)
		for k := range 1 << 18 {
			x := float32(math.Ldexp(1+random.Float64(), k%80-40))
			want := math.Pow(float64(x), p)
			if got := f.Of(-x); math.Abs(got-want) > 1e-10*want {
				t.Fatalf("|%g|^%g: got %g, want %g", -x, p, got, want)
			}
		}
		if f.Of(0) != 0 {
			t.Errorf("|0|^%g: got %g", p, f.Of(0))
		}
	}
}

// TestTables compares one term of each table with its definition.
func TestTables(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	near, lin := newNearest(), newLinear()
	for k := range 1 << 18 {
		d := float32(math.Ldexp(random.Float64()-0.5, k%44-22))
		want := math.Pow(math.Abs(float64(d)), Exponent)
		measured, reference := make([]float32, stride), make([]float32, stride)
		measured[0] = d
		if got := lin.merit(measured, reference, math.Inf(1)); math.Abs(got-want) > 2e-6*want {
			t.Fatalf("interpolated at %g: got %g, want %g", d, got, want)
		}
		if math.Abs(float64(d)) < nearestSize/2 {
			want := float64(float32(math.Pow(math.Trunc(math.Abs(float64(d))), Exponent)))
			if got := near.merit(measured, reference, math.Inf(1)); got != want {
				t.Fatalf("cut at %g: got %g, want %g", d, got, want)
			}
		}
	}
	if zero := make([]float32, stride); lin.merit(zero, zero, 1) != 0 || newFP32().merit(zero, zero, 1) != 0 {
		t.Error("0 is not 0")
	}
}
