package krylov

import (
	"context"
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// cgs is Sonneveld's conjugate gradient squared method for general A ([Sonneveld89];
// [Saad03], algorithm 7.6), with a fixed shadow residual s:
//
//	alpha = r·s / Bp·s
//	q     = u - alpha Bp
//	x    += alpha M^-1 (u + q)
//	r    -= alpha B (u + q)
//	beta  = r·s / previous r·s
//	u     = r + beta q
//	p     = u + beta (q + beta p)
//
// with B = A M^-1, A without a preconditioner. The polynomial of its residual is the square
// of that of BiCG: where that converges it converges twice as fast, without products with
// the transpose, and where that is erratic it is more so, up to overflow. A flexible preconditioner
// does no harm to r, which belongs to x by its construction.
//
// Two products per iteration, and one to confirm that it has converged. Memory: 6
// n-vectors besides x and b, and one more for M^-1 p and M^-1 (u + q). When r becomes
// orthogonal to s the iteration restarts with s = r. Traffic per iteration besides A: reads
// 19, writes 8 n-vectors. On an asynchronous space it waits for scalars in every iteration.
type cgs[V any, S linop.Scalar[S]] struct {
	driver[V, S]
	s, p, u, q, v    V // v = B p, then B (u + q)
	rho, alpha, next S // rho = r·s, next = r·s after a step
	snorm            float64
}

// newCGS returns the method with its work vectors in space.
func newCGS[V any, S linop.Scalar[S]](space linop.Space[V, S]) Method[V, S] {
	return &cgs[V, S]{
		driver: newDriver(space, deferral[V, S]{}),
		s:      space.New(), p: space.New(), u: space.New(), q: space.New(), v: space.New(),
	}
}

// Name returns "cgs".
func (*cgs[V, S]) Name() string { return "cgs" }

// Solve implements Method.
func (m *cgs[V, S]) Solve(ctx context.Context, a linop.Operator[V, S], x, b V, opt Options[V]) Result {
	return m.solve(ctx, m, a, x, b, opt, stagnationWindow(m.space.Dim()), maxRestarts)
}

func (m *cgs[V, S]) start() Reason {
	m.space.Copy(m.s, m.r)
	m.space.Copy(m.u, m.r)
	m.space.Copy(m.p, m.r)
	m.rho, m.snorm = m.rr, norm(m.rr)
	return Running
}

func (m *cgs[V, S]) step() (s scalars[S], reason Reason) {
	svp := m.a.ApplyDot(m.v, m.pre.apply(0, m.p), m.s)
	if reason := m.nonzero(svp); reason != Running {
		return s, reason
	}
	m.alpha = m.rho.Div(svp)
	m.space.Copy(m.q, m.u)
	m.space.Axpy(m.alpha.Neg(), m.v, m.q)
	m.space.Axpy(m.space.Scalar(1), m.q, m.u)
	z := m.pre.apply(0, m.u)
	m.a.Apply(m.v, z)
	s.rr = m.space.Step(m.alpha, z, m.x, m.v, m.r)
	m.next = m.space.Dot(m.r, m.s)
	s.rho = m.next
	return s, Running
}

func (m *cgs[V, S]) check(s scalars[S], rnorm float64) Reason {
	if math.Abs(s.rho.Float()) <= orthogonal(m.space.Roundoff())*rnorm*m.snorm {
		return again
	}
	return Running
}

func (m *cgs[V, S]) direction() Reason {
	beta := m.next.Div(m.rho)
	m.space.Copy(m.u, m.r)
	m.space.Axpy(beta, m.q, m.u)
	m.space.Xpay(m.q, beta, m.p)
	m.space.Xpay(m.u, beta, m.p)
	m.rho = m.next
	return Running
}

func (m *cgs[V, S]) keeps(bool) kept[V, S] {
	return kept[V, S]{
		vectors: []V{m.x, m.r, m.s, m.p, m.u}, scalars: []*S{&m.rho},
		numbers: []*float64{&m.snorm}, counts: []*int{&m.restarts},
	}
}
