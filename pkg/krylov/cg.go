package krylov

import (
	"context"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// CG is the conjugate gradient method of Hestenes and Stiefel for symmetric
// positive definite A ([Saad03], algorithm 6.18):
//
//	alpha = r·r / p·Ap
//	x    += alpha p
//	r    -= alpha Ap
//	beta  = r·r / (previous r·r)
//	p     = r + beta p
//
// One product and three passes over vectors per iteration, and a product to
// confirm that it has converged. Memory: 3
// n-vectors besides x and b. Traffic per iteration besides A: reads 8, writes
// 4 n-vectors.
type CG[V any, S linop.Scalar[S]] struct {
	space   linop.Space[V, S]
	r, p, q V
	c       convergence[V]
}

// NewCG returns the method with its work vectors in space.
func NewCG[V any, S linop.Scalar[S]](space linop.Space[V, S]) *CG[V, S] {
	return &CG[V, S]{space: space, r: space.New(), p: space.New(), q: space.New()}
}

// Name returns "cg".
func (*CG[V, S]) Name() string { return "cg" }

// Solve implements Method. It stops with Indefinite where p·Ap <= 0.
func (m *CG[V, S]) Solve(ctx context.Context, a linop.Operator[V, S], x, b V, opt Options[V]) Result {
	r, p, q, c := m.r, m.p, m.q, &m.c
	rr, reason := initialise(ctx, m.space, c, a, x, b, r, opt, cgWindow(m.space.Dim()))
	if reason != Running {
		return c.end(reason)
	}
	m.space.Copy(p, r)
	for {
		pq := a.ApplyDot(q, p, p)
		switch curvature := pq.Float(); {
		case !finite(curvature):
			return c.end(NotFinite)
		case curvature <= 0:
			return c.end(Indefinite)
		}
		alpha := rr.Div(pq)
		next := m.space.Step(alpha, p, x, q, r)
		rnorm := next.Sqrt().Float()
		if reason := c.step(rnorm); reason != Running {
			return c.end(reason)
		}
		if c.reached(x, r, rnorm) {
			if rr, reason = confirm(m.space, c, a, x, b, r); reason != Running {
				return c.end(reason)
			}
			m.space.Copy(p, r)
			continue
		}
		if rnorm == 0 {
			return c.end(Breakdown)
		}
		if reason := c.limit(); reason != Running {
			return c.end(reason)
		}
		beta := next.Div(rr)
		m.space.Xpay(r, beta, p)
		rr = next
	}
}
