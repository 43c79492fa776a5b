package formats

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// codecs is every format at several scales, both signs and both roundings.
func codecs() []Codec {
	var list []Codec
	for _, f := range All() {
		exponents := []int{0}
		switch f.Kind {
		case Relative, Fixed:
			exponents = []int{0, -1022, 960}
		case Minifloat:
			exponents = []int{0, -20, f.bias(), -1024 + f.bias() + f.Significand}
		}
		if testing.Short() && f.Bytes > 1 {
			exponents = exponents[:1]
		}
		for _, e := range exponents {
			for _, truncates := range []bool{false, true} {
				list = append(list, Codec{Format: f, Exponent: e, Truncates: truncates})
				if !f.Signed {
					list = append(list, Codec{Format: f, Exponent: e, Truncates: truncates, Negative: true})
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
			got := make([]byte, c.Bytes+Padding)
			if c.Encode(got, []float64{v}) != nil {
				continue // a subnormal, Inf or NaN of a head
			}
			taken++
			if v == 0 && c.Kind == Head32 {
				continue // either zero
			}
			if v == 0 && c.Kind == Minifloat { // either zero, next to subnormal numbers
				checkBetween(t, c, previous, 0)
				previous, started = 0, true
				continue
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
		if c.Kind == Minifloat { // all but Inf and NaN
			want = map[string]int{"FP16": 1<<16 - 1<<11, "FP8E5M2": 1<<8 - 1<<3, "FP8E4M3": 1<<8 - 2}[c.Name]
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
		b := make([]byte, c.Bytes+Padding)
		if c.Encode(b, []float64{v}) != nil {
			if least, _ := c.Range(); math.Abs(v) >= least {
				t.Fatalf("%s at %d does not take %g between %g and %g", c.Name, c.Exponent, v, lo, hi)
			}
			continue
		}
		got := decodeOne(c, b)
		want := lo
		switch {
		case c.Truncates && v < 0:
			want = hi
		case c.Truncates:
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

// Random values over the whole range of every format, and its ends.
func TestRandomValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range codecs() {
		least, largest := c.Range()
		values := []float64{least, largest, math.Nextafter(largest, 0), math.Nextafter(least, math.Inf(1))}
		if c.Negative {
			for k, v := range values {
				values[k] = -v
			}
		}
		for range 200 {
			values = append(values, randomIn(rng, c, least, largest))
		}
		for _, v := range values {
			if v != 0 && !checkValue(t, c, v) {
				t.Fatalf("%s at %d refuses %g", c.Name, c.Exponent, v)
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

// checkValue demands that v is refused, or decoded to within the bound by exact
// arithmetic; that twice is once, and that the order of numbers is kept. It reports
// whether v is taken.
func checkValue(t *testing.T, c Codec, v float64) bool {
	t.Helper()
	least, largest := c.Range()
	if !takes(c, v) {
		if a := math.Abs(v); a >= least && a <= largest && a != 0 && (c.Signed || math.Signbit(v) == c.Negative) {
			t.Fatalf("%s at %d refuses %g", c.Name, c.Exponent, v)
		}
		return false
	}
	got := decodeOne(c, encodeOne(t, c, v))
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(2200).SetFloat64(x) }
	diff, bound := exact(0).Sub(exact(got), exact(v)), exact(math.Abs(v))
	switch {
	case c.Kind == Fixed:
		bound.SetMantExp(exact(0.5), c.Exponent)
	case c.Kind == Minifloat && math.Abs(v) < c.LeastNormal():
		bound.SetMantExp(exact(c.LeastNormal()), -c.Significand)
	default:
		bound.SetMantExp(bound, -c.Significand)
	}
	if c.Truncates {
		bound.Add(bound, bound)
	}
	if diff.Abs(diff).Cmp(bound) > 0 || diff.Cmp(exact(c.ErrorBound(v))) > 0 {
		t.Fatalf("%s at %d: %g became %g", c.Name, c.Exponent, v, got)
	}
	if c.Truncates && math.Abs(got) > math.Abs(v) {
		t.Fatalf("%s at %d: %g truncated to %g", c.Name, c.Exponent, v, got)
	}
	if got == 0 && v != 0 && c.Kind != Fixed && c.Kind != Minifloat {
		t.Fatalf("%s at %d: %g became 0", c.Name, c.Exponent, v)
	}
	for _, next := range []float64{math.Nextafter(v, math.Inf(1)), v + math.Abs(v)*0x1p-30} {
		if takes(c, next) && decodeOne(c, encodeOne(t, c, next)) < got {
			t.Fatalf("%s at %d: %g became %g, but the larger %g became less", c.Name, c.Exponent, v, got, next)
		}
	}
	if got == 0 {
		return true
	}
	if again := decodeOne(c, encodeOne(t, c, got)); again != got {
		t.Fatalf("%s at %d: %g became %g and then %g", c.Name, c.Exponent, v, got, again)
	}
	return true
}

// FuzzCodec checks any float64 in any format at any scale.
func FuzzCodec(f *testing.F) {
	f.Add(uint64(0x3ff0000000000000), uint8(0), int16(0), false)
	f.Add(math.Float64bits(-1.5), uint8(14), int16(-3), true)
	f.Add(math.Float64bits(0x1p-1074), uint8(3), int16(0), false)
	f.Add(math.Float64bits(math.MaxFloat64), uint8(1), int16(0), false)
	f.Add(math.Float64bits(252), uint8(17), int16(0), false)
	f.Add(math.Float64bits(0x1p55-4), uint8(24), int16(0), true)
	for k, format := range All() {
		if format.Kind == Minifloat { // the ends of the normal and the subnormal numbers
			c := Codec{Format: format}
			_, largest := c.Range()
			for _, v := range []float64{largest, -c.LeastNormal(), c.LeastNormal() * 0.999, c.ErrorBound(0), 3 * c.ErrorBound(0)} {
				f.Add(math.Float64bits(v), uint8(k), int16(0), false)
				f.Add(math.Float64bits(v), uint8(k), int16(0), true)
			}
		}
	}
	formats := All()
	f.Fuzz(func(t *testing.T, bits uint64, which uint8, exponent int16, truncate bool) {
		v := math.Float64frombits(bits)
		c := Codec{Format: formats[int(which)%len(formats)], Exponent: int(exponent) % 1100, Negative: math.Signbit(v)}
		if truncate {
			c.Truncates = true
		}
		if !checkValue(t, c, v) || c.Signed {
			return
		}
		if c.Negative = !c.Negative; takes(c, v) {
			t.Fatalf("%s at %d takes %g with the other sign", c.Name, c.Exponent, v)
		}
	})
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

func BenchmarkCodec(b *testing.B) {
	const n = 4096
	rng := rand.New(rand.NewPCG(5, 6))
	for _, f := range All() {
		name, c := f.Name, Codec{Format: f, Exponent: -20}
		least, largest := c.Range()
		values := make([]float64, n)
		for i := range values {
			values[i] = max(least, min(largest, 1)*rng.Float64()*0.99)
		}
		stored := make([]byte, n*c.Bytes+Padding)
		b.Run("encode/"+name, func(b *testing.B) {
			for b.Loop() {
				if err := c.Encode(stored[:n*c.Bytes], values); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/value")
		})
		b.Run("decode/"+name, func(b *testing.B) {
			for b.Loop() {
				c.Decode(values, stored)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/value")
		})
	}
}
