package krylov

import (
	"context"
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// BiCGStab is van der Vorst's stabilised bi-conjugate gradient method for
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
// with B = A M^-1: A where there is no preconditioner. One that is another map each
// time does no harm to r, which belongs to x by its construction.
//
// Two products per iteration, and one to confirm that it has converged. Memory: 5
// n-vectors besides x and b (t shares r's), and one more for M^-1 p and M^-1 t. When
// r becomes orthogonal to s the iteration restarts with s = r.
type BiCGStab[V any, S linop.Scalar[S]] struct {
	space           linop.Space[V, S]
	r, s, p, bp, bt V
	pre             preconditioned[V, S]
	c               convergence[V]
}

// maxRestarts bounds the restarts from a shadow residual that became orthogonal, or
// from a residual that was not the true one; a method that needs more makes no
// progress.
const maxRestarts = 20

// NewBiCGStab returns the method with its work vectors in space.
func NewBiCGStab[V any, S linop.Scalar[S]](space linop.Space[V, S]) *BiCGStab[V, S] {
	return &BiCGStab[V, S]{
		space: space, r: space.New(), s: space.New(),
		p: space.New(), bp: space.New(), bt: space.New(),
		pre: preconditioned[V, S]{space: space},
	}
}

// Name returns "bicgstab".
func (*BiCGStab[V, S]) Name() string { return "bicgstab" }

// Solve implements Method.
func (m *BiCGStab[V, S]) Solve(ctx context.Context, a linop.Operator[V, S], x, b V, opt Options[V]) Result {
	c := &m.c
	m.pre.by = opt.Precond
	rr, reason := initialise(ctx, m.space, c, a, x, b, m.r, opt, stagnationWindow(m.space.Dim()))
	for restarts := 0; reason == Running; restarts++ {
		if restarts > maxRestarts {
			return c.end(Breakdown)
		}
		rr, reason = m.run(a, x, b, rr)
	}
	return c.end(reason)
}

// run iterates from the residual r, rr = r·r, with the shadow residual s = r. It
// returns Running where it should be run again, from an r of which it returns r·r.
func (m *BiCGStab[V, S]) run(a linop.Operator[V, S], x, b V, rr S) (S, Reason) {
	space, r, s, p, bp, bt, c := m.space, m.r, m.s, m.p, m.bp, m.bt, &m.c
	space.Copy(s, r)
	space.Copy(p, r)
	rho, snorm := rr, rr.Sqrt().Float()
	for {
		z := m.pre.apply(0, p)
		sbp := a.ApplyDot(bp, z, s)
		if v := sbp.Float(); v == 0 || !finite(v) {
			return rr, brokenBy(v)
		}
		alpha := rho.Div(sbp)
		tt := space.AxpyDot(alpha.Neg(), bp, r, r) // r is t from here
		space.Axpy(alpha, z, x)
		tnorm := tt.Sqrt().Float()
		if c.reached(x, r, tnorm) { // half a step is enough
			c.step(tnorm)
			return confirm(space, c, a, x, b, r)
		}
		z = m.pre.apply(0, r)
		tbt := a.ApplyDot(bt, z, r)
		btbt := space.Dot(bt, bt)
		if v := btbt.Float(); v == 0 || !finite(v) {
			return rr, brokenBy(v)
		}
		omega := tbt.Div(btbt)
		space.Axpy(omega, z, x)
		rr = space.AxpyDot(omega.Neg(), bt, r, r)
		rnorm := rr.Sqrt().Float()
		if reason := c.step(rnorm); reason != Running {
			return rr, reason
		}
		if c.reached(x, r, rnorm) {
			return confirm(space, c, a, x, b, r)
		}
		if reason := c.limit(); reason != Running {
			return rr, reason
		}
		if omega.Float() == 0 {
			return rr, Breakdown
		}
		next := space.Dot(r, s)
		if math.Abs(next.Float()) <= orthogonal*rnorm*snorm {
			if rnorm == 0 {
				return rr, Breakdown
			}
			return rr, Running
		}
		beta := next.Div(rho).Mul(alpha.Div(omega))
		space.Axpy(omega.Neg(), bp, p)
		space.Xpay(r, beta, p)
		rho = next
	}
}

// orthogonal is the cosine under which two vectors count as orthogonal: what
// rounding leaves of zero.
const orthogonal = 0x1p-52

// brokenBy is the reason for not dividing by v, which is zero or not finite.
func brokenBy(v float64) Reason {
	if v == 0 {
		return Breakdown
	}
	return NotFinite
}
