package krylov

import (
	"context"
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// lsqr implements Method.
type lsqr[V any, S linop.Scalar[S]] struct {
	driver[V, S]
	u, v, w, q V // q = B v, then A^T u

	alpha, pivot, phi S
	back              S       // theta / rho
	size              float64 // of A: the largest column of its bidiagonal form
}

// NewLSQR returns, with its work vectors in space, the least-squares method of Paige and Saunders for any A ([Paige82]): it makes
// ||b - A x||_2 least in the Krylov spaces of A^T A and A^T b, as conjugate gradients on the
// normal equations do in exact arithmetic, from the bidiagonalisation of Golub and Kahan,
//
//	beta u  = B v - alpha u,  ||u|| = 1
//	alpha v = B^T u - beta v, ||v|| = 1
//
// with B = A M^-1, A without a preconditioner. Rotations (c, s) make the bidiagonal matrix upper, with elements
// rho and theta:
//
//	w  = M^-1 v - (theta / rho) w
//	x += (c phi / rho) w,  phi = s phi
//	r  = s^2 r - c phi u
//
// The residual never grows, and ||B^T r|| = alpha |c| phi. It takes as many iterations as conjugate gradients with the square
// of the condition of A, so it is for systems on which other methods fail, and for least squares: with
// Options.LeastSquares it ends where the residual is orthogonal to the columns of A. A matrix
// that is not square is given zero rows or columns; x is zero in these.
//
// A is a [linop.Transposer], and the preconditioner a [TransposedPreconditioner]; Solve panics if they
// are not. A product with A and one with its transpose per iteration, and one to confirm that it
// has converged. Memory: 5 n-vectors besides x and b, and one more for the preconditioner. Traffic per
// iteration besides A: reads 15, writes 8 n-vectors. On an asynchronous space it waits for scalars in every iteration.
func NewLSQR[V any, S linop.Scalar[S]](space linop.Space[V, S]) Method[V, S] {
	return &lsqr[V, S]{driver: newDriver(space, deferral[V, S]{}), u: space.New(), v: space.New(), w: space.New(), q: space.New()}
}

// Name returns "lsqr".
func (*lsqr[V, S]) Name() string { return "lsqr" }

// Solve implements Method. It stops with LeastSquares, or without Options.LeastSquares with Breakdown, where r is
// orthogonal to the range of A: x has the least residual that there is.
func (m *lsqr[V, S]) Solve(ctx context.Context, a linop.Operator[V, S], x, b V, opt Options[V]) Result {
	window := cgWindow(m.space.Dim())
	if opt.LeastSquares > 0 {
		window = 0 // the residual tells nothing
	}
	return m.solve(ctx, m, a, x, b, opt, window, math.MaxInt)
}

func (m *lsqr[V, S]) start() Reason {
	m.space.Zero(m.w)
	m.space.Copy(m.u, m.r)
	m.phi = m.normalise(m.u, m.rr)
	m.applyT(m.q, m.u)
	m.space.Copy(m.v, m.pre.applyT(0, m.q))
	m.alpha = m.normalise(m.v, m.space.Dot(m.v, m.v))
	m.pivot, m.back, m.size = m.alpha, m.space.Scalar(0), 0
	return usable(m.alpha.Float(), m.alpha.Float() != 0, m.least())
}

func (m *lsqr[V, S]) step() (s scalars[S], reason Reason) {
	space := m.space
	z := m.pre.apply(0, m.v)
	space.Xpay(z, m.back.Neg(), m.w)

	m.a.Apply(m.q, z)
	space.Xpay(m.q, m.alpha.Neg(), m.u)
	beta := m.normalise(m.u, space.Dot(m.u, m.u))
	m.size = max(m.size, math.Hypot(m.alpha.Float(), beta.Float()))
	m.applyT(m.q, m.u)
	space.Xpay(m.pre.applyT(0, m.q), beta.Neg(), m.v)
	alpha := m.normalise(m.v, space.Dot(m.v, m.v))

	c, sn, rho := rotation(space.Scalar(1), m.pivot, beta)
	if reason := m.nonzero(rho); reason != Running {
		return s, reason
	}
	space.Axpy(c.Mul(m.phi).Div(rho), m.w, m.x)
	m.phi = sn.Mul(m.phi)
	space.Scale(sn.Mul(sn), m.r)
	s.rr = space.AxpyDot(c.Mul(m.phi).Neg(), m.u, m.r, m.r)

	m.back = sn.Mul(alpha).Div(rho)
	m.pivot, m.alpha = c.Mul(alpha).Neg(), alpha
	return s, Running
}

// check ends where ||B^T r||, which is |pivot| phi, is small.
func (m *lsqr[V, S]) check(scalars[S], float64) Reason {
	most := max(m.c.opt.LeastSquares, unreachable(m.space.Roundoff()))
	return usable(m.pivot.Float(), math.Abs(m.pivot.Float()) > most*m.size, m.least())
}

// least is the reason to end where there is no smaller residual.
func (m *lsqr[V, S]) least() Reason {
	if m.c.opt.LeastSquares > 0 {
		return LeastSquares
	}
	return Breakdown
}

// normalise divides v by its norm, which it returns, unless that is zero; given v·v.
func (m *lsqr[V, S]) normalise(v V, vv S) (size S) {
	if vv.Float() == 0 {
		return m.space.Scalar(0)
	}
	size = vv.Sqrt()
	m.space.Scale(m.space.Scalar(1).Div(size), v)
	return size
}

func (m *lsqr[V, S]) keeps(bool) kept[V, S] {
	return kept[V, S]{
		vectors: []V{m.x, m.r, m.u, m.v, m.w}, scalars: []*S{&m.alpha, &m.pivot, &m.phi, &m.back},
		numbers: []*float64{&m.size},
	}
}
