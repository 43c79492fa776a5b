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
// n-vectors besides x and b (t shares r's), and two more for M^-1 p and M^-1 t. When
// r becomes orthogonal to s the iteration restarts with s = r. Traffic per iteration
// besides A: reads 12, writes 4 n-vectors; besides M, M^-1 t reads one more.
type BiCGStab[V any, S linop.Scalar[S]] struct {
	space           linop.Space[V, S]
	r, s, p, bp, bt V
	pre             preconditioned[V, S]
	out             lookout[V, S]
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
		pre: preconditioned[V, S]{space: space}, out: newLookout(space),
	}
}

// Name returns "bicgstab".
func (*BiCGStab[V, S]) Name() string { return "bicgstab" }

// Solve implements Method.
func (m *BiCGStab[V, S]) Solve(ctx context.Context, a linop.Operator[V, S], x, b V, opt Options[V]) Result {
	c := &m.c
	m.pre.by = opt.Precond
	m.out.start(opt)
	rr, reason := initialise(ctx, m.space, c, a, x, b, m.r, opt, stagnationWindow(m.space.Dim()))
	for restarts := 0; reason == Running; restarts++ {
		if restarts > maxRestarts {
			return c.end(Breakdown)
		}
		if rr, reason = m.run(a, x, b, rr); m.out.doubts(reason) {
			rr, reason = m.out.rewind(c, a, x, b, m.r)
			restarts--
		}
	}
	return c.end(reason)
}

// run iterates from the residual r, rr = r·r, with the shadow residual s = r. It
// returns Running where it should be run again, from an r of which it returns r·r.
func (m *BiCGStab[V, S]) run(a linop.Operator[V, S], x, b V, rr S) (S, Reason) {
	space, r, s, p, bp, bt, out, c := m.space, m.r, m.s, m.p, m.bp, m.bt, &m.out, &m.c
	space.Copy(s, r)
	space.Copy(p, r)
	rho, snorm := rr, rr.Sqrt().Float()
	out.begin(c, x)
	for {
		z := m.pre.apply(0, p)
		sbp := a.ApplyDot(bp, z, s)
		if reason := out.divisor(sbp); reason != Running {
			return rr, reason
		}
		alpha := rho.Div(sbp)
		ahead := alpha // of x, by so much of z
		if !out.now() {
			space.Axpy(alpha.Neg(), bp, r) // r is t from here
		} else if tnorm := space.AxpyDot(alpha.Neg(), bp, r, r).Sqrt().Float(); c.near(tnorm) {
			space.Axpy(alpha, z, x)
			if c.take(x, r, tnorm) { // half a step is enough
				c.step(tnorm)
				return confirm(space, c, a, x, b, r)
			}
			ahead = space.Scalar(0)
		}
		zt := m.pre.apply(1, r)
		tbt, btbt := a.ApplyDots(bt, zt, r)
		if reason := out.divisor(btbt); reason != Running {
			space.Axpy(ahead, z, x)
			return rr, reason
		}
		omega := tbt.Div(btbt)
		var next S
		rr, next = space.DoubleStep(ahead, z, omega, zt, x, bt, r, s)
		if rnorm, seen, reason := out.look(c, x, rr, next, omega); seen {
			switch {
			case reason != Running:
				return rr, reason
			case c.reached(x, r, rnorm):
				return confirm(space, c, a, x, b, r)
			}
			if reason := out.limit(c); reason != Running {
				return rr, reason
			}
			next, omega := out.scalars[1].Float(), out.scalars[2].Float()
			switch {
			case omega == 0, rnorm == 0:
				return rr, Breakdown
			case math.Abs(next) <= orthogonal*rnorm*snorm:
				return rr, Running
			}
		} else {
			out.forget(rr)
		}
		space.Direction(r, next.Div(rho).Mul(alpha.Div(omega)), omega, bp, p)
		rho = next
	}
}

// orthogonal is the cosine under which two vectors count as orthogonal: what
// rounding leaves of zero.
const orthogonal = 0x1p-52
