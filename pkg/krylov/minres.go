package krylov

import (
	"context"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// MINRES is the minimal residual method of Paige and Saunders ([Paige75]) for
// symmetric A, which may be indefinite, with a symmetric positive definite M that is
// the same map each time ([Elman14], algorithm 4.1). Lanczos' process makes
// z_1, z_2, ... = M^-1 v_j with z_i·v_j = 1 for i = j, 0 otherwise, and a tridiagonal T:
//
//	gamma_(j+1) v_(j+1) = A z_j - delta_j v_j - gamma_j v_(j-1)
//
// Givens rotations (c_j, s_j) make T triangular; column j then has the elements
// epsilon, theta, rho, and
//
//	d_j  = (z_j - theta d_(j-1) - epsilon d_(j-2)) / rho
//	x   += c_j phi d_j,  phi = -s_j phi
//	r    = s_j^2 r + c_j phi v_(j+1)
//
// |phi| = (r·M^-1 r)^(1/2), which is what x makes least in its Krylov space; the
// residual that is monitored is ||r||_2, as in all methods ([Choi11]).
//
// One product per iteration, and one to confirm that it has converged; from a
// residual that is not confirmed Lanczos' process starts again. Memory: 6 n-vectors
// besides x and b, and one more for z. Traffic per iteration besides A: reads 14,
// writes 8 n-vectors; besides M, z reads 3 more and writes one. On a linop.Remote it waits
// for scalars in every iteration.
type MINRES[V any, S linop.Scalar[S]] struct {
	space           linop.Space[V, S]
	r               V
	older, v, newer V // v_(j-1), v_j, v_(j+1)
	d, e            V // rho d of the last two steps
	pre             preconditioned[V, S]
	c               convergence[V]
}

// NewMINRES returns the method with its work vectors in space.
func NewMINRES[V any, S linop.Scalar[S]](space linop.Space[V, S]) *MINRES[V, S] {
	return &MINRES[V, S]{
		space: space, r: space.New(), d: space.New(), e: space.New(),
		older: space.New(), v: space.New(), newer: space.New(),
		pre: preconditioned[V, S]{space: space},
	}
}

// Name returns "minres".
func (*MINRES[V, S]) Name() string { return "minres" }

// Solve implements Method. It stops with IndefinitePreconditioner where
// v·M^-1 v < 0, and with Breakdown where r is orthogonal to the range of A: b is not in
// that range, and x has the least residual that there is.
func (m *MINRES[V, S]) Solve(ctx context.Context, a linop.Operator[V, S], x, b V, opt Options[V]) Result {
	m.pre.by = opt.Precond
	rr, reason := initialise(ctx, m.space, &m.c, a, x, b, m.r, opt, stagnationWindow(m.space.Dim()))
	for reason == Running {
		rr, reason = m.run(a, x, b, rr)
	}
	return m.c.end(reason)
}

// run iterates from the residual r, rr = r·r. It returns Running where it should be
// run again, from an r of which it returns r·r.
func (m *MINRES[V, S]) run(a linop.Operator[V, S], x, b V, rr S) (S, Reason) {
	space, r, c := m.space, m.r, &m.c
	older, v, newer, d, e := m.older, m.v, m.newer, m.d, m.e
	space.Zero(older)
	space.Zero(d)
	space.Zero(e)
	space.Copy(v, r)
	z, phi, reason := m.normalise(v, rr)
	if reason == Running && phi.Float() == 0 {
		reason = IndefinitePreconditioner
	}
	if reason != Running {
		return rr, reason
	}
	one, gamma := space.Scalar(1), space.Scalar(0)
	c1, s1, rho1 := one, gamma, one // of step j-1
	c2, s2, rho2 := one, gamma, one // of step j-2
	size := 0.0                     // of T: its largest column
	for {
		delta := a.ApplyDot(newer, z, z)
		epsilon := s2.Mul(gamma)
		theta := c1.Mul(c2).Mul(gamma).Add(s1.Mul(delta))
		pivot := c1.Mul(delta).Sub(s1.Mul(c2).Mul(gamma))
		space.Xpay(z, epsilon.Div(rho2).Neg(), e)
		space.Axpy(theta.Div(rho1).Neg(), d, e)
		d, e = e, d // d is rho d_j from here

		space.Axpy(gamma.Neg(), older, newer)
		vv := space.AxpyDot(delta.Neg(), v, newer, newer)
		older, v, newer = v, newer, older
		column := magnitude(gamma) + magnitude(delta)
		if z, gamma, reason = m.normalise(v, vv); reason != Running {
			return rr, reason
		}
		size = max(size, column+magnitude(gamma))
		if magnitude(pivot)+magnitude(c1.Mul(gamma)) <= unreachable*size {
			return rr, Breakdown
		}
		c2, s2, rho2 = c1, s1, rho1
		c1, s1, rho1 = rotation(one, pivot, gamma)
		space.Axpy(c1.Mul(phi).Div(rho1), d, x)
		phi = s1.Mul(phi).Neg()
		space.Scale(s1.Mul(s1), r)
		rr = space.AxpyDot(c1.Mul(phi), v, r, r)
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
	}
}

// unreachable is the ||A r|| / (||A|| ||r||) under which r counts as orthogonal to the
// range of A, which holds no better x then.
const unreachable = 0x1p-44

// normalise sets v and z = M^-1 v, given v·v, to v / gamma and z / gamma with
// gamma = (v·z)^(1/2), and leaves them where that is zero.
func (m *MINRES[V, S]) normalise(v V, vv S) (z V, gamma S, reason Reason) {
	z, vz := m.pre.applyDot(v, vv)
	switch square := vz.Float(); {
	case !finite(square):
		return z, vz, NotFinite
	case square < 0:
		return z, vz, IndefinitePreconditioner
	case square == 0:
		return z, vz, Running
	}
	gamma = vz.Sqrt()
	inverse := m.space.Scalar(1).Div(gamma)
	m.space.Scale(inverse, v)
	if m.pre.by != nil {
		m.space.Scale(inverse, z)
	}
	return z, gamma, Running
}
