// Package kernels holds the inner loops on plain slices, in portable Go.
//
// Sums use four accumulators, element k going to accumulator k mod 4, added as
// (s0+s1)+(s2+s3): a fixed order, so that the same input gives the same bits
// everywhere. Products that feed a sum are converted explicitly, which forbids
// the compiler to fuse them on machines that could.
//
// Slices of one call have the length of the first; callers see to that.
package kernels

import "math"

// Dot returns x·y.
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	for len(x) >= 4 {
		a, b := x[:4:4], y[:4:4]
		s0 += float64(a[0] * b[0])
		s1 += float64(a[1] * b[1])
		s2 += float64(a[2] * b[2])
		s3 += float64(a[3] * b[3])
		x, y = x[4:], y[4:]
	}
	return tail(x, y, s0, s1, s2, s3)
}

// tail adds the last, at most three, products to the accumulators of a sum.
func tail(x, y []float64, s0, s1, s2, s3 float64) float64 {
	if len(x) > 0 {
		s0 += float64(x[0] * y[0])
	}
	if len(x) > 1 {
		s1 += float64(x[1] * y[1])
	}
	if len(x) > 2 {
		s2 += float64(x[2] * y[2])
	}
	return (s0 + s1) + (s2 + s3)
}

// Axpy computes y += a x.
func Axpy(a float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += float64(a * v)
	}
}

// AxpyDot computes y += a x and returns y·z, z being any vector, y included.
func AxpyDot(a float64, x, y, z []float64) float64 {
	Axpy(a, x, y)
	return Dot(y, z)
}

// Xpay computes y = x + a y.
func Xpay(x []float64, a float64, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] = v + float64(a*y[i])
	}
}

// Scale computes x *= a.
func Scale(a float64, x []float64) {
	for i := range x {
		x[i] *= a
	}
}

// Step computes x += a p and r -= a q and returns r·r: the update of conjugate
// gradients in one pass over four vectors.
func Step(a float64, p, x, q, r []float64) float64 {
	Axpy(a, p, x)
	Axpy(-a, q, r)
	return Dot(r, r)
}

// AbsMax returns max |x_i|, NaN if any element is NaN, 0 for no elements.
func AbsMax(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		v = math.Abs(v)
		if !(v <= m) { // NaN sticks
			m = v
			if v != v {
				return v
			}
		}
	}
	return m
}
