package formats

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
)

// The figures of tables 3.1, 4.1, 4.2 and 4.3 of [Molina24]: bits of sign,
// exponent and significand (stored + hidden), and the unit roundoff's exponent.
func TestPublishedFormats(t *testing.T) {
	for name, want := range map[string][5]int{ // bytes, sign, exponent, significand, log2 u
		"BF16": {2, 1, 8, 8, -8}, "FP24": {3, 1, 8, 16, -16}, "FP32": {4, 1, 8, 24, -24},
		"FP40": {5, 1, 11, 29, -29}, "FP48": {6, 1, 11, 37, -37}, "FP56": {7, 1, 11, 45, -45},
		"FP64": {8, 1, 11, 53, -53},
		"RP16": {2, 1, 8, 8, -8}, "RP24": {3, 1, 8, 16, -16}, "RP40": {5, 1, 11, 29, -29},
		"RP48": {6, 1, 11, 37, -37}, "RP56": {7, 1, 11, 45, -45},
		"RPRE8": {1, 1, 3, 5, -5}, "RPRE16": {2, 1, 3, 13, -13}, "RPRE24": {3, 1, 3, 21, -21},
		"RPRE32": {4, 1, 3, 29, -29}, "RPRE40": {5, 1, 3, 37, -37}, "RPRE48": {6, 1, 3, 45, -45},
		"RPREU8": {1, 0, 3, 6, -6}, "RPREU16": {2, 0, 3, 14, -14}, "RPREU24": {3, 0, 3, 22, -22},
		"RPREU32": {4, 0, 3, 30, -30}, "RPREU40": {5, 0, 3, 38, -38}, "RPREU48": {6, 0, 3, 46, -46},
	} {
		f := MustLookup(name)
		sign := 0
		if f.Signed {
			sign = 1
		}
		if got := [5]int{f.Bytes, sign, f.ExponentBits, f.Significand, math.Ilogb(f.UnitRoundoff())}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		if bits := sign + f.ExponentBits + f.Significand - 1; bits != 8*f.Bytes {
			t.Errorf("%s: %d bits in %d bytes", name, bits, f.Bytes)
		}
	}
}

// AFX has every width from one byte to seven; the digits of a name are its bits.
func TestWidths(t *testing.T) {
	for bytes := 1; bytes <= 7; bytes++ {
		f := MustLookup("AFX" + strconv.Itoa(8*bytes))
		if want := (Format{f.Name, Fixed, bytes, true, 0, 0}); f != want {
			t.Errorf("got %+v, want %+v", f, want)
		}
	}
	for _, f := range All() {
		name, _, _ := strings.Cut(f.Name, "E4M3")
		name, _, _ = strings.Cut(name, "E5M2")
		if f.Name = name; f.Name != strings.TrimRight(f.Name, "0123456789")+strconv.Itoa(8*f.Bytes) {
			t.Errorf("%s has %d bytes", f.Name, f.Bytes)
		}
	}
	if n := len(All()); n != 7+3+5+6+6+7 {
		t.Errorf("%d formats", n)
	}
}

func TestLookup(t *testing.T) {
	if f, err := Lookup("rpreu16"); err != nil || f.Name != "RPREU16" {
		t.Errorf("%v, %v", f, err)
	}
	if _, err := Lookup("RPREU17"); err == nil || !strings.Contains(err.Error(), "did you mean RPREU16?") {
		t.Errorf("got %v", err)
	}
	if u := MustLookup("AFX24").UnitRoundoff(); !math.IsNaN(u) {
		t.Errorf("AFX24 has the unit roundoff %g", u)
	}
	defer func() {
		if recover() == nil {
			t.Error("MustLookup of an unknown name does not panic")
		}
	}()
	MustLookup("RPREU17")
}

// minifloat is a number format as its standard defines it: codes s, e, f with the value
// (-1)^s 2^(e-bias) (1 + f 2^-m), but with e = 0 (-1)^s 2^(1-bias) f 2^-m.
type minifloat struct {
	name                         string
	exponent, fraction, bias     int
	last                         int // the largest number's code, without its sign
	largest, leastNormal, leastF float64
}

// The numbers are those of IEEE 754-2008, table 3.5, and of [OCP23], table 1.
var minifloats = []minifloat{
	{"FP16", 5, 10, 15, 0x7bff, 65504, 0x1p-14, 0x1p-24},
	{"FP8E5M2", 5, 2, 15, 0x7b, 57344, 0x1p-14, 0x1p-16},
	{"FP8E4M3", 4, 3, 7, 0x7e, 448, 0x1p-6, 0x1p-9},
}

// value is the value of a code, times 2^scale.
func (f minifloat) value(code, scale int) *big.Float {
	e, m := code>>f.fraction&(1<<f.exponent-1), code&(1<<f.fraction-1)
	if e == 0 {
		e = 1
	} else {
		m += 1 << f.fraction
	}
	v := new(big.Float).SetMantExp(big.NewFloat(float64(m)), e-f.bias-f.fraction+scale)
	if code>>(f.exponent+f.fraction) != 0 {
		v.Neg(v)
	}
	return v
}

// nearest is the code that a is rounded to, found by the definition: the nearer one of two
// neighbours, the even one if they are equally near; the last one above it.
func (f minifloat) nearest(a float64, scale int) int {
	exact := big.NewFloat(a)
	low, high := 0, f.last
	for high-low > 1 {
		if middle := (low + high) / 2; f.value(middle, scale).Cmp(exact) <= 0 {
			low = middle
		} else {
			high = middle
		}
	}
	below, above := new(big.Float).SetPrec(2200), new(big.Float).SetPrec(2200)
	below.Sub(exact, f.value(low, scale))
	above.Sub(f.value(high, scale), exact)
	switch c := below.Cmp(above); {
	case c < 0, c == 0 && low%2 == 0:
		return low
	}
	return high
}

// Every code of a number decodes to the value that the standard gives it, and encodes back.
func TestMinifloatCodes(t *testing.T) {
	for _, f := range minifloats {
		sign := 1 << (f.exponent + f.fraction)
		for _, scale := range []int{0, -20, f.bias, -1024 + f.bias + f.fraction + 1} {
			c := Codec{Format: MustLookup(f.name), Exponent: scale}
			for code := range 2 * sign {
				if code&(sign-1) > f.last {
					continue // Inf or NaN
				}
				stored := append([]byte{byte(code), byte(code >> 8)}[:c.Bytes], make([]byte, Padding)...)
				v := decodeOne(c, stored)
				if want, _ := f.value(code, scale).Float64(); v != want || math.Signbit(v) != (code >= sign) {
					t.Fatalf("%s at %d: code %#x is %g, want %g", f.name, scale, code, v, want)
				}
				if again := encodeOne(t, c, v); string(again[:c.Bytes]) != string(stored[:c.Bytes]) {
					t.Fatalf("%s at %d: code %#x, %g, encodes to %x", f.name, scale, code, v, again[:c.Bytes])
				}
			}
		}
	}
}

// Numbers between codes are rounded to nearest even, subnormal ones too, without a second
// rounding on the way.
func TestMinifloatRounding(t *testing.T) {
	for _, f := range minifloats {
		for _, scale := range []int{0, -30} {
			c := Codec{Format: MustLookup(f.name), Exponent: scale}
			for code := range f.last {
				lo, _ := f.value(code, scale).Float64()
				hi, _ := f.value(code+1, scale).Float64()
				middle := (lo + hi) / 2
				for _, v := range []float64{
					math.Nextafter(lo, hi), lo + (hi-lo)*0.4, math.Nextafter(middle, lo), middle,
					math.Nextafter(middle, hi), lo + (hi-lo)*0.6, math.Nextafter(hi, lo),
				} {
					want, _ := f.value(f.nearest(v, scale), scale).Float64()
					if got := decodeOne(c, encodeOne(t, c, v)); got != want {
						t.Fatalf("%s at %d: %v became %v, want %v", f.name, scale, v, got, want)
					}
				}
			}
		}
	}
}

// The figures of the standards.
func TestMinifloatRange(t *testing.T) {
	for _, f := range minifloats {
		c := Codec{Format: MustLookup(f.name)}
		half := (f.largest - math.Nextafter(f.largest, 0)) * math.Ldexp(1, 52-f.fraction) / 2
		least, largest := c.Range()
		if least != 0 || largest != f.largest+half {
			t.Errorf("%s: %g to %g, want 0 to %g", f.name, least, largest, f.largest+half)
		}
		if got := c.LeastNormal(); got != f.leastNormal {
			t.Errorf("%s: the least normal number is %g, want %g", f.name, got, f.leastNormal)
		}
		if got := 2 * c.ErrorBound(0); got != f.leastF {
			t.Errorf("%s: the least number is %g, want %g", f.name, got, f.leastF)
		}
		if got := math.Ldexp(1, c.MaxExponent()); !(got <= f.largest && f.largest < 2*got) {
			t.Errorf("%s: the largest exponent is that of %g", f.name, got)
		}
		for v, want := range map[float64]float64{
			f.largest: f.largest, f.largest + half: f.largest, f.leastF: f.leastF, f.leastF / 2: 0, f.leastF * 0.75: f.leastF,
			f.leastNormal - f.leastF/2: f.leastNormal, 0x1p-1074: 0,
		} {
			if got := decodeOne(c, encodeOne(t, c, -v)); got != -want || !math.Signbit(got) {
				t.Errorf("%s: %g became %g, want %g", f.name, -v, got, -want)
			}
		}
		var beyond *rangeError
		for _, v := range []float64{math.Nextafter(f.largest+half, math.Inf(1)), math.Inf(-1), math.NaN()} {
			if err := c.Encode(make([]byte, 2), []float64{v}); !errors.As(err, &beyond) {
				t.Errorf("%s takes %g: %v", f.name, v, err)
			}
		}
		for _, scale := range []int{f.bias + 1, -1024 + f.bias + f.fraction} {
			c.Exponent = scale
			if err := c.Encode(make([]byte, 2), []float64{0}); err == nil || c.LeastNormal() != 0 {
				t.Errorf("%s takes the scale %d", f.name, scale)
			}
		}
	}
}
