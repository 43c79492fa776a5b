package krylov

import (
	"context"
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// BiCGStab is van der Vorst's stabilised bi-conjugate gradient method for
// general A ([Saad03], algorithm 7.7), with a fixed shadow residual s:
//
//	alpha = r·s / Ap·s
//	t     = r - alpha Ap
//	omega = At·t / At·At
//	x    += alpha p + omega t
//	r     = t - omega At
//	beta  = (r·s / previous r·s) (alpha / omega)
//	p     = r + beta (p - omega Ap)
//
// Two products per iteration. Memory: 5 n-vectors besides x and b (t shares
// r's). When r becomes orthogonal to s the iteration restarts with s = r.
type BiCGStab[V any, S linop.Scalar[S]] struct {
	space           linop.Space[V, S]
	r, s, p, ap, at V
	c               convergence[V]
}

// maxRestarts bounds the restarts from a shadow residual that became
// orthogonal; a method that needs more makes no progress.
const maxRestarts = 20

// NewBiCGStab returns the method with its work vectors in space.
func NewBiCGStab[V any, S linop.Scalar[S]](space linop.Space[V, S]) *BiCGStab[V, S] {
	return &BiCGStab[V, S]{
		space: space, r: space.New(), s: space.New(),
		p: space.New(), ap: space.New(), at: space.New(),
	}
}

// Name returns "bicgstab".
func (*BiCGStab[V, S]) Name() string { return "bicgstab" }

// Solve implements Method.
func (m *BiCGStab[V, S]) Solve(ctx context.Context, a linop.Operator[V, S], x, b V, opt Options[V]) Result {
	space, r, s, p, ap, at, c := m.space, m.r, m.s, m.p, m.ap, m.at, &m.c
	rr, reason := initialise(ctx, space, c, a, x, b, r, opt, stagnationWindow(space.Dim()))
	if reason != Running {
		return c.end(reason)
	}
	space.Copy(s, r)
	space.Copy(p, r)
	rho, snorm := rr, rr.Sqrt().Float()
	for restarts := 0; ; {
		sap := a.ApplyDot(ap, p, s)
		if v := sap.Float(); v == 0 || !finite(v) {
			return c.end(brokenBy(v))
		}
		alpha := rho.Div(sap)
		tt := space.AxpyDot(alpha.Neg(), ap, r, r) // r is t from here
		space.Axpy(alpha, p, x)
		tnorm := tt.Sqrt().Float()
		if c.reached(x, r, tnorm) { // half a step is enough
			c.step(tnorm)
			return c.end(Converged)
		}
		tat := a.ApplyDot(at, r, r)
		atat := space.Dot(at, at)
		if v := atat.Float(); v == 0 || !finite(v) {
			return c.end(brokenBy(v))
		}
		omega := tat.Div(atat)
		space.Axpy(omega, r, x)
		next := space.AxpyDot(omega.Neg(), at, r, r)
		rnorm := next.Sqrt().Float()
		if reason := c.step(rnorm); reason != Running {
			return c.end(reason)
		}
		if c.reached(x, r, rnorm) {
			return c.end(Converged)
		}
		if reason := c.limit(); reason != Running {
			return c.end(reason)
		}
		if omega.Float() == 0 {
			return c.end(Breakdown)
		}
		rhoNext := space.Dot(r, s)
		if math.Abs(rhoNext.Float()) <= orthogonal*rnorm*snorm {
			if restarts++; restarts > maxRestarts || rnorm == 0 {
				return c.end(Breakdown)
			}
			space.Copy(s, r)
			space.Copy(p, r)
			rho, snorm = next, rnorm
			continue
		}
		beta := rhoNext.Div(rho).Mul(alpha.Div(omega))
		space.Axpy(omega.Neg(), ap, p)
		space.Xpay(r, beta, p)
		rho = rhoNext
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
