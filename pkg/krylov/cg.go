package krylov

import (
	"context"
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// cg implements Method.
type cg[V any, S linop.Scalar[S]] struct {
	driver[V, S]
	p, q           V                         // q = A p
	rho, alpha, pq S                         // rho = r·z, pq = p·q
	z              FusedPreconditioner[V, S] // what makes z, and steps
	separate       separate[V, S]            // that for an ordinary preconditioner
	joined         joinedCG[V, S]            // with one sum
}

// NewCG returns, with its work vectors in space, the conjugate gradient method of Hestenes and Stiefel for symmetric
// positive definite A ([Saad03], algorithms 6.18 and 9.1):
//
//	alpha = r·z / p·Ap
//	x    += alpha p
//	r    -= alpha Ap
//	z     = M^-1 r
//	beta  = r·z / (previous r·z)
//	p     = z + beta p
//
// with z = r without a preconditioner. A flexible preconditioner leaves p conjugate to the
// p before it with
//
//	beta = z·(r - previous r) / (previous r·z) = -alpha z·Ap / (previous r·z)
//
// ([GolubYe99]), which takes one inner product more and no vector. So does Options.Flexible
// without one.
//
// Where the residual replaces the one at which the last solve ended (Options.Replaces,
// [VorstYe00]), the first direction is conjugate to the last one of that solve,
//
//	beta = -z·Ap / p·Ap
//
// so that what the iterations before have learnt about A is not lost. The quotient of r·z
// would trust the part of the new residual that is not in the Krylov space, and takes many
// times the iterations where that is large in the norm of M^-1.
//
// One product and three passes over vectors per iteration, and a product to
// confirm that it has converged. Memory: 3 n-vectors besides x and b, and one more
// for z. Traffic per iteration besides A: reads 8, writes 4 n-vectors; besides M,
// z reads 2 more, 4 if flexible. A [FusedPreconditioner] has its own z. On vectors of
// several processes r·r and r·z are one message, and an iteration has two, or one in a space that joins
// them, with another form of the recurrence and a vector more ([ChronGear89]).
func NewCG[V any, S linop.Scalar[S]](space linop.Space[V, S]) Method[V, S] {
	m := &cg[V, S]{driver: newDriver(space, newDeferral(space)), p: space.New(), q: space.New()}
	m.separate.preconditioned = &m.pre
	m.joined.cg, m.joined.on = m, joins(space)
	return m
}

// Name returns "cg".
func (*cg[V, S]) Name() string { return "cg" }

// Solve implements Method. It stops with Indefinite where p·Ap <= 0, with
// IndefinitePreconditioner where r·z <= 0.
func (m *cg[V, S]) Solve(ctx context.Context, a linop.Operator[V, S], x, b V, opt Options[V]) Result {
	m.z = m.separate.fused(opt.Precond, opt.Flexible)
	defer func() { m.z = nil }()
	var it iteration[V, S] = m
	if m.joined.on != nil && !opt.Flexible && m.z == FusedPreconditioner[V, S](&m.separate) {
		it = &m.joined
		m.joined.begin(opt.Resume != nil)
	}
	return m.solve(ctx, it, a, x, b, opt, cgWindow(m.space.Dim()), math.MaxInt)
}

// Direction is the last p: after Indefinite the one with p·Ap <= 0.
func (m *cg[V, S]) Direction() V { return m.p }

func (m *cg[V, S]) start() (reason Reason) {
	goOn := m.replacing()
	m.z.Input(m.r, m.rr)
	m.rho, reason = m.positive(m.z.ApplyInput(), IndefinitePreconditioner)
	if !goOn || reason != Running {
		m.space.Zero(m.p)
		m.z.Direction(m.space.Scalar(0), m.p)
		return reason
	}
	old := m.x // which is zero yet
	m.space.Copy(old, m.p)
	m.z.Direction(m.space.Scalar(0), m.p)
	m.space.Axpy(m.space.Dot(m.p, m.q).Div(m.pq).Neg(), old, m.p)
	m.space.Zero(m.x)
	return Running
}

func (m *cg[V, S]) step() (s scalars[S], reason Reason) {
	m.pq, reason = m.positive(m.a.ApplyDot(m.q, m.p, m.p), Indefinite)
	if reason != Running {
		return s, reason
	}
	m.alpha = m.rho.Div(m.pq)
	s.rr = m.z.StepInput(m.alpha, m.p, m.x, m.q, m.r)
	return s, Running
}

func (m *cg[V, S]) direction() (reason Reason) {
	rho := m.z.ApplyInput()
	beta := rho.Div(m.rho)
	if m.flexible() {
		beta = m.alpha.Mul(m.space.Dot(m.separate.z, m.q)).Div(m.rho).Neg()
	}
	m.z.Direction(beta, m.p)
	m.rho, reason = m.positive(rho, IndefinitePreconditioner)
	return reason
}

func (m *cg[V, S]) keeps(bool) kept[V, S] {
	return kept[V, S]{vectors: []V{m.x, m.r, m.p}, scalars: []*S{&m.rho}}
}

// fits reports whether s is a state of one of the two iterations.
func (m *cg[V, S]) fits(k kept[V, S], s *State[V]) bool {
	return m.driver.fits(k, s) || m.joined.on != nil && m.driver.fits(m.joined.keeps(false), s)
}

// cgWindow is the number of iterations without a new least residual after which CG gives
// up: more than stagnationWindow, since it makes the error small, not the residual. On an
// ill-conditioned matrix this may stay above its starting value for many times n
// iterations, above all in a refinement step, whose right-hand side is what the step
// before found hard.
func cgWindow(n int) int { return max(1000, 10*n) }
