package mp

import (
	"fmt"
	"math/big"
)

// ResidueNumber is a floating-point number of MPRES-BLAS, eq. (5) of [Isupov20]: (-1)^s X 2^e, with X < 2^(p+1) by its
// residues and its interval evaluation, where p is the precision of the base.
type ResidueNumber struct {
	base     *ResidueBase
	negative bool
	exp      int
	digits   []uint32 // X modulo the moduli
	interval
}

// NewNumber returns zero.
func (b *ResidueBase) NewNumber() *ResidueNumber {
	return &ResidueNumber{base: b, digits: make([]uint32, len(b.moduli))}
}

// Set sets z to x, whose significand is truncated to p+1 bits, and returns z. x must be finite.
func (z *ResidueNumber) Set(x *big.Float) *ResidueNumber {
	if x.IsInf() {
		panic(fmt.Sprintf("mp: %v has no residues", x))
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
func (z *ResidueNumber) Float() *big.Float {
	x := z.base.Integer(z.digits)
	f := new(big.Float).SetPrec(uint(max(x.BitLen(), 64))).SetInt(x)
	if z.negative {
		f.Neg(f)
	}
	return f.SetMantExp(f, z.exp)
}

// Sign returns -1, 0 or 1.
func (z *ResidueNumber) Sign() int {
	switch {
	case z.up.f == 0:
		return 0
	case z.negative:
		return -1
	}
	return 1
}

// Bounds returns the bounds of X/M, rounded to float64.
func (z *ResidueNumber) Bounds() (lo, up float64) { return z.lo.float(), z.up.float() }

// copy sets z = x.
func (z *ResidueNumber) copy(x *ResidueNumber) {
	z.negative, z.exp, z.interval = x.negative, x.exp, x.interval
	copy(z.digits, x.digits)
}

// CmpAbs compares |x| and |y| and returns -1, 0 or 1: by the interval evaluations or, if they overlap, by the
// interval evaluation of the difference.
func (x *ResidueNumber) CmpAbs(y *ResidueNumber) int {
	d := x.base.NewNumber()
	a := &ResidueNumber{base: x.base, exp: x.exp, digits: x.digits, interval: x.interval}
	b := &ResidueNumber{base: x.base, negative: true, exp: y.exp, digits: y.digits, interval: y.interval}
	return d.sum(a, b).Sign()
}

// ResidueArray is a vector of numbers as MPRES-BLAS stores it: signs, exponents, interval evaluations and digits in separate
// arrays, with the digits of a number together.
type ResidueArray struct {
	base     *ResidueBase
	negative []bool
	exp      []int
	bounds   []interval
	digits   []uint32
}

// NewArray returns n zeros.
func (b *ResidueBase) NewArray(n int) *ResidueArray {
	return &ResidueArray{
		base: b, negative: make([]bool, n), exp: make([]int, n), bounds: make([]interval, n),
		digits: make([]uint32, n*len(b.moduli)),
	}
}

// ArrayBytes returns the bytes of n numbers.
func (b *ResidueBase) ArrayBytes(n int) int64 { return int64(n) * int64(4*len(b.moduli)+1+8+32) }

// Len returns the number of elements.
func (v *ResidueArray) Len() int { return len(v.exp) }

// Set sets element i to x, truncated.
func (v *ResidueArray) Set(i int, x *big.Float) {
	z := v.at(i)
	v.put(i, z.Set(x))
}

// At returns element i exactly.
func (v *ResidueArray) At(i int) *big.Float {
	z := v.at(i)
	return z.Float()
}

// at returns element i, with the digits of v.
func (v *ResidueArray) at(i int) *ResidueNumber {
	n := len(v.base.moduli)
	return &ResidueNumber{v.base, v.negative[i], v.exp[i], v.digits[i*n : (i+1)*n : (i+1)*n], v.bounds[i]}
}

// put stores everything but the digits of element i.
func (v *ResidueArray) put(i int, z *ResidueNumber) {
	v.negative[i], v.exp[i], v.bounds[i] = z.negative, z.exp, z.interval
}

// Copy sets v = x, of the same length.
func (v *ResidueArray) Copy(x *ResidueArray) {
	copy(v.negative, x.negative)
	copy(v.exp, x.exp)
	copy(v.bounds, x.bounds)
	copy(v.digits, x.digits)
}

// Dot returns the inner product with y, adding one product after the other.
func (v *ResidueArray) Dot(y *ResidueArray) *ResidueNumber {
	s, t := v.base.NewNumber(), v.base.NewNumber()
	for i := range v.exp {
		s.Add(s, t.Mul(v.at(i), y.at(i)))
	}
	return s
}

// AXPY adds a x to v.
func (v *ResidueArray) AXPY(a *ResidueNumber, x *ResidueArray) {
	t := v.base.NewNumber()
	for i := range v.exp {
		z := v.at(i)
		v.put(i, z.Add(z, t.Mul(a, x.at(i))))
	}
}
