// Package dd is double-double arithmetic: a number is the unevaluated sum of two float64, with about 106 bits of
// significand and the exponent range of float64.
//
// The error-free transformations are those of Dekker and Knuth:
//
//	TwoSum(a, b):  s = fl(a+b), e with s + e = a + b exactly
//	TwoProd(a, b): p = fl(ab),  e = fma(a, b, -p), p + e = ab exactly
//
// The operations have a relative error of a few 2^-104 (see [Joldes17] in reproduce/records/BIBLIOGRAPHY.md) as long
// as nothing over- or underflows. The error e of TwoProd underflows long before p does: it is exact for |ab| >=
// 2^-968, while a product near 2^-1040 keeps 34 bits in place of 106.
package dd

import "math"

// DD is the number Hi + Lo with |Lo| at most half an ulp of Hi.
type DD struct{ Hi, Lo float64 }

// From returns x exactly.
func From(x float64) DD { return DD{Hi: x} }

// TwoSum returns s = fl(a+b) and the exact error e.
func TwoSum(a, b float64) (s, e float64) {
	s = a + b
	bb := s - a
	return s, (a - (s - bb)) + (b - bb)
}

// TwoProd returns p = fl(ab) and the exact error e. The conversion keeps p
// rounded: without it, the compiler may fuse the product with a later sum.
func TwoProd(a, b float64) (p, e float64) {
	p = float64(a * b)
	return p, math.FMA(a, b, -p)
}

// FastTwoSum returns a + b for |a| >= |b|.
func FastTwoSum(a, b float64) DD {
	s := a + b
	return DD{s, b - (s - a)}
}

// Add returns x + y.
func (x DD) Add(y DD) DD {
	s, e := TwoSum(x.Hi, y.Hi)
	t, f := TwoSum(x.Lo, y.Lo)
	v := FastTwoSum(s, e+t)
	return FastTwoSum(v.Hi, v.Lo+f)
}

// Sub returns x - y.
func (x DD) Sub(y DD) DD { return x.Add(y.Neg()) }

// Neg returns -x.
func (x DD) Neg() DD { return DD{-x.Hi, -x.Lo} }

// Mul returns x y.
func (x DD) Mul(y DD) DD {
	p, e := TwoProd(x.Hi, y.Hi)
	e = math.FMA(x.Hi, y.Lo, math.FMA(x.Lo, y.Hi, e))
	return FastTwoSum(p, e)
}

// Div returns x / y, by two corrections of the float64 quotient.
func (x DD) Div(y DD) DD {
	q1 := x.Hi / y.Hi
	r := x.Sub(y.Mul(From(q1)))
	q2 := r.Hi / y.Hi
	r = r.Sub(y.Mul(From(q2)))
	q3 := r.Hi / y.Hi
	return FastTwoSum(q1, q2).Add(From(q3))
}

// Sqrt returns the square root of x, by one Newton step from the float64 root.
func (x DD) Sqrt() DD {
	if x.Hi <= 0 {
		return From(math.Sqrt(x.Hi))
	}
	s := From(math.Sqrt(x.Hi))
	return s.Add(From(x.Sub(s.Mul(s)).Hi / (2 * s.Hi)))
}

// Float returns x rounded to float64.
func (x DD) Float() float64 { return x.Hi + x.Lo }

// AddProd returns x + a b, the step of an inner product of float64 vectors.
func (x DD) AddProd(a, b float64) DD {
	p, e := TwoProd(a, b)
	s, f := TwoSum(x.Hi, p)
	return FastTwoSum(s, x.Lo+(e+f))
}

// Vec is a vector of double-double numbers in two arrays of the same length: Hi is the vector rounded to float64.
type Vec struct{ Hi, Lo []float64 }

// NewVec returns a zero vector of n elements.
func NewVec(n int) Vec {
	// A unique address, even without elements.
	both := make([]float64, 2*n, max(2*n, 1))
	return Vec{Hi: both[:n:n], Lo: both[n:]}
}

// VecOf returns a copy of x as a vector.
func VecOf(x []float64) Vec {
	v := NewVec(len(x))
	copy(v.Hi, x)
	return v
}

// Len returns the number of elements.
func (v Vec) Len() int { return len(v.Hi) }

// At returns element i.
func (v Vec) At(i int) DD { return DD{Hi: v.Hi[i], Lo: v.Lo[i]} }

// Set sets element i to a.
func (v Vec) Set(i int, a DD) { v.Hi[i], v.Lo[i] = a.Hi, a.Lo }

// Slice returns the elements lo to hi-1 without copying them.
func (v Vec) Slice(lo, hi int) Vec { return Vec{Hi: v.Hi[lo:hi], Lo: v.Lo[lo:hi]} }

// Clear sets all elements to 0.
func (v Vec) Clear() {
	clear(v.Hi)
	clear(v.Lo)
}
