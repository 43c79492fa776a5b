package krylov

import (
	"context"
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// bicg is the bi-conjugate gradient method for general A ([Fletcher76]; [Saad03], algorithm
// 7.3), which makes residuals r and directions p bi-orthogonal to shadows r~ and p~ of
// the system with the transposed matrix:
//
//	alpha = r·r~ / Bp·p~
//	x    += alpha M^-1 p
//	r    -= alpha B p
//	r~   -= alpha B^T p~
//	beta  = r·r~ / previous r·r~
//	p     = r + beta p,  p~ = r~ + beta p~
//
// with B = A M^-1, A without a preconditioner. The first shadow is M^-T r, with which the
// method is conjugate gradients where A and M are symmetric.
//
// A is a [linop.Transposer], and the preconditioner a [TransposedPreconditioner]; Solve panics if they
// are not. A product with A and one with its transpose per iteration, and one to confirm that it
// has converged. Memory: 5 n-vectors besides x and b, and one more for the preconditioner. When r becomes
// orthogonal to its shadow the iteration restarts. Traffic per iteration besides A:
// reads 15, writes 5 n-vectors. On an asynchronous space it waits for scalars in every iteration.
type bicg[V any, S linop.Scalar[S]] struct {
	driver[V, S]
	s, p, sp, q      V // s = r~, sp = p~, q = B p, then A^T p~
	rho, alpha, next S // rho = r·r~, next = r·r~ after a step
}

// newBiCG returns the method with its work vectors in space.
func newBiCG[V any, S linop.Scalar[S]](space linop.Space[V, S]) Method[V, S] {
	return &bicg[V, S]{
		driver: newDriver(space, deferral[V, S]{}),
		s:      space.New(), p: space.New(), sp: space.New(), q: space.New(),
	}
}

// Name returns "bicg".
func (*bicg[V, S]) Name() string { return "bicg" }

// Solve implements Method.
func (m *bicg[V, S]) Solve(ctx context.Context, a linop.Operator[V, S], x, b V, opt Options[V]) Result {
	return m.solve(ctx, m, a, x, b, opt, stagnationWindow(m.space.Dim()), maxRestarts)
}

func (m *bicg[V, S]) start() Reason {
	m.space.Copy(m.p, m.r)
	m.space.Copy(m.s, m.pre.applyT(0, m.r))
	m.space.Copy(m.sp, m.s)
	m.rho = m.space.Dot(m.r, m.s)
	return m.nonzero(m.rho)
}

func (m *bicg[V, S]) step() (s scalars[S], reason Reason) {
	z := m.pre.apply(0, m.p)
	pq := m.a.ApplyDot(m.q, z, m.sp)
	if reason := m.nonzero(pq); reason != Running {
		return s, reason
	}
	m.alpha = m.rho.Div(pq)
	s.rr = m.space.Step(m.alpha, z, m.x, m.q, m.r)
	m.applyT(m.q, m.sp)
	m.next = m.space.AxpyDot(m.alpha.Neg(), m.pre.applyT(0, m.q), m.s, m.r)
	s.rho, s.omega = m.next, m.space.Dot(m.s, m.s)
	return s, Running
}

func (m *bicg[V, S]) check(s scalars[S], rnorm float64) Reason {
	if math.Abs(s.rho.Float()) <= orthogonal(m.space.Roundoff())*rnorm*norm(s.omega) {
		return again
	}
	return Running
}

func (m *bicg[V, S]) direction() Reason {
	beta := m.next.Div(m.rho)
	m.space.Xpay(m.r, beta, m.p)
	m.space.Xpay(m.s, beta, m.sp)
	m.rho = m.next
	return Running
}

func (m *bicg[V, S]) keeps(bool) kept[V, S] {
	return kept[V, S]{
		vectors: []V{m.x, m.r, m.s, m.p, m.sp}, scalars: []*S{&m.rho}, counts: []*int{&m.restarts},
	}
}
