package gcnemu

import (
	"math"
	"math/rand/v2"
	"testing"
)

// divided is c / b as LLVM writes a division of FP64.
func divided(c, b uint64) uint64 {
	const sign = 1 << 63
	one := d(1)
	den := divideScale(b, b, c)
	r := rough(1 / of(den))
	r = fma(r, fma(den^sign, r, one), r)
	r = fma(r, fma(den^sign, r, one), r)
	num := divideScale(c, b, c)
	q := bitsOf(of(num) * of(r))
	rest := fma(den^sign, q, num)
	if divideScaled(c, b, c) == 1 {
		q = divideFMA(rest, r, q)
	} else {
		q = fma(rest, r, q)
	}
	return divideFixup(q, b, c)
}

// Divisions round correctly although reciprocals are wrong in 30 bits, but for what doc.go says.
func TestDivision(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	special := []float64{0, 1, -1, 3, 0x1p-1074, 0x1p-1050, 0x1p-1022, 0x1p-1000, 0x1p1000, math.MaxFloat64, math.Inf(1), math.NaN(), 1 / 3., 0x1p52, 2 - 0x1p-52}
	pick := func() float64 {
		switch random.IntN(4) {
		case 0:
			return special[random.IntN(len(special))]
		case 1:
			return math.Float64frombits(random.Uint64())
		}
		return (1 + random.Float64()) * math.Ldexp(1, random.IntN(100)-50)
	}
	const fraction = 1<<52 - 1
	for range 100_000 {
		c, b := pick(), pick()
		got, want := of(divided(bitsOf(c), bitsOf(b))), c/b
		known := bitsOf(b)&fraction == fraction && bitsOf(c)&fraction == 0 && math.Abs(got) == math.Nextafter(math.Abs(want), 0)
		if bitsOf(got) != bitsOf(want) && !(got != got && want != want) && !known {
			t.Fatalf("%x / %x is %x, want %x", c, b, got, want)
		}
	}
	if v := of(rough(1. / 3)); v == 1./3 || math.Abs(v*3-1) > 0x1p-22 {
		t.Errorf("1/3 is about %x", v)
	}
	if v := math.Float32frombits(uint32(rough32(1. / 3))); math.Abs(float64(v)*3-1) > 0x1p-22 {
		t.Errorf("1/3 is about %x in FP32", v)
	}
}
