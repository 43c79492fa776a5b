package krylov

import (
	"context"
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// minres is the minimal residual method of Paige and Saunders ([Paige75]) for
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
// writes 8 n-vectors; besides M, z reads 3 more and writes one. On an asynchronous space
// it waits for scalars in every iteration.
type minres[V any, S linop.Scalar[S]] struct {
	driver[V, S]
	older, v, newer V // v_(j-1), v_j, v_(j+1)
	z               V // z_j
	d, e            V // rho d of the last two steps

	gamma, phi S
	last, prev givens[S] // of steps j-1 and j-2
	size       float64   // of T: its largest column
}

// givens is a rotation and the element of the diagonal that it makes.
type givens[S any] struct{ c, s, rho S }

// newMINRES returns the method with its work vectors in space.
func newMINRES[V any, S linop.Scalar[S]](space linop.Space[V, S]) Method[V, S] {
	return &minres[V, S]{
		driver: newDriver(space, deferral[V, S]{}), d: space.New(), e: space.New(),
		older: space.New(), v: space.New(), newer: space.New(),
	}
}

// Name returns "minres".
func (*minres[V, S]) Name() string { return "minres" }

// Solve implements Method. It stops with IndefinitePreconditioner where
// v·M^-1 v < 0, and with Breakdown where r is orthogonal to the range of A: b is not in
// that range, and x has the least residual that there is.
func (m *minres[V, S]) Solve(ctx context.Context, a linop.Operator[V, S], x, b V, opt Options[V]) Result {
	return m.solve(ctx, m, a, x, b, opt, stagnationWindow(m.space.Dim()), math.MaxInt)
}

func (m *minres[V, S]) start() (reason Reason) {
	m.space.Zero(m.older)
	m.space.Zero(m.d)
	m.space.Zero(m.e)
	m.space.Copy(m.v, m.r)
	m.z, m.phi, reason = m.normalise(m.v, m.rr)
	if reason == Running && m.phi.Float() == 0 {
		reason = IndefinitePreconditioner
	}
	one, zero := m.space.Scalar(1), m.space.Scalar(0)
	m.gamma, m.size = zero, 0
	m.last, m.prev = givens[S]{one, zero, one}, givens[S]{one, zero, one}
	return reason
}

func (m *minres[V, S]) step() (s scalars[S], reason Reason) {
	space, last, prev, gamma := m.space, m.last, m.prev, m.gamma
	delta := m.a.ApplyDot(m.newer, m.z, m.z)
	epsilon := prev.s.Mul(gamma)
	theta := last.c.Mul(prev.c).Mul(gamma).Add(last.s.Mul(delta))
	pivot := last.c.Mul(delta).Sub(last.s.Mul(prev.c).Mul(gamma))
	space.Xpay(m.z, epsilon.Div(prev.rho).Neg(), m.e)
	space.Axpy(theta.Div(last.rho).Neg(), m.d, m.e)
	m.d, m.e = m.e, m.d // d is rho d_j from here

	space.Axpy(gamma.Neg(), m.older, m.newer)
	vv := space.AxpyDot(delta.Neg(), m.v, m.newer, m.newer)
	m.older, m.v, m.newer = m.v, m.newer, m.older
	column := magnitude(gamma) + magnitude(delta)
	if m.z, gamma, reason = m.normalise(m.v, vv); reason != Running {
		return s, reason
	}
	m.size = max(m.size, column+magnitude(gamma))
	if magnitude(pivot)+magnitude(last.c.Mul(gamma)) <= unreachable(space.Roundoff())*m.size {
		return s, Breakdown
	}
	c, sn, rho := rotation(space.Scalar(1), pivot, gamma)
	m.prev, m.last, m.gamma = last, givens[S]{c, sn, rho}, gamma

	space.Axpy(c.Mul(m.phi).Div(rho), m.d, m.x)
	m.phi = sn.Mul(m.phi).Neg()
	space.Scale(sn.Mul(sn), m.r)
	s.rr = space.AxpyDot(c.Mul(m.phi), m.v, m.r, m.r)
	return s, Running
}

func (m *minres[V, S]) keeps(preconditioned bool) kept[V, S] {
	k := kept[V, S]{
		vectors: []V{m.x, m.r, m.older, m.v, m.d, m.e},
		scalars: []*S{&m.gamma, &m.phi, &m.last.c, &m.last.s, &m.last.rho, &m.prev.c, &m.prev.s, &m.prev.rho},
		numbers: []*float64{&m.size},
	}
	if m.z = m.v; preconditioned {
		m.z = m.pre.vector(0)
		k.vectors = append(k.vectors, m.z)
	}
	return k
}

// unreachable is the ||A r|| / (||A|| ||r||) under which r counts as orthogonal to the
// range of A, which holds no better x then.
func unreachable(roundoff float64) float64 { return 0x1p9 * roundoff }

// normalise sets v and z = M^-1 v, given v·v, to v / gamma and z / gamma with
// gamma = (v·z)^(1/2), and leaves them where that is zero.
func (m *minres[V, S]) normalise(v V, vv S) (z V, gamma S, reason Reason) {
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
