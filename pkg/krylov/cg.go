package krylov

import (
	"context"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// CG is the conjugate gradient method of Hestenes and Stiefel for symmetric
// positive definite A ([Saad03], algorithms 6.18 and 9.1):
//
//	alpha = r·z / p·Ap
//	x    += alpha p
//	r    -= alpha Ap
//	z     = M^-1 r
//	beta  = r·z / (previous r·z)
//	p     = z + beta p
//
// with z = r where there is no preconditioner. A preconditioner that is another map
// each time leaves p conjugate to the p before it with
//
//	beta = z·(r - previous r) / (previous r·z) = -alpha z·Ap / (previous r·z)
//
// (flexible, [GolubYe99]), which takes one inner product more and no vector.
//
// One product and three passes over vectors per iteration, and a product to
// confirm that it has converged. Memory: 3 n-vectors besides x and b, and one more
// for z. Traffic per iteration besides A: reads 8, writes 4 n-vectors; besides M,
// z reads 2 more, 4 if flexible.
type CG[V any, S linop.Scalar[S]] struct {
	space   linop.Space[V, S]
	r, p, q V
	pre     preconditioned[V, S]
	c       convergence[V]
}

// NewCG returns the method with its work vectors in space.
func NewCG[V any, S linop.Scalar[S]](space linop.Space[V, S]) *CG[V, S] {
	return &CG[V, S]{
		space: space, r: space.New(), p: space.New(), q: space.New(),
		pre: preconditioned[V, S]{space: space},
	}
}

// Name returns "cg".
func (*CG[V, S]) Name() string { return "cg" }

// Solve implements Method. It stops with Indefinite where p·Ap <= 0, with
// IndefinitePreconditioner where r·z <= 0.
func (m *CG[V, S]) Solve(ctx context.Context, a linop.Operator[V, S], x, b V, opt Options[V]) Result {
	m.pre.by = opt.Precond
	rr, reason := initialise(ctx, m.space, &m.c, a, x, b, m.r, opt, cgWindow(m.space.Dim()))
	for reason == Running {
		rr, reason = m.run(a, x, b, rr)
	}
	return m.c.end(reason)
}

// run iterates from the residual r, rr = r·r. It returns Running where it should be
// run again, from an r of which it returns r·r.
func (m *CG[V, S]) run(a linop.Operator[V, S], x, b V, rr S) (S, Reason) {
	space, r, p, q, c := m.space, m.r, m.p, m.q, &m.c
	flexible := c.opt.Flexible && m.pre.by != nil
	z, rho := m.pre.applyDot(r, rr)
	space.Copy(p, z)
	for {
		if reason := positive(rho.Float(), IndefinitePreconditioner); reason != Running {
			return rr, reason
		}
		pq := a.ApplyDot(q, p, p)
		if reason := positive(pq.Float(), Indefinite); reason != Running {
			return rr, reason
		}
		alpha := rho.Div(pq)
		rr = space.Step(alpha, p, x, q, r)
		rnorm := rr.Sqrt().Float()
		if reason := c.step(rnorm); reason != Running {
			return rr, reason
		}
		if c.reached(x, r, rnorm) {
			return confirm(space, c, a, x, b, r)
		}
		if rnorm == 0 {
			return rr, Breakdown
		}
		if reason := c.limit(); reason != Running {
			return rr, reason
		}
		var next S
		z, next = m.pre.applyDot(r, rr)
		beta := next.Div(rho)
		if flexible {
			beta = alpha.Mul(space.Dot(z, q)).Div(rho).Neg()
		}
		space.Xpay(z, beta, p)
		rho = next
	}
}

// positive is Running for v > 0, otherwise why not to go on.
func positive(v float64, otherwise Reason) Reason {
	switch {
	case !finite(v):
		return NotFinite
	case v <= 0:
		return otherwise
	}
	return Running
}
