package formats

import (
	"encoding/binary"
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
		taken := 0
		codes := 1 << (8 * c.Bytes)
		for k := range codes {
			code := orderedCode(c, k, codes)
			b := make([]byte, 8+Padding)
			binary.LittleEndian.PutUint64(b, uint64(code))
			v := decodeOne(c, b[:c.Bytes+Padding])
			if !takes(c, v) {
				continue // a subnormal, Inf or NaN of a head
			}
			taken++
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
		want := codes
		if c.Kind == Head32 {
			want = 2 + 2*254<<7 // zeros, and the exponents of normal numbers
		}
		if taken != want {
			t.Errorf("%s at %d takes %d of its codes, want %d", c.Name, c.Exponent, taken, want)
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

func lookup(t testing.TB, name string) Format {
	t.Helper()
	f, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
