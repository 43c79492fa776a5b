package formats

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// codecs is every format at several scales, both signs and both roundings.
func codecs() []Codec {
	var list []Codec
	for _, f := range All() {
		exponents := []int{0}
		if f.Kind == Relative || f.Kind == Fixed {
			exponents = []int{0, -1022, 960}
			if testing.Short() {
				exponents = exponents[:1]
			}
		}
		for _, e := range exponents {
			for _, r := range []Rounding{NearestEven, Truncate} {
				list = append(list, Codec{Format: f, Exponent: e, Rounding: r})
				if !f.Signed {
					list = append(list, Codec{Format: f, Exponent: e, Rounding: r, Negative: true})
				}
			}
		}
	}
	return list
}

func encodeOne(t *testing.T, c Codec, v float64) []byte {
	t.Helper()
	b := make([]byte, c.Bytes+Padding)
	if err := c.Encode(b, []float64{v}); err != nil {
		t.Fatalf("%s at %d: %v", c.Name, c.Exponent, err)
	}
	return b
}

func decodeOne(c Codec, b []byte) float64 {
	var v [1]float64
	c.Decode(v[:], b)
	return v[0]
}

// Every code of the 1- and 2-byte formats: decoding and encoding give it back,
// and what lies between two neighbours rounds as it should.
func TestAllCodes(t *testing.T) {
	for _, c := range codecs() {
		if c.Bytes > 2 {
			continue
		}
		previous, started := 0.0, false
		codes := 1 << (8 * c.Bytes)
		for k := range codes {
			code := orderedCode(c, k, codes)
			b := make([]byte, 8+Padding)
			binary.LittleEndian.PutUint64(b, uint64(code))
			v := decodeOne(c, b[:c.Bytes+Padding])
			if !takes(c, v) {
				continue // a subnormal, Inf or NaN of a head
			}
			got := encodeOne(t, c, v)
			if v == 0 && c.Kind == Head32 {
				continue // either zero
			}
			if word := binary.LittleEndian.Uint64(got) & uint64(codes-1); word != uint64(code) {
				t.Fatalf("%s at %d: code %#x decodes to %g, which encodes to %#x", c.Name, c.Exponent, code, v, word)
			}
			if started && !(v > previous) {
				t.Fatalf("%s at %d: code %#x is %g after %g", c.Name, c.Exponent, code, v, previous)
			}
			if started {
				checkBetween(t, c, previous, v)
			}
			previous, started = v, true
		}
		if !started {
			t.Errorf("%s at %d takes nothing", c.Name, c.Exponent)
		}
	}
}

// orderedCode is the k-th code by rising value.
func orderedCode(c Codec, k, codes int) int {
	switch {
	case c.Kind == Fixed:
		return (k + codes/2) % codes
	case !c.Signed && c.Negative:
		return codes - 1 - k
	case !c.Signed:
		return k
	case k < codes/2:
		return codes - 1 - k
	}
	return k - codes/2
}

func takes(c Codec, v float64) bool {
	return c.Encode(make([]byte, c.Bytes), []float64{v}) == nil
}

// checkBetween checks how values between the neighbouring codes lo and hi round.
func checkBetween(t *testing.T, c Codec, lo, hi float64) {
	t.Helper()
	middle := lo + (hi-lo)/2
	if lo < 0 && hi > 0 || middle == lo || middle == hi {
		return // the gap around zero that Relative leaves
	}
	for _, v := range []float64{math.Nextafter(lo, hi), math.Nextafter(middle, lo), middle, math.Nextafter(middle, hi), math.Nextafter(hi, lo)} {
		if !takes(c, v) {
			if least, _ := c.Range(); math.Abs(v) >= least {
				t.Fatalf("%s at %d does not take %g between %g and %g", c.Name, c.Exponent, v, lo, hi)
			}
			continue
		}
		got := decodeOne(c, encodeOne(t, c, v))
		want := lo
		switch {
		case c.Rounding == Truncate && v < 0:
			want = hi
		case c.Rounding == Truncate:
		case v > middle:
			want = hi
		case v == middle:
			want = got
			b := encodeOne(t, c, v)
			if b[0]&1 != 0 {
				t.Fatalf("%s at %d: the tie %g went to an odd code", c.Name, c.Exponent, v)
			}
		}
		if got != want {
			t.Fatalf("%s at %d: %g between %g and %g became %g, want %g", c.Name, c.Exponent, v, lo, hi, got, want)
		}
	}
}

// Random values over the whole range of every format: within the bound, stable
// under a second round, and monotone.
func TestRandomValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range codecs() {
		least, largest := c.Range()
		for range 2000 {
			v := randomIn(rng, c, least, largest)
			checkValue(t, c, v)
		}
		for _, v := range []float64{least, largest, math.Nextafter(largest, 0), math.Nextafter(least, math.Inf(1))} {
			if c.Negative {
				v = -v
			}
			if v != 0 {
				checkValue(t, c, v)
			}
		}
	}
}

// randomIn draws a magnitude with a random exponent between the limits.
func randomIn(rng *rand.Rand, c Codec, least, largest float64) float64 {
	low := math.Log2(max(least, largest*0x1p-60, 5e-324))
	v := math.Exp2(low + rng.Float64()*(math.Log2(largest)-low))
	v = min(max(v, least), largest)
	if c.Negative || c.Signed && rng.IntN(2) == 0 {
		v = -v
	}
	return v
}

// checkValue checks one value in range against the promises of the package.
func checkValue(t *testing.T, c Codec, v float64) {
	t.Helper()
	got := decodeOne(c, encodeOne(t, c, v))
	if diff := math.Abs(got - v); !(diff <= c.ErrorBound(v)) {
		t.Fatalf("%s at %d: %g became %g, off by %g, more than %g", c.Name, c.Exponent, v, got, diff, c.ErrorBound(v))
	}
	if c.Rounding == Truncate && math.Abs(got) > math.Abs(v) {
		t.Fatalf("%s at %d: %g truncated to %g", c.Name, c.Exponent, v, got)
	}
	if got == 0 && c.Kind != Fixed {
		t.Fatalf("%s at %d: %g became 0", c.Name, c.Exponent, v)
	}
	if again := decodeOne(c, encodeOne(t, c, got)); again != got {
		t.Fatalf("%s at %d: %g became %g and then %g", c.Name, c.Exponent, v, got, again)
	}
	next := v * (1 + 0x1p-30)
	if takes(c, next) {
		if g := decodeOne(c, encodeOne(t, c, next)); math.Abs(g) < math.Abs(got) {
			t.Fatalf("%s at %d: %g became %g but the larger %g became %g", c.Name, c.Exponent, v, got, next, g)
		}
	}
}

// A slice of values, encoded and decoded at every misalignment, in buffers that
// end where they must.
func TestSlices(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range codecs() {
		least, largest := c.Range()
		for _, n := range []int{0, 1, 2, 7, 8, 9, 100} {
			src := make([]float64, n)
			for i := range src {
				src[i] = randomIn(rng, c, least, largest)
			}
			for offset := range 9 {
				size := n*c.Bytes + Padding
				buffer := make([]byte, offset+size)
				for i := range buffer {
					buffer[i] = 0xa5
				}
				b := buffer[offset : offset+size : offset+size]
				if err := c.Encode(b[:n*c.Bytes], src); err != nil {
					t.Fatal(err)
				}
				for i, v := range buffer {
					if (i < offset || i >= offset+n*c.Bytes) && v != 0xa5 {
						t.Fatalf("%s: byte %d beside the values was written", c.Name, i-offset)
					}
				}
				dst := make([]float64, n)
				c.Decode(dst, b)
				for i, v := range src {
					if want := decodeOne(c, encodeOne(t, c, v)); dst[i] != want {
						t.Fatalf("%s, %d values at offset %d: value %d is %g, want %g", c.Name, n, offset, i, dst[i], want)
					}
				}
			}
		}
	}
}

// What no codec of its kind takes is an error that names the place.
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
			var e *RangeError
			if !errors.As(err, &e) || e.Index != 1 || e.Format != c.Name {
				t.Errorf("%s at %d takes %g: %v", c.Name, c.Exponent, v, err)
			}
		}
	}
}

// Scales at which values would leave the range of float64 are refused.
func TestScaleOutOfRange(t *testing.T) {
	for _, c := range []Codec{
		{Format: lookup(t, "RPRE16"), Exponent: -1023},
		{Format: lookup(t, "RPRE16"), Exponent: 1017},
		{Format: lookup(t, "AFX16"), Exponent: -1023},
		{Format: lookup(t, "AFX16"), Exponent: 968},
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

// Going through float32 would round twice: 1 + 2^-8 + 2^-30 is above the middle
// of two BF16 numbers, but not after rounding to float32.
func TestNoDoubleRounding(t *testing.T) {
	c := Codec{Format: lookup(t, "BF16")}
	v := 1 + 0x1p-8 + 0x1p-30
	if got := decodeOne(c, encodeOne(t, c, v)); got != 1+0x1p-7 {
		t.Errorf("%v became %v", v, got)
	}
}

func TestZeros(t *testing.T) {
	negative := math.Copysign(0, -1)
	for _, f := range All() {
		c := Codec{Format: f}
		switch f.Kind {
		case Head64, Head32:
			if v := decodeOne(c, encodeOne(t, c, negative)); v != 0 || !math.Signbit(v) {
				t.Errorf("%s: -0 became %g", f.Name, v)
			}
			if v := decodeOne(c, encodeOne(t, c, 0)); v != 0 || math.Signbit(v) {
				t.Errorf("%s: 0 became %g", f.Name, v)
			}
		case Fixed:
			if v := decodeOne(c, encodeOne(t, c, negative)); v != 0 || math.Signbit(v) {
				t.Errorf("%s: -0 became %g", f.Name, v)
			}
		}
	}
}

// Values that round up past the last code become the last code.
func TestSaturation(t *testing.T) {
	for _, c := range []struct {
		codec   Codec
		v, want float64
	}{
		{Codec{Format: lookup(t, "RPRE8")}, 252, 248},   // 1.1111|1 at 2^7
		{Codec{Format: lookup(t, "RPRE8")}, -252, -248}, // the tie as well
		{Codec{Format: lookup(t, "RPREU8")}, 254, 252},
		{Codec{Format: lookup(t, "AFX8")}, 127.5, 127},
		{Codec{Format: lookup(t, "AFX8")}, -128, -128},
		{Codec{Format: lookup(t, "AFX8")}, -128.5, -128},
		{Codec{Format: lookup(t, "AFX56")}, -0x1p55, -0x1p55},
		{Codec{Format: lookup(t, "AFX56")}, 0x1p55 - 4, 0x1p55 - 4},
		{Codec{Format: lookup(t, "BF16")}, 0x1.FEp127 + 0x1p119, 0x1.FEp127},
	} {
		if got := decodeOne(c.codec, encodeOne(t, c.codec, c.v)); got != c.want {
			t.Errorf("%s: %v became %v, want %v", c.codec.Name, c.v, got, c.want)
		}
	}
}

func lookup(t testing.TB, name string) Format {
	t.Helper()
	f, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
