package krylov

import (
	"context"
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// bicgstab implements Method.
type bicgstab[V any, S linop.Scalar[S]] struct {
	driver[V, S]
	s, p, bp, bt            V
	rho, alpha, omega, next S // rho = r·s, next = r·s after a step
	snorm                   float64
}

// maxRestarts bounds the restarts from a shadow residual that became orthogonal, or
// from a residual that was not the true one; a method that needs more makes no
// progress.
const maxRestarts = 20

// NewBiCGStab returns, with its work vectors in space, van der Vorst's stabilised bi-conjugate gradient method for
// general A ([Saad03], algorithm 7.7), with a fixed shadow residual s:
//
//	alpha = r·s / Bp·s
//	t     = r - alpha Bp
//	omega = Bt·t / Bt·Bt
//	x    += M^-1 (alpha p + omega t)
//	r     = t - omega Bt
//	beta  = (r·s / previous r·s) (alpha / omega)
//	p     = r + beta (p - omega Bp)
//
// with B = A M^-1, A without a preconditioner. A flexible one does no harm to r, which
// belongs to x by its construction.
//
// Two products per iteration, and one to confirm that it has converged. Memory: 5
// n-vectors besides x and b (t shares r's), and two more for M^-1 p and M^-1 t. When
// r becomes orthogonal to s the iteration restarts with s = r. Traffic per iteration
// besides A: reads 12, writes 4 n-vectors; besides M, M^-1 t reads one more.
func NewBiCGStab[V any, S linop.Scalar[S]](space linop.Space[V, S]) Method[V, S] {
	return &bicgstab[V, S]{
		driver: newDriver(space, newDeferral(space)),
		s:      space.New(), p: space.New(), bp: space.New(), bt: space.New(),
	}
}

// Name returns "bicgstab".
func (*bicgstab[V, S]) Name() string { return "bicgstab" }

// Solve implements Method.
func (m *bicgstab[V, S]) Solve(ctx context.Context, a linop.Operator[V, S], x, b V, opt Options[V]) Result {
	return m.solve(ctx, m, a, x, b, opt, stagnationWindow(m.space.Dim()), maxRestarts)
}

func (m *bicgstab[V, S]) start() Reason {
	m.space.Copy(m.s, m.r)
	m.space.Copy(m.p, m.r)
	m.rho, m.snorm = m.rr, norm(m.rr)
	return Running
}

func (m *bicgstab[V, S]) step() (s scalars[S], reason Reason) {
	z := m.pre.apply(0, m.p)
	sbp := m.a.ApplyDot(m.bp, z, m.s)
	if reason := m.nonzero(sbp); reason != Running {
		return s, reason
	}
	m.alpha = m.rho.Div(sbp)
	ahead, reason := m.half(z)
	if reason != Running {
		return s, reason
	}
	t := m.r
	zt := m.pre.apply(1, t)
	tbt, btbt := m.a.ApplyDots(m.bt, zt, t)
	if reason := m.nonzero(btbt); reason != Running {
		m.space.Axpy(ahead, z, m.x)
		return s, reason
	}
	m.omega = tbt.Div(btbt)
	s.rr, m.next = m.space.DoubleStep(ahead, z, m.omega, zt, m.x, m.bt, m.r, m.s)
	s.rho, s.omega = m.next, m.omega
	return s, Running
}

// half makes r the residual t of x + alpha z. Where its norm is at hand, without a message of its own, and small enough, x
// becomes x + alpha z, and may have converged; ahead is the multiple of z to add yet.
func (m *bicgstab[V, S]) half(z V) (ahead S, reason Reason) {
	if !m.deferred.immediate() || m.pre.shared {
		m.space.Axpy(m.alpha.Neg(), m.bp, m.r)
		return m.alpha, Running
	}
	tnorm := norm(m.space.AxpyDot(m.alpha.Neg(), m.bp, m.r, m.r))
	if !m.c.near(tnorm) {
		return m.alpha, Running
	}
	m.space.Axpy(m.alpha, z, m.x)
	if m.c.take(m.x, m.r, tnorm) {
		m.c.step(tnorm)
		return ahead, Converged
	}
	return m.space.Scalar(0), Running
}

func (m *bicgstab[V, S]) check(s scalars[S], rnorm float64) Reason {
	switch {
	case s.omega.Float() == 0:
		return Breakdown
	case math.Abs(s.rho.Float()) <= orthogonal(m.space.Roundoff())*rnorm*m.snorm:
		return again
	}
	return Running
}

func (m *bicgstab[V, S]) direction() Reason {
	beta := m.next.Div(m.rho).Mul(m.alpha.Div(m.omega))
	m.space.Direction(m.r, beta, m.omega, m.bp, m.p)
	m.rho = m.next
	return Running
}

func (m *bicgstab[V, S]) keeps(bool) kept[V, S] {
	return kept[V, S]{
		vectors: []V{m.x, m.r, m.s, m.p}, scalars: []*S{&m.rho},
		numbers: []*float64{&m.snorm}, counts: []*int{&m.restarts},
	}
}

// orthogonal is the cosine under which two vectors count as orthogonal: what is left of
// zero with that unit roundoff.
func orthogonal(roundoff float64) float64 { return 2 * roundoff }

// stagnationWindow is the number of iterations without a new least residual
// after which a method gives up. In exact arithmetic n iterations suffice; with
// rounding, plateaus can be longer than that.
func stagnationWindow(n int) int { return max(1000, 2*n) }
