// Package kernels holds the inner loops on plain slices: in portable Go and,
// where it pays, in assembly. A Set has one of each kind; its methods, and the generic functions
// that take one, call them.
//
// Vector kernels give the same bits with every set and on every machine, the
// payload of a NaN apart. Every product is rounded before it is added: the
// assembly does not fuse the two, and in Go an explicit conversion forbids the
// compiler to do so on machines that could. A sum of n products has a fixed
// order. Its first 16⌊n/16⌋ products go to sixteen accumulators, number k to
// accumulator k mod 16; these are added by halves,
//
//	s_k += s_(k+8) for k < 8,  s_k += s_(k+4) for k < 4,  and so on to s_0;
//
// and s_0 gets the sum of the last n mod 16 products, added one by one.
//
// Slices of one call have the length of the first; callers see to that.
package kernels

import "math"

// group is the number of accumulators of a sum. The kernels of a set work on
// whole groups of elements; what is left is done here.
const group = 16

// vectorKernels are the vector kernels of a set: like the methods of their
// names for a length that is a multiple of group, dot4 and axpy4 for four v.
type vectorKernels struct {
	dot     func(x, y []float64) float64
	dot4    func(v0, v1, v2, v3, w []float64, h *[4]float64)
	axpy    func(a float64, x, y []float64)
	axpy4   func(a0, a1, a2, a3 float64, v0, v1, v2, v3, w []float64)
	axpyDot func(a float64, x, y, z []float64) float64
	xpay    func(x []float64, a float64, y []float64)
	scale   func(a float64, x []float64)
	step    func(a float64, p, x, q, r []float64) float64
	mul     func(a float64, w, x, y []float64)
	relax   func(a float64, w, x, r []float64)
	copy    func(x, y []float64)
	scaleTo func(a float64, x, y []float64)
	add     func(x, y, z []float64)
	triad   func(x []float64, a float64, y, z []float64)
}

// grouped is the part of n elements that is whole groups.
func grouped(n int) int { return n &^ (group - 1) }

// Dot returns x·y.
func (k *Set) Dot(x, y []float64) float64 {
	n := grouped(len(x))
	return k.vector.dot(x[:n], y[:n]) + dotRest(x[n:], y[n:])
}

// MultiDot computes dst[i] = v·w for the elements lo to hi-1 of w and of every
// v = vs[i], with the bits of Dot.
func (k *Set) MultiDot(dst []float64, vs [][]float64, lo, hi int, w []float64) {
	mid := lo + grouped(hi-lo)
	for len(vs) >= 4 {
		v0, v1, v2, v3 := vs[0], vs[1], vs[2], vs[3]
		k.vector.dot4(v0[lo:mid], v1[lo:mid], v2[lo:mid], v3[lo:mid], w[lo:mid], (*[4]float64)(dst))
		dst[0] += dotRest(v0[mid:hi], w[mid:hi])
		dst[1] += dotRest(v1[mid:hi], w[mid:hi])
		dst[2] += dotRest(v2[mid:hi], w[mid:hi])
		dst[3] += dotRest(v3[mid:hi], w[mid:hi])
		dst, vs = dst[4:], vs[4:]
	}
	for i, v := range vs {
		dst[i] = k.Dot(v[lo:hi], w[lo:hi])
	}
}

// Axpy computes y += a x.
func (k *Set) Axpy(a float64, x, y []float64) {
	n := grouped(len(x))
	k.vector.axpy(a, x[:n], y[:n])
	axpy(a, x[n:], y[n:])
}

// MultiAxpy computes w += sum of a[i] vs[i] for the elements lo to hi-1, with
// the bits of an Axpy for each i in turn.
func MultiAxpy[F ~float64](k *Set, a []F, vs [][]float64, lo, hi int, w []float64) {
	mid := lo + grouped(hi-lo)
	for len(vs) >= 4 {
		a0, a1, a2, a3 := float64(a[0]), float64(a[1]), float64(a[2]), float64(a[3])
		v0, v1, v2, v3 := vs[0], vs[1], vs[2], vs[3]
		k.vector.axpy4(a0, a1, a2, a3, v0[lo:mid], v1[lo:mid], v2[lo:mid], v3[lo:mid], w[lo:mid])
		axpy4(a0, a1, a2, a3, v0[mid:hi], v1[mid:hi], v2[mid:hi], v3[mid:hi], w[mid:hi])
		a, vs = a[4:], vs[4:]
	}
	for i, v := range vs {
		k.Axpy(float64(a[i]), v[lo:hi], w[lo:hi])
	}
}

// AxpyDot computes y += a x and returns y·z, z being any vector, y included.
func (k *Set) AxpyDot(a float64, x, y, z []float64) float64 {
	n := grouped(len(x))
	s := k.vector.axpyDot(a, x[:n], y[:n], z[:n])
	axpy(a, x[n:], y[n:])
	return s + dotRest(y[n:], z[n:])
}

// Xpay computes y = x + a y.
func (k *Set) Xpay(x []float64, a float64, y []float64) {
	n := grouped(len(x))
	k.vector.xpay(x[:n], a, y[:n])
	xpay(x[n:], a, y[n:])
}

// Scale computes x *= a.
func (k *Set) Scale(a float64, x []float64) {
	n := grouped(len(x))
	k.vector.scale(a, x[:n])
	scale(a, x[n:])
}

// Step computes x += a p and r -= a q and returns r·r: the update of conjugate
// gradients in one pass over four vectors.
func (k *Set) Step(a float64, p, x, q, r []float64) float64 {
	n := grouped(len(p))
	s := k.vector.step(a, p[:n], x[:n], q[:n], r[:n])
	axpy(a, p[n:], x[n:])
	axpy(-a, q[n:], r[n:])
	return s + dotRest(r[n:], r[n:])
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

// Mul computes y = a w∘x, elementwise: the first step of a stationary iteration,
// from zero.
func (k *Set) Mul(a float64, w, x, y []float64) {
	n := grouped(len(w))
	k.vector.mul(a, w[:n], x[:n], y[:n])
	mul(a, w[n:], x[n:], y[n:])
}

// Relax computes r = x + a w∘r, elementwise: a step of a stationary iteration from
// x whose residual is r.
func (k *Set) Relax(a float64, w, x, r []float64) {
	n := grouped(len(w))
	k.vector.relax(a, w[:n], x[:n], r[:n])
	relax(a, w[n:], x[n:], r[n:])
}

// Copy computes y = x.
func (k *Set) Copy(x, y []float64) {
	n := grouped(len(x))
	k.vector.copy(x[:n], y[:n])
	copyTo(x[n:], y[n:])
}

// ScaleTo computes y = a x.
func (k *Set) ScaleTo(a float64, x, y []float64) {
	n := grouped(len(x))
	k.vector.scaleTo(a, x[:n], y[:n])
	scaleTo(a, x[n:], y[n:])
}

// Add computes z = x + y.
func (k *Set) Add(x, y, z []float64) {
	n := grouped(len(x))
	k.vector.add(x[:n], y[:n], z[:n])
	add(x[n:], y[n:], z[n:])
}

// Triad computes z = x + a y.
func (k *Set) Triad(x []float64, a float64, y, z []float64) {
	n := grouped(len(x))
	k.vector.triad(x[:n], a, y[:n], z[:n])
	triad(x[n:], a, y[n:], z[n:])
}
