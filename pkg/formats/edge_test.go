package formats

import (
	"errors"
	"math"
	"testing"
)

// A value that no codec of its kind takes is an error that names its index.
func TestOutOfRange(t *testing.T) {
	for _, c := range codecs() {
		least, largest := c.Range()
		sign := 1.0
		if c.Negative {
			sign = -1
		}
		good := sign * max(least, largest/2)
		bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
		if above := math.Nextafter(largest, math.Inf(1)); !math.IsInf(above, 0) {
			bad = append(bad, sign*above)
		}
		if c.Kind == Relative {
			bad = append(bad, 0, sign*math.Nextafter(least, 0))
		}
		if (c.Kind == Head32 || c.Kind == Head64) && c.Bytes < 8 {
			bad = append(bad, math.Nextafter(least, 0))
		}
		if !c.Signed {
			bad = append(bad, -good)
		}
		for _, v := range bad {
			err := c.Encode(make([]byte, 3*c.Bytes), []float64{good, v, good})
			var e *rangeError
			if !errors.As(err, &e) || e.index != 1 || e.format != c.Name {
				t.Errorf("%s at %d takes %g: %v", c.Name, c.Exponent, v, err)
			}
		}
	}
}

// Scales at which values would leave the range of float64 are refused.
func TestScaleOutOfRange(t *testing.T) {
	for _, c := range []Codec{
		{Format: MustLookup("RPRE16"), Exponent: -1023},
		{Format: MustLookup("RPRE16"), Exponent: 1017},
		{Format: MustLookup("AFX16"), Exponent: -1023},
		{Format: MustLookup("AFX16"), Exponent: 968},
	} {
		if least, largest := c.Range(); least != 0 || largest != 0 {
			t.Errorf("%s at %d has the range %g to %g", c.Name, c.Exponent, least, largest)
		}
		if err := c.Encode(make([]byte, 2), []float64{1}); err == nil {
			t.Errorf("%s at %d takes 1", c.Name, c.Exponent)
		}
		if err := c.Encode(nil, nil); err != nil {
			t.Errorf("%s at %d: %v for no value", c.Name, c.Exponent, err)
		}
	}
}

// Going through float32 first would round twice: 1 + 2^-p + 2^-52 is above the
// middle of two numbers of p < 24 bits, but not after rounding to float32.
func TestNoDoubleRounding(t *testing.T) {
	for _, f := range All() {
		if f.Kind == Fixed || f.Significand >= 52 {
			continue
		}
		c := Codec{Format: f}
		u := f.UnitRoundoff()
		for _, v := range []struct{ v, want float64 }{
			{1 + u + 0x1p-52, 1 + 2*u},
			{1 + u, 1},
			{1 + u - 0x1p-52, 1},
			{1 + 3*u, 1 + 4*u},
			{1 + 3*u - 0x1p-52, 1 + 2*u},
		} {
			if got := decodeOne(c, encodeOne(t, c, v.v)); got != v.want {
				t.Errorf("%s: %v became %v, want %v", f.Name, v.v, got, v.want)
			}
		}
	}
}

// Adding a half and cutting off would take the first of these to 1.
func TestFixedTies(t *testing.T) {
	for v, want := range map[float64]float64{
		0.5 - 0x1p-54: 0, 0.5: 0, 0.5 + 0x1p-53: 1, 1.5: 2, 2.5: 2, 126.5: 126,
		-0.5: 0, -1.5: -2, -2.5: -2, -127.5: -128, -126.5: -126,
	} {
		for _, exponent := range []int{0, 20, -900} {
			c := Codec{Format: MustLookup("AFX8"), Exponent: exponent}
			v, want := math.Ldexp(v, exponent), math.Ldexp(want, exponent)
			if got := decodeOne(c, encodeOne(t, c, v)); got != want {
				t.Errorf("at %d: %v became %v, want %v", exponent, v, got, want)
			}
		}
	}
}

// Heads keep the sign of zero, fixed point has none, the others take no zero.
func TestZeros(t *testing.T) {
	for _, f := range All() {
		c := Codec{Format: f}
		for _, zero := range []float64{0, math.Copysign(0, -1)} {
			if f.Kind == Relative {
				continue
			}
			v := decodeOne(c, encodeOne(t, c, zero))
			if v != 0 || math.Signbit(v) != (math.Signbit(zero) && f.Kind != Fixed) {
				t.Errorf("%s: %g became %g", f.Name, zero, v)
			}
		}
	}
}

// Values whose stored ones are written out: at the ends of the codes and of the scales.
func TestValuesAtTheEnds(t *testing.T) {
	type value struct {
		name      string
		exponent  int
		truncates bool
		v, want   float64
	}
	list := []value{
		// What rounds up past the last code becomes the last code, and so do ties.
		{"RPRE8", 0, false, 252, 248}, // 1.1111|1 at 2^7
		{"RPRE8", 0, false, -252, -248},
		{"RPREU8", 0, false, 254, 252},
		{"AFX8", 0, false, 127.5, 127},
		{"AFX8", 0, false, -128, -128},
		{"AFX8", 0, false, -128.5, -128},
		{"AFX56", 0, false, -0x1p55, -0x1p55},
		{"AFX56", 0, false, 0x1p55 - 4, 0x1p55 - 4},
		{"BF16", 0, false, 0x1.FEp127 + 0x1p119, 0x1.FEp127},
		// Truncated, what lies within a quantum below the least code becomes that code.
		{"AFX8", 0, true, math.Nextafter(-129, 0), -128},
		{"AFX8", 0, true, -129, refused},
		// The outermost scales.
		{"RPRE16", -1022, false, 0x1p-1022, 0x1p-1022},
		{"RPRE16", 1016, false, -0x1.fffp1023, -0x1.fffp1023},
		{"RPREU48", 1016, false, 0x1.fffffffffffp1023, 0x1.fffffffffffp1023},
		{"AFX8", -1022, false, 0x1p-1022, 0x1p-1022},
		{"AFX56", -1022, false, -0x1p-967, -0x1p-967},
		{"AFX56", 967, false, -0x1p1022, -0x1p1022},
		{"AFX56", 967, false, 0x1p967, 0x1p967},
	}
	for _, truncates := range []bool{false, true} {
		// FP64 keeps every subnormal; the shorter heads have no relative bound there and
		// refuse what is below their least normal number.
		for _, v := range []float64{0x1p-1074, -0x1p-1074, 0x1p-1022 - 0x1p-1074, 0x1p-1022} {
			list = append(list, value{"FP64", 0, truncates, v, v})
		}
		for name, least := range map[string]float64{
			"FP56": 0x1p-1022, "FP48": 0x1p-1022, "FP40": 0x1p-1022, "FP32": 0x1p-126, "FP24": 0x1p-126, "BF16": 0x1p-126,
		} {
			list = append(list, value{name, 0, truncates, -least, -least}, value{name, 0, truncates, least / 2, refused})
		}
	}
	for _, c := range list {
		codec := Codec{Format: MustLookup(c.name), Exponent: c.exponent, Truncates: c.truncates}
		if !takes(codec, c.v) {
			if c.want != refused {
				t.Errorf("%+v is refused", c)
			}
		} else if got := decodeOne(codec, encodeOne(t, codec, c.v)); got != c.want {
			t.Errorf("%+v became %v", c, got)
		}
	}
}

// refused stands for a value that a codec does not take.
const refused = 0.

// The other tests draw their values from Range: its ends are written out here.
func TestRange(t *testing.T) {
	for _, c := range []struct {
		name           string
		exponent       int
		truncates      bool
		least, largest float64
	}{
		{"FP64", 0, false, 0x1p-1074, math.MaxFloat64},
		{"FP64", 0, true, 0x1p-1074, math.MaxFloat64},
		{"FP56", 0, false, 0x1p-1022, 0x1.fffffffffff8p1023},
		{"FP40", 0, false, 0x1p-1022, 0x1.fffffff8p1023},
		{"FP40", 0, true, 0x1p-1022, math.MaxFloat64},
		{"FP32", 0, false, 0x1p-126, 0x1.ffffffp127},
		{"FP32", 0, true, 0x1p-126, 0x1.fffffffffffffp127},
		{"BF16", 0, false, 0x1p-126, 0x1.ffp127},
		{"RPRE8", 0, false, 1, 252},
		{"RPRE8", 0, true, 1, 256 - 0x1p-45},
		{"RPREU8", 3, false, 8, 254 * 8},
		{"RPRE48", -1022, false, 0x1p-1022, 0x1.fffffffffff8p-1015},
		{"RPRE16", 1016, true, 0x1p1016, math.MaxFloat64},
		{"AFX8", 0, false, 0, 127.5},
		{"AFX8", -4, true, 0, 8 - 0x1p-50},
		{"AFX48", 0, false, 0, 0x1p47 - 0.5},
		{"AFX56", 0, false, 0, 0x1p55 - 4},
		{"AFX56", 967, false, 0, 0x1.fffffffffffffp1021},
	} {
		codec := Codec{Format: MustLookup(c.name), Exponent: c.exponent, Truncates: c.truncates}
		if least, largest := codec.Range(); least != c.least || largest != c.largest {
			t.Errorf("%s at %d, truncating %v: %x to %x, want %x to %x",
				c.name, c.exponent, c.truncates, least, largest, c.least, c.largest)
		}
	}
}

func TestErrorBound(t *testing.T) {
	for _, c := range []struct {
		name     string
		exponent int
		v        float64
		nearest  float64
		truncate float64
	}{
		{"FP64", 0, 3, 0, 0},
		{"FP40", 0, 0, 0, 0},
		{"FP40", 0, -3, 0x3p-29, 0x3p-28},
		{"FP32", 0, 1, 0x1p-24, 0x1p-23},
		{"RPRE8", 0, 5, 0x5p-5, 0x5p-4},
		{"RPREU16", 0, 1, 0x1p-14, 0x1p-13},
		{"AFX16", 0, 1000, 0.5, 1},
		{"AFX16", -12, 0, 0x1p-13, 0x1p-12},
		{"AFX16", -1022, 0, 0x1p-1023, 0x1p-1022},
	} {
		codec := Codec{Format: MustLookup(c.name), Exponent: c.exponent}
		if got := codec.ErrorBound(c.v); got != c.nearest {
			t.Errorf("%s, nearest: the bound for %g is %g, want %g", c.name, c.v, got, c.nearest)
		}
		codec.Truncates = true
		if got := codec.ErrorBound(c.v); got != c.truncate {
			t.Errorf("%s, truncated: the bound for %g is %g, want %g", c.name, c.v, got, c.truncate)
		}
	}
}

func TestShortDestination(t *testing.T) {
	for _, f := range All() {
		c := Codec{Format: f}
		if err := c.Encode(make([]byte, 3*c.Bytes-1, 3*c.Bytes), []float64{1, 1, 1}); err == nil {
			t.Errorf("%s encodes 3 values into %d bytes", f.Name, 3*c.Bytes-1)
		}
	}
}

func TestErrRange(t *testing.T) {
	c := Codec{Format: MustLookup("RPRE16")}
	err := c.Encode(make([]byte, 4), []float64{1, 300})
	if want := "value 300 is out of the range of RPRE16"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
