package rns

import (
	"fmt"
	"math/big"
)

// Number is a floating-point number of MPRES-BLAS, eq. (5) of [Isupov20]: (-1)^s X 2^e, with X < 2^(p+1) by its
// residues and its interval evaluation, where p is the precision of the base.
type Number struct {
	base     *Base
	negative bool
	exp      int
	digits   []uint32 // X modulo the moduli
	interval
}

// NewNumber returns zero.
func (b *Base) NewNumber() *Number { return &Number{base: b, digits: make([]uint32, len(b.moduli))} }

// Set sets z to x, whose significand is truncated to p+1 bits, and returns z. x must be finite.
func (z *Number) Set(x *big.Float) *Number {
	if x.IsInf() {
		panic(fmt.Sprintf("rns: %v has no residues", x))
	}
	m, e := fixed(x, z.base.precision+1)
	z.negative, z.exp = m.Sign() < 0, e
	z.base.converter().residues(z.digits, m.Abs(m))
	z.interval, _ = z.base.evaluate(z.digits)
	return z
}

// fixed returns m and e with x = m 2^e, where m is truncated to at most so many bits. m is as short as x allows, so
// that products of short numbers need no rounding.
func fixed(x *big.Float, bits int) (m *big.Int, e int) {
	if x.Sign() == 0 {
		return new(big.Int), 0
	}
	bits = min(bits, int(x.MinPrec()))
	f := new(big.Float)
	e = x.MantExp(f) - bits
	m, _ = f.SetMantExp(f, bits).Int(nil)
	return m, e
}

// Float returns z exactly.
func (z *Number) Float() *big.Float {
	x := z.base.Integer(z.digits)
	f := new(big.Float).SetPrec(uint(max(x.BitLen(), 64))).SetInt(x)
	if z.negative {
		f.Neg(f)
	}
	return f.SetMantExp(f, z.exp)
}

// Sign returns -1, 0 or 1.
func (z *Number) Sign() int {
	switch {
	case z.up.f == 0:
		return 0
	case z.negative:
		return -1
	}
	return 1
}

// Bounds returns the bounds of X/M, rounded to float64.
func (z *Number) Bounds() (lo, up float64) { return z.lo.float(), z.up.float() }

// copy sets z = x.
func (z *Number) copy(x *Number) {
	z.negative, z.exp, z.interval = x.negative, x.exp, x.interval
	copy(z.digits, x.digits)
}

// CmpAbs compares |x| and |y| and returns -1, 0 or 1: by the interval evaluations or, if they overlap, by the
// interval evaluation of the difference.
func (x *Number) CmpAbs(y *Number) int {
	d := x.base.NewNumber()
	a := &Number{base: x.base, exp: x.exp, digits: x.digits, interval: x.interval}
	b := &Number{base: x.base, negative: true, exp: y.exp, digits: y.digits, interval: y.interval}
	return d.sum(a, b).Sign()
}
