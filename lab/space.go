package lab

import (
	"github.com/mpsolve/mpsolve/pkg/linop"
)

type (
	vector = []float64
	scalar = linop.Float64
)

// space has vectors that are stored in a format: each element is rounded to it when it is written; arithmetic is in
// FP64.
type space struct {
	linop.Host
	stored *narrow // nil: FP64
}

var _ linop.Space[vector, scalar] = space{}

// Scale computes x *= a.
func (s space) Scale(a scalar, x vector) {
	s.Host.Scale(a, x)
	s.stored.round(x)
}

// Axpy computes y += a x.
func (s space) Axpy(a scalar, x, y vector) {
	s.Host.Axpy(a, x, y)
	s.stored.round(y)
}

// Xpay computes y = x + a y.
func (s space) Xpay(x vector, a scalar, y vector) {
	s.Host.Xpay(x, a, y)
	s.stored.round(y)
}

// AxpyDot computes y += a x and returns y·z.
func (s space) AxpyDot(a scalar, x, y, z vector) scalar {
	s.Axpy(a, x, y)
	return s.Dot(y, z)
}

// Step computes x += a p and r -= a q and returns r·r.
func (s space) Step(a scalar, p, x, q, r vector) scalar {
	s.Axpy(a, p, x)
	return s.AxpyDot(-a, q, r, r)
}

// DoubleStep computes x += a p + o t and r -= o q and returns r·r and r·w.
func (s space) DoubleStep(a scalar, p vector, o scalar, t, x, q, r, w vector) (rr, rw scalar) {
	rr, rw = s.Host.DoubleStep(a, p, o, t, x, q, r, w)
	if s.stored == nil {
		return rr, rw
	}
	s.stored.round(x)
	s.stored.round(r)
	return s.Dot(r, r), s.Dot(r, w)
}

// Direction computes p = r + b (p - o q).
func (s space) Direction(r vector, b, o scalar, q, p vector) {
	s.Host.Direction(r, b, o, q, p)
	s.stored.round(p)
}

// MultiAxpy computes w += sum a_k v_k.
func (s space) MultiAxpy(a []scalar, vs []vector, w vector) {
	s.Host.MultiAxpy(a, vs, w)
	s.stored.round(w)
}

// MultiAxpyDot computes w += sum a_k v_k and returns w·w.
func (s space) MultiAxpyDot(a []scalar, vs []vector, w vector) scalar {
	s.MultiAxpy(a, vs, w)
	return s.Dot(w, w)
}

// searchOperator is a matrix whose products are stored as vectors of the space.
type searchOperator struct {
	linop.CSR
	space space
}

var _ linop.Operator[vector, scalar] = searchOperator{}

// Apply computes dst = A src.
func (a searchOperator) Apply(dst, src vector) {
	a.CSR.Apply(dst, src)
	a.space.stored.round(dst)
}

// ApplyDot computes dst = A src and returns dst·w.
func (a searchOperator) ApplyDot(dst, src, w vector) scalar {
	a.Apply(dst, src)
	return a.space.Dot(dst, w)
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (a searchOperator) ApplyDots(dst, src, w vector) (dw, dd scalar) {
	a.Apply(dst, src)
	return a.space.Dot(dst, w), a.space.Dot(dst, dst)
}

// Residual computes r = b - A x.
func (a searchOperator) Residual(r, b, x vector) {
	a.Apply(r, x)
	a.space.Xpay(b, -1, r)
}

// preconditioner stores its results as vectors of the space.
type preconditioner struct {
	made  interface{ Apply(dst, src []float64) }
	space space
}

// Apply computes dst = M^-1 src.
func (p preconditioner) Apply(dst, src vector) {
	p.made.Apply(dst, src)
	p.space.stored.round(dst)
}
