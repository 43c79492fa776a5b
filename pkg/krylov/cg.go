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
	out     lookout[V, S]
	c       convergence[V]
}

// NewCG returns the method with its work vectors in space.
func NewCG[V any, S linop.Scalar[S]](space linop.Space[V, S]) *CG[V, S] {
	return &CG[V, S]{
		space: space, r: space.New(), p: space.New(), q: space.New(),
		pre: preconditioned[V, S]{space: space}, out: newLookout(space),
	}
}

// Name returns "cg".
func (*CG[V, S]) Name() string { return "cg" }

// Solve implements Method. It stops with Indefinite where p·Ap <= 0, with
// IndefinitePreconditioner where r·z <= 0.
func (m *CG[V, S]) Solve(ctx context.Context, a linop.Operator[V, S], x, b V, opt Options[V]) Result {
	m.pre.by = opt.Precond
	m.out.start(opt)
	rr, reason := initialise(ctx, m.space, &m.c, a, x, b, m.r, opt, cgWindow(m.space.Dim()))
	for reason == Running {
		if rr, reason = m.run(a, x, b, rr); m.out.doubts(reason) {
			rr, reason = m.out.rewind(&m.c, a, x, b, m.r)
		}
	}
	return m.c.end(reason)
}

// run iterates from the residual r, rr = r·r. It returns Running where it should be
// run again, from an r of which it returns r·r.
func (m *CG[V, S]) run(a linop.Operator[V, S], x, b V, rr S) (S, Reason) {
	space, r, p, q, out, c := m.space, m.r, m.p, m.q, &m.out, &m.c
	flexible := c.opt.Flexible && m.pre.by != nil
	z, rho := m.pre.applyDot(r, rr)
	space.Copy(p, z)
	out.begin(c, x)
	for {
		var reason Reason
		if rho, reason = out.positive(rho, IndefinitePreconditioner); reason != Running {
			return rr, reason
		}
		pq, reason := out.positive(a.ApplyDot(q, p, p), Indefinite)
		if reason != Running {
			return rr, reason
		}
		alpha := rho.Div(pq)
		rr = space.Step(alpha, p, x, q, r)
		if rnorm, seen, reason := out.look(c, x, rr); seen {
			switch {
			case reason != Running:
				return rr, reason
			case c.reached(x, r, rnorm):
				return confirm(space, c, a, x, b, r)
			case rnorm == 0:
				return rr, Breakdown
			}
			if reason := out.limit(c); reason != Running {
				return rr, reason
			}
		} else if m.pre.by != nil {
			out.forget(rr)
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
