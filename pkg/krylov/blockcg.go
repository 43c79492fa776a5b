package krylov

import (
	"context"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// BlockCG is the block conjugate gradient method ([OLeary80]) for several right-hand sides at once. Residuals are kept as R = Q C, where the vectors Q are
// well-conditioned, and C has what right-hand sides have in common, so that Q does not come near to dependent vectors as residuals do ([Dubrulle01]):
//
//	alpha = (S^T A S)^-1 (Q^T Z)
//	X    += S alpha C
//	Q    -= A S alpha
//	Z     = M^-1 Q
//	beta  = (previous Q^T Z)^-1 (Q^T Z)
//	S     = Z + S beta
//
// with S = Z at first. Where Q^T Z shows that Q is not well-conditioned any more, Q = Q' zeta with Q'^T M^-1 Q' = I takes its place, by Cholesky's method
// with pivoting, Z likewise, and zeta C that of C, which is method BCGrQ of [Dubrulle01], in the inner product of M^-1. Vectors that depend on others, as those of equal right-hand
// sides do, are left out of the block then, as in [JiLi17].
//
// Each x minimises its error in the norm of A over the sum of the Krylov spaces of all right-hand sides, so that there are
// fewer iterations than each would take by itself, and each takes products with A, applications of M and passes over
// vectors for all of them at once. Directions of right-hand sides that have converged stay in the block, unless half of it or less goes on for a quarter more
// iterations: then those columns of Q and S go on that span the residuals that are left.
//
// One product with s vectors and some 5 s^2 n multiplications besides in an iteration. Memory: 4 s vectors besides x and b, 3 s without a
// preconditioner, and one. Results have the same bits for any number of threads, but x depends on the other right-hand sides within its tolerance.
type BlockCG struct {
	space      linop.Host
	q, s, y, z [][]float64 // as many as the block once had; y = A s
	work       []float64
	width      int // of the block now

	left map[*float64]float64 // sizes of the residuals that the last solve left orthogonal to its directions, by the address of x

	steps, half int // so far, and while more than half of the block was going on

	a       linop.SeveralOperator
	by      SeveralPreconditioner
	columns []*running   // of C
	c       coefficients // r_j = sum_i c_ij q_i
	g       coefficients // Q^T Z
}

// A SeveralPreconditioner is applied to several vectors at once: dst[k] = M^-1 src[k].
type SeveralPreconditioner interface{ ApplyMany(dst, src [][]float64) }

// NewBlockCG returns the method with its work vectors in space.
func NewBlockCG(space linop.Host) *BlockCG { return &BlockCG{space: space} }

// Solve solves for all columns, with M^-1 = by, nil: I, and sets their Results. They end with Indefinite where S^T A S is not positive definite, with
// IndefinitePreconditioner where Q^T M^-1 Q is not, and with Breakdown where roundings decide that.
func (m *BlockCG) Solve(ctx context.Context, a linop.SeveralOperator, by SeveralPreconditioner, columns []*Column) {
	m.a, m.by = a, by
	replaces := m.begin(ctx, columns)
	m.steps, m.half = 0, 0
	if reason := m.start(replaces); reason != Running {
		m.fail(reason)
	}
	for m.going() > 0 {
		if reason := m.step(); reason != Running {
			m.fail(reason)
		}
	}
	m.left = map[*float64]float64{}
	for _, k := range m.columns {
		if k.Result.Reason == Converged {
			m.left[&k.X[0]] = k.size
		}
	}
	m.a, m.by, m.columns = nil, nil, nil
}

// start makes the first block of the residuals in q: they replace the residuals of the last solve, see Options.Replaces.
func (m *BlockCG) start(replaces bool) Reason {
	before := m.s[:m.width]
	m.width = len(m.columns)
	if m.width == 0 {
		return Running
	}
	m.c = newCoefficients(m.width, m.width)
	for j, q := range m.q[:m.width] {
		size := norm(m.space.Dot(q, q))
		m.space.Scale(linop.Float64(1/size), q)
		m.c.set(j, j, size)
	}
	inverse, goOn := coefficients{}, replaces && len(before) > 0
	if goOn {
		inverse, goOn = m.project(before)
	}
	m.apply()
	t, zeta, reason := m.orthonormalise(m.gramOf(nil))
	if reason != Running {
		return reason
	}
	s := newCoefficients(len(before), zeta.rows)
	if goOn {
		yz := newCoefficients(len(before), m.width)
		m.space.Gram(yz.a, m.y[:len(before)], m.applied())
		s = inverse.times(yz).times(t).scaled(-1)
	}
	m.turn(t, zeta, before, s)
	return Running
}

// project makes the residuals orthogonal to the last directions of the solve before: x += S D^-1 S^T r, D = S^T A S, whose inverse it returns. Then the first
// directions of this one, S' = Z - S D^-1 (A S)^T Z, may be conjugate to these, so that what the iterations before have learnt is not lost.
func (m *BlockCG) project(s [][]float64) (inverse coefficients, ok bool) {
	q, y := m.q[:m.width], m.y[:len(s)]
	m.multiply(y, s)
	d, sq := newCoefficients(len(s), len(s)), newCoefficients(len(s), m.width)
	m.space.GramSymmetric(d.a, s, y)
	inverse, reason := d.inverseDefinite()
	if reason != Running {
		return inverse, false
	}
	m.space.Gram(sq.a, s, q)
	x := inverse.times(sq)
	m.space.Combine(x.times(m.c).a, s, m.xs(), true)
	m.space.Combine(x.scaled(-1).a, y, q, true)
	return inverse, true
}

// step is an iteration.
func (m *BlockCG) step() Reason {
	q, s, y := m.q[:m.width], m.s[:m.width], m.y[:m.width]
	m.multiply(y, s)
	d := newCoefficients(m.width, m.width)
	m.space.GramSymmetric(d.a, s, y)
	inverse, reason := d.inverseDefinite()
	if reason != Running {
		return reason
	}
	alpha := inverse.times(m.g)
	m.space.Combine(alpha.times(m.c).a, s, m.xs(), true)
	m.space.Combine(alpha.scaled(-1).a, y, q, true)
	if m.judge(); m.going() == 0 {
		return Running
	}
	if reason = m.direction(); reason == Running {
		m.narrow()
	}
	return reason
}

// direction makes the next directions.
func (m *BlockCG) direction() Reason {
	inverse, reason := m.g.inverseDefinite()
	if reason != Running {
		return reason
	}
	m.apply()
	m.g = m.gramOf(nil)
	if m.g.wellConditioned() {
		next := m.y[:m.width]
		m.space.Combine(inverse.times(m.g).a, m.s[:m.width], next, false)
		for k, z := range m.applied() {
			m.space.Axpy(1, z, next[k])
		}
		m.s, m.y = m.y, m.s
		return Running
	}
	t, zeta, reason := m.orthonormalise(m.g)
	if reason != Running {
		return reason
	}
	m.turn(t, zeta, m.s[:m.width], inverse.times(zeta.transposed()))
	return Running
}

// apply computes Z = M^-1 Q.
func (m *BlockCG) apply() {
	if m.by != nil {
		m.by.ApplyMany(m.z[:m.width], m.q[:m.width])
	}
}

// turn makes the next block of vectors from the vectors of q and z: Q = Q t, S = Z t + S b with the directions before, and C = zeta C.
func (m *BlockCG) turn(t, zeta coefficients, before [][]float64, b coefficients) {
	old, z := m.width, m.applied()
	m.width = zeta.rows
	next := m.y[:m.width]
	m.space.Combine(b.a, before, next, false)
	m.space.Combine(t.a, z, next, true)
	m.s, m.y = m.y, m.s
	m.combine(&m.q, old, t)
	m.c, m.g = zeta.times(m.c), identity(m.width)
}

// patience is how many times the iterations go on for half of the block or less before it is narrowed: most right-hand sides take about as
// many, and those that stay may go on from here, see Options.Replaces.
const patience = 1.25

// narrow leaves out of the block what is for columns that have ended, where they are half of it or more, for some time: Q V and S V go on with V^T C, where the columns of
// V are an orthonormal basis of those of C that are left.
func (m *BlockCG) narrow() {
	if m.steps++; 2*m.going() > m.width {
		m.half = m.steps
		return
	}
	if float64(m.steps) <= patience*float64(m.half) {
		return
	}
	m.half = m.steps
	m.keep(func(k *running) bool { return !k.done })
	v := m.c.basis()
	if v.cols >= m.width {
		return
	}
	old := m.width
	m.width = v.cols
	m.c, m.g = v.transposed().times(m.c), v.transposed().times(m.g).times(v)
	m.combine(&m.q, old, v)
	m.combine(&m.s, old, v)
}

// combine makes of the first count vectors of a block their combinations by the columns of t. It takes y for that.
func (m *BlockCG) combine(block *[][]float64, count int, t coefficients) {
	m.space.Combine(t.a, (*block)[:count], m.y[:t.cols], false)
	*block, m.y = m.y, *block
}

// multiply computes dst = A src.
func (m *BlockCG) multiply(dst, src [][]float64) {
	products := make([]linop.Product, len(src))
	for k := range products {
		products[k] = linop.Product{Dst: dst[k], Src: src[k]}
	}
	m.a.Several(products)
}

// xs are the x of all columns.
func (m *BlockCG) xs() (x [][]float64) {
	for _, k := range m.columns {
		x = append(x, k.X)
	}
	return x
}

// applied is Z = M^-1 Q as it was computed last.
func (m *BlockCG) applied() [][]float64 {
	if m.by == nil {
		return m.q[:m.width]
	}
	return m.z[:m.width]
}

// room makes vectors for a block of so many columns.
func (m *BlockCG) room(count int) {
	for len(m.q) < count {
		m.q, m.s, m.y = append(m.q, m.space.New()), append(m.s, m.space.New()), append(m.y, m.space.New())
	}
	for m.by != nil && len(m.z) < count {
		m.z = append(m.z, m.space.New())
	}
	if m.work == nil {
		m.work = m.space.New()
	}
}
