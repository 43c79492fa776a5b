package formats

import (
	"math"
	"math/big"
	"testing"
)

// FuzzCodec: any float64 in any format at any scale is refused, or decoded to
// within the bound, by exact arithmetic; twice is once, and order is kept.
func FuzzCodec(f *testing.F) {
	f.Add(uint64(0x3ff0000000000000), uint8(0), int16(0), false)
	f.Add(math.Float64bits(-1.5), uint8(14), int16(-3), true)
	f.Add(math.Float64bits(0x1p-1074), uint8(3), int16(0), false)
	f.Add(math.Float64bits(math.MaxFloat64), uint8(1), int16(0), false)
	f.Add(math.Float64bits(252), uint8(17), int16(0), false)
	f.Add(math.Float64bits(0x1p55-4), uint8(24), int16(0), true)
	formats := All()
	f.Fuzz(func(t *testing.T, bits uint64, which uint8, exponent int16, truncate bool) {
		v := math.Float64frombits(bits)
		c := Codec{Format: formats[int(which)%len(formats)], Exponent: int(exponent) % 1100, Negative: math.Signbit(v)}
		if truncate {
			c.Rounding = Truncate
		}
		b := make([]byte, c.Bytes+Padding)
		least, largest := c.Range()
		if err := c.Encode(b, []float64{v}); err != nil {
			if a := math.Abs(v); a >= least && a <= largest && a != 0 {
				t.Fatalf("%s at %d refuses %g: %v", c.Name, c.Exponent, v, err)
			}
			return
		}
		got := decodeOne(c, b)
		exact := func(x float64) *big.Float { return new(big.Float).SetPrec(2200).SetFloat64(x) }
		diff := exact(0).Sub(exact(got), exact(v))
		bound := exact(math.Abs(v))
		if c.Kind == Fixed {
			bound.SetMantExp(exact(0.5), c.Exponent)
		} else {
			bound.SetMantExp(bound, -c.Significand)
		}
		if truncate {
			bound.Add(bound, bound)
		}
		if diff.Abs(diff).Cmp(bound) > 0 || diff.Cmp(exact(c.ErrorBound(v))) > 0 {
			t.Fatalf("%s at %d: %g became %g", c.Name, c.Exponent, v, got)
		}
		if next := math.Nextafter(v, math.Inf(1)); takes(c, next) && decodeOne(c, encodeOne(t, c, next)) < got {
			t.Fatalf("%s at %d: %g became %g, but the next number became less", c.Name, c.Exponent, v, got)
		}
		if other := c; !c.Signed {
			if other.Negative = !c.Negative; takes(other, v) {
				t.Fatalf("%s at %d takes %g with the other sign", c.Name, c.Exponent, v)
			}
		}
		if err := c.Encode(b, []float64{got}); err != nil && got != 0 {
			t.Fatalf("%s at %d does not take its own %g: %v", c.Name, c.Exponent, got, err)
		}
		if again := decodeOne(c, b); got != 0 && again != got {
			t.Fatalf("%s at %d: %g became %g and then %g", c.Name, c.Exponent, v, got, again)
		}
	})
}
