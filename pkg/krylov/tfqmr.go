package krylov

import (
	"context"
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// tfqmr is Freund's transpose-free quasi-minimal residual method for general A ([Freund93];
// [Saad03], algorithm 7.8). It takes the directions u of [CGS], two to an
// iteration, and smooths its residuals: for each of them
//
//	w     -= alpha B u
//	d      = M^-1 u + (theta^2 eta / alpha) d
//	theta  = ||w|| / tau
//	tau   *= theta c,  c = (1 + theta^2)^(-1/2)
//	eta    = c^2 alpha
//	x     += eta d
//
// with B = A M^-1, and with a fixed shadow residual s
//
//	alpha = w·s / v·s,  v = B u + beta (B previous u + beta v)
//	beta  = w·s / previous w·s
//
// where the second u of an iteration is u - alpha v and the next first one w + beta u. After the k-th
// direction ||b - A x|| <= (k + 1)^(1/2) tau. Unlike the method as printed, which knows only
// this bound, it updates r along with x, by e = A d: two n-vectors more, for a residual that is
// judged in the same way as the residuals of the other methods.
//
// Two products per iteration, and one to confirm that it has converged. Memory: 8
// n-vectors besides x and b, and one more for M^-1 u. When w becomes orthogonal to s the
// iteration restarts with s = r. Traffic per iteration besides A: reads 34, writes 16
// n-vectors. On an asynchronous space it waits for scalars in every iteration.
type tfqmr[V any, S linop.Scalar[S]] struct {
	driver[V, S]
	s, w, u, v, bu  V // bu = B u
	d, e            V // e = A d
	rho, next       S // w·s before and after a step
	theta, eta, tau S
	snorm           float64
}

// newTFQMR returns the method with its work vectors in space.
func newTFQMR[V any, S linop.Scalar[S]](space linop.Space[V, S]) Method[V, S] {
	return &tfqmr[V, S]{
		driver: newDriver(space, deferral[V, S]{}),
		s:      space.New(), w: space.New(), u: space.New(), v: space.New(), bu: space.New(), d: space.New(), e: space.New(),
	}
}

// Name returns "tfqmr".
func (*tfqmr[V, S]) Name() string { return "tfqmr" }

// Solve implements Method.
func (m *tfqmr[V, S]) Solve(ctx context.Context, a linop.Operator[V, S], x, b V, opt Options[V]) Result {
	return m.solve(ctx, m, a, x, b, opt, stagnationWindow(m.space.Dim()), maxRestarts)
}

func (m *tfqmr[V, S]) start() Reason {
	for _, v := range []V{m.s, m.w, m.u} {
		m.space.Copy(v, m.r)
	}
	for _, v := range []V{m.v, m.d, m.e} {
		m.space.Zero(v)
	}
	m.rho, m.tau, m.snorm = m.rr, m.rr.Sqrt(), norm(m.rr)
	m.theta, m.eta = m.space.Scalar(0), m.space.Scalar(0)
	return Running
}

func (m *tfqmr[V, S]) step() (s scalars[S], reason Reason) {
	z := m.pre.apply(0, m.u)
	m.a.Apply(m.bu, z)
	vs := m.space.AxpyDot(m.space.Scalar(1), m.bu, m.v, m.s)
	if reason := m.nonzero(vs); reason != Running {
		return s, reason
	}
	alpha := m.rho.Div(vs)
	if s.rr = m.half(alpha, z); m.tau.Float() == 0 { // solved, or the next half would divide by it
		s.rho, s.omega = m.tau, m.tau
		return s, Running
	}
	m.space.Axpy(alpha.Neg(), m.v, m.u)
	z = m.pre.apply(0, m.u)
	m.a.Apply(m.bu, z)
	s.rr = m.half(alpha, z)
	m.next = m.space.Dot(m.w, m.s)
	s.rho, s.omega = m.next, m.tau
	return s, Running
}

// half goes along M^-1 u, which is z, and returns r·r.
func (m *tfqmr[V, S]) half(alpha S, z V) (rr S) {
	ww := m.space.AxpyDot(alpha.Neg(), m.bu, m.w, m.w)
	back := m.theta.Mul(m.theta).Mul(m.eta).Div(alpha)
	m.space.Xpay(z, back, m.d)
	m.space.Xpay(m.bu, back, m.e)
	one := m.space.Scalar(1)
	m.theta = ww.Sqrt().Div(m.tau)
	cc := one.Div(one.Add(m.theta.Mul(m.theta)))
	m.tau = m.tau.Mul(m.theta).Mul(cc.Sqrt())
	m.eta = cc.Mul(alpha)
	return m.space.Step(m.eta, m.d, m.x, m.e, m.r)
}

// check starts again where w and s are orthogonal up to rounding, and where rounding keeps r, which the
// directions do not depend on, far above its bound.
func (m *tfqmr[V, S]) check(s scalars[S], rnorm float64) Reason {
	tau := s.omega.Float()
	if math.Abs(s.rho.Float()) <= orthogonal(m.space.Roundoff())*tau*m.snorm || rnorm > offBound*tau {
		return again
	}
	return Running
}

// offBound is more than any (k + 1)^(1/2) in the bound of ||b - A x||.
const offBound = 1e4

func (m *tfqmr[V, S]) direction() Reason {
	beta := m.next.Div(m.rho)
	m.space.Xpay(m.w, beta, m.u)
	m.space.Xpay(m.bu, beta, m.v)
	m.space.Scale(beta, m.v)
	m.rho = m.next
	return Running
}

func (m *tfqmr[V, S]) keeps(bool) kept[V, S] {
	return kept[V, S]{
		vectors: []V{m.x, m.r, m.s, m.w, m.u, m.v, m.d, m.e}, scalars: []*S{&m.rho, &m.theta, &m.eta, &m.tau},
		numbers: []*float64{&m.snorm}, counts: []*int{&m.restarts},
	}
}
