package rns

import "math/big"

// Array is a vector of numbers as MPRES-BLAS stores it: signs, exponents, interval evaluations and digits in separate
// arrays, with the digits of a number together.
type Array struct {
	base     *Base
	negative []bool
	exp      []int
	bounds   []interval
	digits   []uint32
}

// NewArray returns n zeros.
func (b *Base) NewArray(n int) *Array {
	return &Array{
		base: b, negative: make([]bool, n), exp: make([]int, n), bounds: make([]interval, n),
		digits: make([]uint32, n*len(b.moduli)),
	}
}

// ArrayBytes returns the bytes of n numbers.
func (b *Base) ArrayBytes(n int) int64 { return int64(n) * int64(4*len(b.moduli)+1+8+32) }

// Len returns the number of elements.
func (v *Array) Len() int { return len(v.exp) }

// Set sets element i to x, truncated.
func (v *Array) Set(i int, x *big.Float) {
	z := v.at(i)
	v.put(i, z.Set(x))
}

// At returns element i exactly.
func (v *Array) At(i int) *big.Float {
	z := v.at(i)
	return z.Float()
}

// at returns element i, with the digits of v.
func (v *Array) at(i int) *Number {
	n := len(v.base.moduli)
	return &Number{v.base, v.negative[i], v.exp[i], v.digits[i*n : (i+1)*n : (i+1)*n], v.bounds[i]}
}

// put stores everything but the digits of element i.
func (v *Array) put(i int, z *Number) {
	v.negative[i], v.exp[i], v.bounds[i] = z.negative, z.exp, z.interval
}

// Copy sets v = x, of the same length.
func (v *Array) Copy(x *Array) {
	copy(v.negative, x.negative)
	copy(v.exp, x.exp)
	copy(v.bounds, x.bounds)
	copy(v.digits, x.digits)
}

// Dot returns the inner product with y, adding one product after the other.
func (v *Array) Dot(y *Array) *Number {
	s, t := v.base.NewNumber(), v.base.NewNumber()
	for i := range v.exp {
		s.Add(s, t.Mul(v.at(i), y.at(i)))
	}
	return s
}

// AXPY adds a x to v.
func (v *Array) AXPY(a *Number, x *Array) {
	t := v.base.NewNumber()
	for i := range v.exp {
		z := v.at(i)
		v.put(i, z.Add(z, t.Mul(a, x.at(i))))
	}
}
