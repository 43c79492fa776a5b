package kernels

import "github.com/mpsolve/mpsolve/internal/dd"

// ddVectorKernels are the kernels of a set for double-double vectors: like the methods of the same names, for the
// first n elements, a multiple of group; dot2 and axpy2 are for two v. A dot leaves its sum as ddAccumulate does, not
// renormalised.
type ddVectorKernels struct {
	dot     func(x, y *ddVec, n int, sum *ddNum)
	dot2    func(v *[2]ddVec, w *ddVec, n int, sums *[2]ddNum)
	axpy    func(a *ddNum, x, y *ddVec, n int)
	axpy2   func(a *[2]ddNum, v *[2]ddVec, w *ddVec, n int)
	axpyDot func(a *ddNum, x, y, z *ddVec, n int, sum *ddNum)
	xpay    func(x *ddVec, a *ddNum, y *ddVec, n int)
	scale   func(a *ddNum, x *ddVec, n int)
	step    func(a *ddNum, p, x, q, r *ddVec, n int, sum *ddNum)
}

// DotDD returns x·y, added in double-double in the order of Dot; the last n mod 16 products are added one by one.
// With u = 2^-53, m = n/16 + 20 and vectors of renormalised numbers the error is at most
//
//	(m + 1)(m + 6) u^2 sum |x_i y_i|
//
// and one rounding to double-double: each step of an accumulator omits x.Lo y.Lo and rounds its low part, a sum of at
// most m terms of 4 u |x_i y_i| and of the errors of the high parts (Dot2 of [OgitaRO05], with terms of two parts).
func (k *Set) DotDD(x, y dd.Vec) dd.DD {
	n := grouped(x.Len())
	var s dd.DD
	k.vectorDD.dot(hide(&x), hide(&y), n, hide(&s))
	return ddSum(addDotDD(s, x, y, n))
}

// MultiDotDD computes dst[i] = v·w for the elements lo to hi-1 of w and of every v = vs[i], with the bits of DotDD.
func (k *Set) MultiDotDD(dst []dd.DD, vs []dd.Vec, lo, hi int, w dd.Vec) {
	w = w.Slice(lo, hi)
	n := grouped(w.Len())
	for len(vs) >= 2 {
		v := [2]dd.Vec{vs[0].Slice(lo, hi), vs[1].Slice(lo, hi)}
		var s [2]dd.DD
		k.vectorDD.dot2(hide(&v), hide(&w), n, hide(&s))
		for i := range s {
			dst[i] = ddSum(addDotDD(s[i], v[i], w, n))
		}
		dst, vs = dst[2:], vs[2:]
	}
	for i, v := range vs {
		dst[i] = k.DotDD(v.Slice(lo, hi), w)
	}
}

// MultiAxpyDD computes w += sum of a[i] vs[i] for the elements lo to hi-1, with the bits of an AxpyDD for each i in turn.
func (k *Set) MultiAxpyDD(a []dd.DD, vs []dd.Vec, lo, hi int, w dd.Vec) {
	w = w.Slice(lo, hi)
	n := grouped(w.Len())
	for len(vs) >= 2 {
		v := [2]dd.Vec{vs[0].Slice(lo, hi), vs[1].Slice(lo, hi)}
		k.vectorDD.axpy2((*[2]dd.DD)(hidden(a)), hide(&v), hide(&w), n)
		for i := range v {
			axpyRestDD(a[i], v[i], w, n)
		}
		a, vs = a[2:], vs[2:]
	}
	for i, v := range vs {
		k.AxpyDD(a[i], v.Slice(lo, hi), w)
	}
}

// AxpyDD computes y += a x. An element has an error of at most 3 u^2 |y_i| + 14 u^2 |a x_i|, with u = 2^-53, and
// terms of u^3: the error of the product, and the error of an addition by algorithm 5 of [Joldes17], whose bound is
// relative to its terms and not to the sum.
func (k *Set) AxpyDD(a dd.DD, x, y dd.Vec) {
	n := grouped(x.Len())
	k.vectorDD.axpy(hide(&a), hide(&x), hide(&y), n)
	axpyRestDD(a, x, y, n)
}

// AxpyDotDD computes y += a x and returns y·z, where z is any vector, including y.
func (k *Set) AxpyDotDD(a dd.DD, x, y, z dd.Vec) dd.DD {
	n := grouped(x.Len())
	var s dd.DD
	k.vectorDD.axpyDot(hide(&a), hide(&x), hide(&y), hide(&z), n, hide(&s))
	axpyRestDD(a, x, y, n)
	return ddSum(addDotDD(s, y, z, n))
}

// XpayDD computes y = x + a y, with the error of AxpyDD.
func (k *Set) XpayDD(x dd.Vec, a dd.DD, y dd.Vec) {
	n := grouped(x.Len())
	k.vectorDD.xpay(hide(&x), hide(&a), hide(&y), n)
	for i := n; i < x.Len(); i++ {
		y.Set(i, mulAddDD(x.At(i), a, y.At(i)))
	}
}

// ScaleDD computes x *= a, with an error of at most 6 u^2 |a x_i| per element.
func (k *Set) ScaleDD(a dd.DD, x dd.Vec) {
	n := grouped(x.Len())
	k.vectorDD.scale(hide(&a), hide(&x), n)
	for i := n; i < x.Len(); i++ {
		x.Set(i, ddRenormalise(ddProd(a, x.At(i))))
	}
}

// StepDD computes x += a p and r -= a q and returns r·r.
func (k *Set) StepDD(a dd.DD, p, x, q, r dd.Vec) dd.DD {
	n := grouped(p.Len())
	var s dd.DD
	k.vectorDD.step(hide(&a), hide(&p), hide(&x), hide(&q), hide(&r), n, hide(&s))
	axpyRestDD(a, p, x, n)
	axpyRestDD(a.Neg(), q, r, n)
	return ddSum(addDotDD(s, r, r, n))
}

// portableVectorDD holds the kernels of plain Go, which the others must equal bit for bit.
var portableVectorDD = ddVectorKernels{
	dot: dotDD, dot2: dot2DD, axpy: axpyDD, axpy2: axpy2DD,
	axpyDot: axpyDotDD, xpay: xpayDD, scale: scaleDD, step: stepDD,
}

// mulAddDD returns y + a x.
func mulAddDD(y, a, x dd.DD) dd.DD { return ddRenormalise(ddAccumulate(y, ddProd(a, x))) }

// ddSum returns the result of ddAccumulate as a number: cancellation may have left Lo larger than Hi.
func ddSum(s dd.DD) dd.DD {
	hi, lo := dd.TwoSum(s.Hi, s.Lo)
	return dd.DD{Hi: hi, Lo: lo}
}

// addDotDD adds the products from element n on to s, one by one, for the elements beyond whole groups.
func addDotDD(s dd.DD, x, y dd.Vec, n int) dd.DD {
	for i := n; i < x.Len(); i++ {
		s = ddAccumulate(s, ddProd(x.At(i), y.At(i)))
	}
	return s
}

// axpyRestDD is AxpyDD from element n on.
func axpyRestDD(a dd.DD, x, y dd.Vec, n int) {
	for i := n; i < x.Len(); i++ {
		y.Set(i, mulAddDD(y.At(i), a, x.At(i)))
	}
}

func dotDD(x, y *ddVec, n int, sum *ddNum) {
	var s [group]dd.DD
	for i := range n {
		s[i%group] = ddAccumulate(s[i%group], ddProd(x.At(i), y.At(i)))
	}
	for h := group / 2; h > 0; h /= 2 {
		for k := range h {
			s[k] = ddAccumulate(s[k], s[k+h])
		}
	}
	*sum = s[0]
}

func axpyDD(a *ddNum, x, y *ddVec, n int) { axpyRestDD(*a, x.Slice(0, n), y.Slice(0, n), 0) }

func dot2DD(v *[2]ddVec, w *ddVec, n int, sums *[2]ddNum) {
	for i := range v {
		dotDD(&v[i], w, n, &sums[i])
	}
}

func axpy2DD(a *[2]ddNum, v *[2]ddVec, w *ddVec, n int) {
	for i := range v {
		axpyDD(&a[i], &v[i], w, n)
	}
}

func axpyDotDD(a *ddNum, x, y, z *ddVec, n int, sum *ddNum) {
	axpyDD(a, x, y, n)
	dotDD(y, z, n, sum)
}

func xpayDD(x *ddVec, a *ddNum, y *ddVec, n int) {
	for i := range n {
		y.Set(i, mulAddDD(x.At(i), *a, y.At(i)))
	}
}

func scaleDD(a *ddNum, x *ddVec, n int) {
	for i := range n {
		x.Set(i, ddRenormalise(ddProd(*a, x.At(i))))
	}
}

func stepDD(a *ddNum, p, x, q, r *ddVec, n int, sum *ddNum) {
	minus := a.Neg()
	axpyDD(a, p, x, n)
	axpyDD(&minus, q, r, n)
	dotDD(r, r, n, sum)
}
