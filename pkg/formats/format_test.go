package formats

import (
	"math"
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
