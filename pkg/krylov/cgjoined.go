package krylov

import "github.com/mpsolve/mpsolve/pkg/linop"

// joiner is a space whose inner products wait for that of a product, for one message of all of them; see linop.Host.
type joiner[V, S any] interface {
	Joins() bool
	DirectionStep(b, a S, z, w, p, q, x, r V)
	HoldDot(x, y V)
	Held(sums []S)
}

// joins returns the space as one that joins inner products, nil if it does not.
func joins[V any, S linop.Scalar[S]](space linop.Space[V, S]) joiner[V, S] {
	if j, ok := space.(joiner[V, S]); ok && j.Joins() {
		return j
	}
	return nil
}

// joinedCG is the iteration of conjugate gradients with one sum ([ChronGear89]). It multiplies z = M^-1 r instead of p, so that r·r, r·z and z·Az are
// needed at the same time, and gets A p and p·Ap by recurrence:
//
//	beta  = r·z / (previous r·z)
//	p     = z + beta p
//	Ap    = Az + beta Ap
//	p·Ap  = z·Az - beta^2 (previous p·Ap)
//	alpha = r·z / p·Ap
//	x    += alpha p
//	r    -= alpha Ap
//	z     = M^-1 r
//
// Its vectors change in one pass.
type joinedCG[V any, S linop.Scalar[S]] struct {
	*cg[V, S]
	on   joiner[V, S] // nil: inner products are not joined
	z, w V            // w = A z
	made bool         // there is a vector for w

	rz, zw S
	beta   S
	held   [2]S
}

// begin makes the iteration ready for a solve.
func (m *joinedCG[V, S]) begin(resumes bool) {
	if !m.made {
		m.w, m.made = m.space.New(), true
	}
	if resumes {
		m.z = m.pre.vector(0) // a state has z even where it is r
	}
}

func (m *joinedCG[V, S]) start() (reason Reason) {
	goOn := m.replacing()
	m.on.HoldDot(m.r, m.r)
	m.images()
	m.beta = m.space.Scalar(0)
	if goOn {
		m.beta = m.space.Dot(m.p, m.w).Div(m.pq).Neg()
	} else {
		m.space.Zero(m.p)
		m.space.Zero(m.q)
		m.pq = m.beta
	}
	return m.next()
}

func (m *joinedCG[V, S]) step() (s scalars[S], reason Reason) {
	if !(m.pq.Float() > trusted*m.zw.Float()) {
		reason = m.plain()
	} else {
		m.alpha = m.rho.Div(m.pq)
		m.on.DirectionStep(m.beta, m.alpha, m.z, m.w, m.p, m.q, m.x, m.r)
	}
	if reason != Running {
		return s, reason
	}
	m.images()
	s.rr = m.held[0]
	return s, Running
}

// trusted is the least share of z·Az for which p·Ap is taken from the recurrence, a difference.
const trusted = 0x1p-20

// plain makes a step with A p and p·Ap themselves.
func (m *joinedCG[V, S]) plain() (reason Reason) {
	m.space.Xpay(m.z, m.beta, m.p)
	if m.pq, reason = m.positive(m.a.ApplyDot(m.q, m.p, m.p), Indefinite); reason != Running {
		return reason
	}
	m.alpha = m.rho.Div(m.pq)
	m.space.Axpy(m.alpha, m.p, m.x)
	m.space.Axpy(m.alpha.Neg(), m.q, m.r)
	m.on.HoldDot(m.r, m.r)
	return Running
}

func (m *joinedCG[V, S]) direction() Reason {
	m.beta = m.rz.Div(m.rho)
	return m.next()
}

func (m *joinedCG[V, S]) keeps(bool) kept[V, S] {
	return kept[V, S]{vectors: []V{m.x, m.r, m.p, m.q, m.w, m.z}, scalars: []*S{&m.rho, &m.pq, &m.zw, &m.beta}}
}

// next sets what the next step divides.
func (m *joinedCG[V, S]) next() (reason Reason) {
	m.rho, reason = m.positive(m.rz, IndefinitePreconditioner)
	m.pq = m.zw.Sub(m.beta.Mul(m.beta).Mul(m.pq))
	return reason
}

// images makes z and w of r, and fetches r·r, which is held, with r·z and z·w.
func (m *joinedCG[V, S]) images() {
	m.z = m.pre.apply(0, m.r)
	sums := m.held[:1]
	if m.pre.by != nil {
		m.on.HoldDot(m.r, m.z)
		sums = m.held[:]
	}
	m.zw = m.a.ApplyDot(m.w, m.z, m.z)
	m.on.Held(sums)
	m.rz = sums[len(sums)-1]
}
