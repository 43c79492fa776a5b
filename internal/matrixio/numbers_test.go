package matrixio

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// An array of all numbers of 16 bits has the values that IEEE 754 gives them.
func TestHalf(t *testing.T) {
	data := appendNPYHeader(nil, "<f2", 1<<16)
	for b := range 1 << 16 {
		data = binary.LittleEndian.AppendUint16(data, uint16(b))
	}
	c, err := matrixmarket.Read(t.Context(), bytes.NewReader(data), "half.npy", matrixmarket.Options{Other: Recognise})
	if err != nil {
		t.Fatal(err)
	}
	for b, got := range c.Dense {
		e, m := b>>10&31, float64(b&1023)
		want := math.Ldexp(1024+m, e-25)
		switch {
		case e == 0:
			want = math.Ldexp(m, -24)
		case e == 31 && m == 0:
			want = math.Inf(1)
		case e == 31:
			want = math.NaN()
		}
		if b >= 1<<15 {
			want = -want
		}
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) || math.Signbit(got) != (b >= 1<<15) {
			t.Errorf("%#x: %g, want %g", b, got, want)
		}
	}
}
