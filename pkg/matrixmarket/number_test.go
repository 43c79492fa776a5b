package matrixmarket

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// scanned returns what the fast scanner makes of a number, or what the careful
// one makes of it where the fast one declines.
func scanned(t *testing.T, s string) float64 {
	t.Helper()
	text := []byte(s + "\n" + strings.Repeat("7", wordPad))
	if v, next := scanFloat(text, 0); next == len(s) {
		return v
	}
	v, _, ok := parseValue(s)
	if !ok {
		t.Fatalf("%q was not read", s)
	}
	return v
}

// Every finite float64 written in many ways must be read back to the last bit.
func TestNumbersAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	specials := []float64{
		0, math.Copysign(0, -1), 1, -1, math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022,
		math.Nextafter(0x1p-1022, 0), 1 << 53, 1<<53 + 2, 1e22, 1e23, 1e-22, 1e-23, 0.1, 123456789.125,
	}
	for n := range 60000 {
		var v float64
		switch {
		case n < len(specials):
			v = specials[n]
		case n%3 == 0:
			v = math.Float64frombits(rng.Uint64())
		case n%3 == 1:
			v = rng.NormFloat64()
		default:
			v = math.Ldexp(rng.Float64(), rng.IntN(160)-80)
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		for _, s := range []string{
			strconv.FormatFloat(v, 'g', -1, 64),
			strconv.FormatFloat(v, 'e', 16, 64),
			strconv.FormatFloat(v, 'e', 17+n%8, 64),
			strings.Replace(strconv.FormatFloat(v, 'E', 16, 64), "E", "D", 1),
			strconv.FormatFloat(v, 'f', -1, 64),
		} {
			if got := scanned(t, s); math.Float64bits(got) != math.Float64bits(v) {
				t.Fatalf("%q is read as %x, want %x", s, got, v)
			}
		}
	}
}

// Decimal numbers that are no float64, among them ties and near ties, must be
// rounded as strconv does.
func TestNumbersAreRounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200000 {
		digits := strconv.FormatUint(rng.Uint64()>>rng.IntN(64), 10)
		if rng.IntN(2) == 0 { // halfway between two neighbours
			digits = strconv.FormatUint(1<<53+2*rng.Uint64N(1<<52)+1, 10)
		}
		at := rng.IntN(len(digits) + 1)
		s := digits[:at] + "." + digits[at:]
		if rng.IntN(2) == 0 {
			s += fmt.Sprintf("e%d", rng.IntN(80)-40)
		}
		want, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got := scanned(t, s); math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%q is read as %x, want %x", s, got, want)
		}
	}
}

// What is no number must be left alone by both scanners.
func TestNotNumbers(t *testing.T) {
	for _, s := range []string{
		"", "+", "-", ".", "-.", "e5", ".e5", "1e", "1e+", "1d-", "1ee5", "1e5.5", "1.2.3", "--1", "+-1", "1+", "1-",
		"0x10", "1_000", "infinit", "in", "nann", "+nan-", "1f", "１", "1,5", "1e5x", "12345678901234567890x",
		"1.23456789012345678901234567890x", "i", "1i", "1e5e5", "1.d", "1..", "1+5+5",
	} {
		text := []byte(s + "\n" + strings.Repeat("7", wordPad))
		if v, next := scanFloat(text, 0); next == len(s) && s != "" {
			t.Errorf("%q was scanned as %g", s, v)
		}
		if s == "" {
			continue
		}
		if v, _, ok := parseValue(s); ok {
			t.Errorf("%q was read as %g", s, v)
		}
	}
}

func TestScanIndex(t *testing.T) {
	for _, s := range []string{"0", "7", "12345678", "123456789", "0000000012", "123456789012345"} {
		want, _ := strconv.ParseUint(s, 10, 64)
		got, next := scanIndex([]byte(s+" 999999999999999999"), 0)
		if got != want || next != len(s) {
			t.Errorf("%q is %d up to %d", s, got, next)
		}
	}
	for _, s := range []string{"", "x", "-1", "1234567890123456"} {
		if _, next := scanIndex([]byte(s+"\n                 "), 0); next != 0 {
			t.Errorf("%q was scanned up to %d", s, next)
		}
	}
}
