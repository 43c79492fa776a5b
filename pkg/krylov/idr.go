package krylov

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// DefaultIDR is the default of IDROptions.S.
const DefaultIDR = 4

// IDROptions are the parameters of IDR; the zero value is useful.
type IDROptions struct {
	S int // dimension s of the shadow space; 0: DefaultIDR
}

// size is s for a system of n unknowns.
func (o IDROptions) size(n int) int {
	if o.S <= 0 {
		return max(1, min(DefaultIDR, n))
	}
	return max(1, min(o.S, n))
}

// idrVectors is the memory of the method.
func idrVectors(n int, use Use) int { return 3*use.IDR.size(n) + 3 }

// idr is the induced dimension reduction method IDR(s) for general A, in the variant that
// makes use of bi-orthogonality ([Gijzen11], figure 3). Its residuals lie in spaces G_0, G_1, ... with
//
//	G_j = (I - omega_j B) (G_(j-1) ∩ S),  B = A M^-1,
//
// where S is orthogonal to s random vectors p_i, so that each G_j has fewer dimensions than
// the one before. In each, s steps make g_k = A u_k and r, with mu_ik = p_i·g_k,
//
//	v    = r - sum_(i>=k) gamma_i g_i,  with p_i·v = 0 for i >= k
//	u_k  = sum_(i>=k) gamma_i u_i + omega M^-1 v
//	g_k  = A u_k, minus those g_i, i < k, that make it orthogonal to p_i; u_k likewise
//	beta = p_k·r / mu_kk
//	x   += beta u_k,  r -= beta g_k
//
// after which r is orthogonal to p_1 ... p_k, and another one takes it to the next space:
//
//	x   += omega M^-1 r,  r -= omega B r
//
// with the omega that minimises ||r||, made larger where r and B r are nearly orthogonal
// ([SleijpenVorst95]). With s = 1 this is as good as BiCGStab; a larger s takes fewer products, at most
// n + n/s in exact arithmetic, and more vectors. Each of these steps counts as an iteration. The p_i are the same in
// every solve.
//
// One product per iteration, and one to confirm that it has converged. Memory: 3 s + 3
// n-vectors besides x and b; a preconditioner takes no more. Where mu_kk vanishes the iteration restarts.
// Traffic per iteration besides A: reads about 5 s + 8, writes s + 5 n-vectors. On an
// asynchronous space it waits for scalars in every iteration.
type idr[V any, S linop.Scalar[S]] struct {
	driver[V, S]
	p, g, u []V // s of each; p are made by the first solve
	v, t    V
	made    bool // p

	k     int // steps since r entered its space
	omega S
	f     []S // p_i·r
	mu    [][]S
	gamma []S
}

// newIDR returns the method with its work vectors in space.
func newIDR[V any, S linop.Scalar[S]](space linop.Space[V, S], opt IDROptions) Method[V, S] {
	s := opt.size(space.Dim())
	m := &idr[V, S]{driver: newDriver(space, deferral[V, S]{}), v: space.New(), t: space.New(), f: make([]S, s), gamma: make([]S, s)}
	for range s {
		m.p, m.g, m.u = append(m.p, space.New()), append(m.g, space.New()), append(m.u, space.New())
		m.mu = append(m.mu, make([]S, s))
	}
	return m
}

// Name returns "idr".
func (*idr[V, S]) Name() string { return "idr" }

// Solve implements Method.
func (m *idr[V, S]) Solve(ctx context.Context, a linop.Operator[V, S], x, b V, opt Options[V]) Result {
	if !m.made {
		m.shadow()
		m.made = true
	}
	return m.solve(ctx, m, a, x, b, opt, stagnationWindow(m.space.Dim()), maxRestarts)
}

// shadow makes p orthonormal vectors at random.
func (m *idr[V, S]) shadow() {
	for k, v := range m.p {
		m.space.Fill(v, normal(uint64(k)))
		for _, q := range m.p[:k] {
			m.space.Axpy(m.space.Dot(v, q).Neg(), q, v)
		}
		m.space.Scale(m.space.Scalar(1).Div(m.space.Dot(v, v).Sqrt()), v)
	}
}

// normal returns a function that draws element i of random vector k, for ascending i. There is a stream for each shadowBlock elements,
// so that processes that share the vector need not draw what is before their own.
func normal(k uint64) func(i int) float64 {
	var rng *rand.Rand
	block, next := -1, 0 // the stream and the element that it draws next
	return func(i int) float64 {
		if i/shadowBlock != block {
			block = i / shadowBlock
			next = block * shadowBlock
			rng = rand.New(rand.NewPCG(shadowSeed+uint64(block)<<32, k))
		}
		for ; next < i; next++ {
			rng.NormFloat64()
		}
		next++
		return rng.NormFloat64()
	}
}

const (
	shadowSeed  = 913
	shadowBlock = 1 << 16
	// leastCosine is the cosine of r and B r from which omega is made larger.
	leastCosine = 0.7
)

func (m *idr[V, S]) start() Reason {
	zero, one := m.space.Scalar(0), m.space.Scalar(1)
	for k := range m.p {
		m.space.Zero(m.g[k])
		m.space.Zero(m.u[k])
		for i := range m.p {
			m.mu[i][k] = zero
		}
		m.mu[k][k] = one
	}
	m.omega, m.k = one, 0
	m.space.MultiDot(m.f, m.p, m.r)
	return Running
}

func (m *idr[V, S]) step() (s scalars[S], reason Reason) {
	if m.k < len(m.p) {
		return m.within()
	}
	return m.reduce()
}

// within is a step in the space that r is in.
func (m *idr[V, S]) within() (s scalars[S], reason Reason) {
	k, space := m.k, m.space
	m.solveLower()
	space.Copy(m.v, m.r)
	for i := k; i < len(m.p); i++ {
		space.Axpy(m.gamma[i].Neg(), m.g[i], m.v)
	}
	next := &m.v // becomes u_k
	if m.pre.by != nil {
		m.pre.by.Apply(m.t, m.v)
		next = &m.t
	}
	space.Scale(m.omega, *next)
	space.MultiAxpy(m.gamma[k:], m.u[k:], *next)
	m.u[k], *next = *next, m.u[k]
	u, g := m.u[k], m.g[k]
	h := m.a.ApplyDot(g, u, m.p[0])
	for i := range k {
		alpha := h.Div(m.mu[i][i]).Neg()
		h = space.AxpyDot(alpha, m.g[i], g, m.p[i+1])
		space.Axpy(alpha, m.u[i], u)
	}
	if reason := usable(h.Float(), h.Float() != 0, again); reason != Running {
		return s, reason
	}
	m.mu[k][k] = h
	for i := k + 1; i < len(m.p); i++ {
		m.mu[i][k] = space.Dot(m.p[i], g)
	}
	beta := m.f[k].Div(h)
	s.rr = space.Step(beta, u, m.x, g, m.r)
	m.f[k] = space.Scalar(0)
	for i := k + 1; i < len(m.p); i++ {
		m.f[i] = m.f[i].Sub(beta.Mul(m.mu[i][k]))
	}
	m.k++
	return s, Running
}

// solveLower solves mu gamma = f in the unknowns from k on; mu is lower triangular.
func (m *idr[V, S]) solveLower() {
	for i := m.k; i < len(m.p); i++ {
		m.gamma[i] = m.f[i]
		for j := m.k; j < i; j++ {
			m.gamma[i] = m.gamma[i].Sub(m.mu[i][j].Mul(m.gamma[j]))
		}
		m.gamma[i] = m.gamma[i].Div(m.mu[i][i])
	}
}

// reduce is the step to the next space.
func (m *idr[V, S]) reduce() (s scalars[S], reason Reason) {
	space, z := m.space, m.r
	if m.pre.by != nil {
		m.pre.by.Apply(m.v, m.r)
		z = m.v
	}
	rr := space.Dot(m.r, m.r)
	tr, tt := m.a.ApplyDots(m.t, z, m.r)
	cosine := math.Abs(tr.Float()) / (norm(tt) * norm(rr))
	if reason := usable(cosine, cosine != 0, Breakdown); reason != Running {
		if tt.Float() == 0 {
			reason = Breakdown
		}
		return s, reason
	}
	m.omega = tr.Div(tt)
	if cosine < leastCosine {
		m.omega = m.omega.Mul(space.Scalar(leastCosine / cosine))
	}
	space.Axpy(m.omega, z, m.x)
	s.rr = space.AxpyDot(m.omega.Neg(), m.t, m.r, m.r)
	space.MultiDot(m.f, m.p, m.r)
	m.k = 0
	return s, Running
}

func (m *idr[V, S]) keeps(bool) kept[V, S] {
	k := kept[V, S]{vectors: []V{m.x, m.r}, scalars: []*S{&m.omega}, counts: []*int{&m.restarts, &m.k}}
	k.vectors = append(append(k.vectors, m.g...), m.u...)
	for i := range m.p {
		k.scalars = append(k.scalars, &m.f[i])
		for j := range i + 1 {
			k.scalars = append(k.scalars, &m.mu[i][j])
		}
	}
	return k
}
