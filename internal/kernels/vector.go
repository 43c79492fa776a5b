// Package kernels holds the inner loops on plain slices: in portable Go and, where it pays, in assembly. A Set has
// one kernel of each kind; its methods, and the generic functions that take a Set, call them.
//
// Vector kernels give the same bits with every set and on every machine, except for the payload of a NaN. Every
// product is rounded before it is added: the assembly does not fuse the two, and in Go an explicit conversion forbids
// the compiler to do so. A sum of n products has a fixed order. Its first 16⌊n/16⌋ products go to sixteen
// accumulators, number k to accumulator k mod 16; these are added by halves,
//
//	s_k += s_(k+8) for k < 8,  s_k += s_(k+4) for k < 4,  and so on to s_0;
//
// and the sum of the last n mod 16 products, added one by one, is added to s_0.
//
// All slices of a call have the length of the first; callers guarantee that.
package kernels

import (
	"math"
)

// group is the number of accumulators of a sum. The kernels of a set work on whole groups of elements; the methods do
// the rest.
const group = 16

// vectorKernels are the vector kernels of a set: like the methods of the same names for a length that is a multiple
// of group, dot4 and axpy4 for four v.
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

// grouped returns the number of the n elements that form whole groups.
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

// MultiAxpy computes w += sum of a[i] vs[i] for the elements lo to hi-1, with the bits of an Axpy for each i in turn.
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

// AxpyDot computes y += a x and returns y·z, where z is any vector, including y.
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

// AbsMax returns max |x_i|: NaN if any element is NaN, 0 if there are no elements.
func AbsMax(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		v = math.Abs(v)
		if !(v <= m) { // a NaN stays
			m = v
			if v != v {
				return v
			}
		}
	}
	return m
}

// Mul computes y = a w∘x, elementwise: the first step of a stationary iteration from zero.
func (k *Set) Mul(a float64, w, x, y []float64) {
	n := grouped(len(w))
	k.vector.mul(a, w[:n], x[:n], y[:n])
	mul(a, w[n:], x[n:], y[n:])
}

// Relax computes r = x + a w∘r, elementwise: a step of a stationary iteration from x with residual r.
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

// portableVector holds the kernels of plain Go, which the others must equal bit for bit.
var portableVector = vectorKernels{
	dot: dot, dot4: dot4, axpy: axpy, axpy4: axpy4,
	axpyDot: axpyDot, xpay: xpay, scale: scale, step: step,
	mul: mul, relax: relax,
	copy: copyTo, scaleTo: scaleTo, add: add, triad: triad,
}

// dot has half of its accumulators in variables and half in memory: sixteen variables exceed the registers, and the
// compiler then keeps fewer in them.
func dot(x, y []float64) float64 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	var t [group / 2]float64
	for len(x) >= group && len(y) >= group {
		a, b := (*[group]float64)(x), (*[group]float64)(y)
		s0 += float64(a[0] * b[0])
		s1 += float64(a[1] * b[1])
		s2 += float64(a[2] * b[2])
		s3 += float64(a[3] * b[3])
		s4 += float64(a[4] * b[4])
		s5 += float64(a[5] * b[5])
		s6 += float64(a[6] * b[6])
		s7 += float64(a[7] * b[7])
		t[0] += float64(a[8] * b[8])
		t[1] += float64(a[9] * b[9])
		t[2] += float64(a[10] * b[10])
		t[3] += float64(a[11] * b[11])
		t[4] += float64(a[12] * b[12])
		t[5] += float64(a[13] * b[13])
		t[6] += float64(a[14] * b[14])
		t[7] += float64(a[15] * b[15])
		x, y = x[group:], y[group:]
	}
	s0 = (s0 + t[0]) + (s4 + t[4])
	s1 = (s1 + t[1]) + (s5 + t[5])
	s2 = (s2 + t[2]) + (s6 + t[6])
	s3 = (s3 + t[3]) + (s7 + t[7])
	return (s0 + s2) + (s1 + s3)
}

// dotRest returns x·y, added one by one, for the elements beyond whole groups.
func dotRest(x, y []float64) (s float64) {
	y = y[:len(x)]
	for i, v := range x {
		s += float64(v * y[i])
	}
	return s
}

func dot4(v0, v1, v2, v3, w []float64, h *[4]float64) {
	h[0], h[1], h[2], h[3] = dot(v0, w), dot(v1, w), dot(v2, w), dot(v3, w)
}

func axpy(a float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += float64(a * v)
	}
}

func axpy4(a0, a1, a2, a3 float64, v0, v1, v2, v3, w []float64) {
	v0, v1, v2, v3 = v0[:len(w)], v1[:len(w)], v2[:len(w)], v3[:len(w)]
	for i, s := range w {
		s += float64(a0 * v0[i])
		s += float64(a1 * v1[i])
		s += float64(a2 * v2[i])
		s += float64(a3 * v3[i])
		w[i] = s
	}
}

func axpyDot(a float64, x, y, z []float64) float64 {
	axpy(a, x, y)
	return dot(y, z)
}

func xpay(x []float64, a float64, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] = v + float64(a*y[i])
	}
}

func scale(a float64, x []float64) {
	for i := range x {
		x[i] *= a
	}
}

func step(a float64, p, x, q, r []float64) float64 {
	axpy(a, p, x)
	axpy(-a, q, r)
	return dot(r, r)
}

func mul(a float64, w, x, y []float64) {
	x, y = x[:len(w)], y[:len(w)]
	for i, v := range w {
		y[i] = a * float64(v*x[i])
	}
}

func relax(a float64, w, x, r []float64) {
	x, r = x[:len(w)], r[:len(w)]
	for i, v := range w {
		r[i] = x[i] + float64(a*float64(v*r[i]))
	}
}

func copyTo(x, y []float64) { copy(y[:len(x)], x) }

func scaleTo(a float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] = a * v
	}
}

func add(x, y, z []float64) {
	y, z = y[:len(x)], z[:len(x)]
	for i, v := range x {
		z[i] = v + y[i]
	}
}

func triad(x []float64, a float64, y, z []float64) {
	y, z = y[:len(x)], z[:len(x)]
	for i, v := range x {
		z[i] = v + float64(a*y[i])
	}
}

// Interleave sets x[k*i+v] to element i of vector v of k = 2, 4 or 8; vectors that are nil are zero.
func Interleave[T float32 | float64](x []T, vectors [][]T) {
	k := len(vectors)
	n := len(x) / k
	for v := 0; v < k; v += 2 {
		a, b := vectors[v], vectors[v+1]
		switch {
		case a == nil:
			for i := range n {
				x[k*i+v], x[k*i+v+1] = 0, 0
			}
		case b == nil:
			for i, e := range a[:n] {
				x[k*i+v], x[k*i+v+1] = e, 0
			}
		default:
			b = b[:n]
			for i, e := range a[:n] {
				to := x[k*i+v:][:2:2]
				to[0], to[1] = e, b[i]
			}
		}
	}
}

// Separate is the inverse of Interleave; vectors that are nil are left out.
func Separate[T float32 | float64](vectors [][]T, x []T) {
	k := len(vectors)
	n := len(x) / k
	for v := 0; v < k; v += 2 {
		a, b := vectors[v], vectors[v+1]
		switch {
		case a == nil:
		case b == nil:
			for i := range a[:n] {
				a[i] = x[k*i+v]
			}
		default:
			b = b[:n]
			for i := range a[:n] {
				from := x[k*i+v:][:2:2]
				a[i], b[i] = from[0], from[1]
			}
		}
	}
}
