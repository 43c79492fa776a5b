package mp

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// base returns the base of n moduli.
func base(t testing.TB, n int) *ResidueBase {
	t.Helper()
	b, err := NewResidueBase(n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// randomFloat returns a number of so many bits with an exponent of up to spread, randomly negative or zero.
func randomFloat(rng *rand.Rand, bits, spread int) *big.Float {
	m := new(big.Int)
	for range (bits + 63) / 64 {
		m.Lsh(m, 64).Or(m, new(big.Int).SetUint64(rng.Uint64()))
	}
	m.Rsh(m, uint((bits+63)/64*64-bits))
	if rng.IntN(2) == 0 {
		m.Neg(m)
	}
	if rng.IntN(50) == 0 {
		m.SetInt64(0)
	}
	f := new(big.Float).SetPrec(uint(max(bits, 64))).SetInt(m)
	return f.SetMantExp(f, rng.IntN(2*spread+1)-spread)
}

// TestPublishedBase: the base of 32 moduli is the paper's up to moduli of 28 bits: 32 primes below 10^8 give M of 851
// bits and 424 bits of precision.
func TestPublishedBase(t *testing.T) {
	published := newBase(primesBelow(100_000_000, 32))
	if p := published.Precision(); published.m.BitLen() != 851 || p != 424 {
		t.Errorf("M has %d bits and p = %d, want 851 and 424", published.m.BitLen(), p)
	}
	for bits, moduli := range map[int]int{106: 8, 212: 16, 424: 31, 848: 61, 1696: 122} {
		b, err := ResidueBaseFor(bits)
		if err != nil || b.Precision() < bits || b.Moduli() != moduli {
			t.Errorf("%d bits: %d moduli, precision %d, %v", bits, b.Moduli(), b.Precision(), err)
		}
	}
	for _, n := range []int{1, MaxModuli + 1} {
		if _, err := NewResidueBase(n); err == nil {
			t.Errorf("a base of %d moduli", n)
		}
	}
}

// The relative error of results is less than 4/sqrt(M), eq. (6), for any exponents and for cancelling numbers; the
// interval evaluation contains X/M.
func TestArithmetic(t *testing.T) {
	for _, n := range []int{2, 3, 8, 16, 32, 61} {
		b := base(t, n)
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		u, p := b.UnitRoundoff(), b.Precision()
		for k := range 3000 {
			spread := []int{0, 5, p, 3 * p}[k%4]
			fx, fy := randomFloat(rng, 1+rng.IntN(p+1), spread), randomFloat(rng, 1+rng.IntN(p+1), spread)
			x, y := b.NewNumber().Set(fx), b.NewNumber().Set(fy)
			if x.Float().Cmp(fx) != 0 || y.Float().Cmp(fy) != 0 {
				t.Fatalf("%d moduli: %v is not exact: %v", n, fx, x.Float())
			}
			if k%5 == 0 { // y is -x up to its last bits
				y = b.NewNumber().Add(x, b.NewNumber().Set(new(big.Float).SetMantExp(fx, -rng.IntN(p))))
				y.negative = !y.negative
				fy = y.Float()
			}
			check := func(op string, got *ResidueNumber, want *big.Float) {
				t.Helper()
				b.mustHold(t, got)
				d := new(big.Float).Sub(got.Float(), want)
				limit := new(big.Float).Mul(u, want)
				if want.Sign() != got.Sign() || d.Abs(d).Cmp(limit.Abs(limit)) > 0 || want.Sign() != 0 && d.Cmp(limit) == 0 {
					t.Fatalf("%d moduli: %v %s %v = %v, want %v", n, fx, op, fy, got.Float(), want)
				}
			}
			exact := uint(20 * p * 8)
			check("*", b.NewNumber().Mul(x, y), new(big.Float).SetPrec(exact).Mul(fx, fy))
			sum := new(big.Float).SetPrec(exact).Add(fx, fy)
			check("+", b.NewNumber().Add(x, y), sum)
			other := b.NewNumber()
			other.copy(y)
			check("+", other.Add(x, other), sum)
			absolute := new(big.Float).Abs(fx).Cmp(new(big.Float).Abs(fy))
			if got := x.CmpAbs(y); got != absolute {
				t.Fatalf("%d moduli: |%v| and |%v| compare as %d", n, fx, fy, got)
			}
		}
	}
}

// A number is kept as short as it is, so that the product of two numbers of 53 bits is exact and has at most 106
// bits.
func TestShortNumbersAreNotRounded(t *testing.T) {
	b := base(t, 32)
	x := b.NewNumber().Set(big.NewFloat(1.0 / 3))
	if bits := b.Integer(x.digits).BitLen(); bits > 53 {
		t.Errorf("1/3 in float64 has %d bits", bits)
	}
	if bits := b.Integer(b.NewNumber().Mul(x, x).digits).BitLen(); bits > 106 {
		t.Errorf("its square has %d bits", bits)
	}
}

// mustHold checks the invariants of numbers: the size of X, and its bounds, which are narrow and enclose X/M.
func (b *ResidueBase) mustHold(t *testing.T, z *ResidueNumber) {
	t.Helper()
	x := b.Integer(z.digits)
	if x.Sign() < 0 || x.BitLen() > b.precision+1 {
		t.Fatalf("X = %v has more than %d bits", x, b.precision+1)
	}
	if x.Sign() == 0 && z.interval != (interval{}) {
		t.Fatalf("bounds of zero are %v", z.interval)
	}
	f := new(big.Float).SetPrec(200).SetInt(x)
	f.Quo(f, new(big.Float).SetPrec(200).SetInt(b.m))
	of := func(s scaled) *big.Float { return new(big.Float).SetMantExp(big.NewFloat(s.f), s.e) }
	width := new(big.Float).Sub(of(z.up), of(z.lo))
	if f.Cmp(of(z.lo)) < 0 || f.Cmp(of(z.up)) > 0 || width.Cmp(new(big.Float).SetMantExp(f, -10)) > 0 {
		t.Fatalf("X/M = %v is not within %v and %v, or these are far apart", f, of(z.lo), of(z.up))
	}
}

// FuzzIntegers: conversion restores the integer; the residues are compared with math/big's.
func FuzzIntegers(f *testing.F) {
	f.Add(uint8(5), true, []byte{1, 2, 3})
	f.Add(uint8(0), false, []byte{})
	f.Add(uint8(30), true, []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, n uint8, negative bool, bytes []byte) {
		b := base(t, 2+int(n)%40)
		x := new(big.Int).SetBytes(bytes)
		if limit := new(big.Int).Rsh(b.m, 3); x.Cmp(limit) >= 0 { // beyond -M/8 an integer counts as positive: see wrap
			x.Mod(x, limit)
		}
		if negative {
			x.Neg(x)
		}
		r := b.Residues(x)
		for i, q := range b.moduli {
			m := new(big.Int).SetUint64(uint64(q.m))
			if want := new(big.Int).Mod(x, m); want.Uint64() != uint64(r[i]) {
				t.Fatalf("%v modulo %d: %d, want %v", x, q.m, r[i], want)
			}
		}
		if got := b.Integer(r); got.Cmp(x) != 0 {
			t.Fatalf("%v came back as %v", x, got)
		}
		v, below := b.evaluate(r)
		if below != (x.Sign() < 0) || (v.up.f == 0) != (x.Sign() == 0) {
			t.Fatalf("%v is evaluated as %v, negative: %v", x, v, below)
		}
	})
}
