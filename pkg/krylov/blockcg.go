package krylov

import (
	"context"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// BlockCG is the block conjugate gradient method ([OLeary80]) for several right-hand sides at once, in the variant of
// Dubrulle that keeps residuals as R = Q C with orthonormal Q ([Dubrulle01], method BCGrQ), in the inner product of the
// preconditioner: Q^T Z = I, Z = M^-1 Q.
//
//	D  = S^T A S
//	X += S D^-1 C
//	Q' = Q - A S D^-1                  so that R = Q' C
//	Z' = M^-1 Q'
//	Q' = Q zeta, Q^T M^-1 Q = I        by Cholesky's method, Z likewise
//	C  = zeta C
//	S  = Z + S zeta^T
//
// with S = Z at first. Each x minimises its error in the norm of A over the sum of the Krylov spaces of all right-hand sides, so that there are
// fewer iterations than each would take by itself, and each takes products with A, applications of M and passes over
// vectors for all of them at once. C has what right-hand sides have in common, so that Q does not come near to dependent vectors as residuals
// do; vectors that depend on others nevertheless, as equal right-hand sides do, are left out of the block, as in [JiLi17]. Right-hand
// directions of what has converged stay in the block, unless half of the block or less goes on for a quarter more iterations: then those columns of Q and S go on that
// span its residuals.
//
// One product with s vectors and some 7 s^2 n multiplications besides in an iteration. Memory: 4 s vectors besides x and b, 3 s without a
// preconditioner. Results have the same bits for any number of threads, but x depends on the other right-hand sides within its tolerance.
type BlockCG struct {
	space      *linop.Host
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

// A Column is one of several right-hand sides, with its own tolerance, measure and limits: Tol, MaxIter, Measure, Guess, Monitor, Watch, Replaces
// and Unconfirmed of its Options count.
type Column struct {
	X, B    []float64
	Options Options[[]float64]
	Result  Result // after Solve
}

// running is a Column under way.
type running struct {
	*Column
	c    convergence[[]float64]
	done bool
	size float64 // of the residual
}

// NewBlockCG returns the method with its work vectors in space.
func NewBlockCG(space *linop.Host) *BlockCG { return &BlockCG{space: space} }

// Name returns "block cg".
func (*BlockCG) Name() string { return "block cg" }

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

// begin computes the first residuals, in q, and tells whether all replace those of the last solve.
func (m *BlockCG) begin(ctx context.Context, columns []*Column) (replaces bool) {
	m.room(len(columns))
	m.columns, replaces = nil, true
	for _, column := range columns {
		k := &running{Column: column}
		q := m.q[len(m.columns)]
		if m.residual(ctx, k, q); k.done {
			continue
		}
		m.columns = append(m.columns, k)
		replaces = replaces && m.goesOn(column, q)
	}
	return replaces
}

// goesOn reports whether a residual is about as large as the one that it replaces, so that it may be as orthogonal to the last directions.
func (m *BlockCG) goesOn(k *Column, r []float64) bool {
	was := m.left[&k.X[0]] * k.Options.Replaces
	return was > 0 && norm(m.space.Dot(r, r)) <= 2*was
}

// residual computes that of a column, and judges it.
func (m *BlockCG) residual(ctx context.Context, k *running, r []float64) {
	window, opt := cgWindow(m.space.Dim()), k.Options
	bb := m.space.Dot(k.B, k.B)
	switch {
	case isZero(m.space, k.B, bb, r):
		m.space.Zero(k.X)
		k.c.begin(ctx, opt, window, 1, 0)
		k.end(ZeroRHS)
		return
	case opt.Guess:
		m.trueResidual(r, k.Column)
	default:
		m.space.Zero(k.X)
		m.space.Copy(r, k.B)
	}
	bnorm, rnorm := norm(bb), norm(m.space.Dot(r, r))
	k.c.begin(ctx, opt, window, bnorm, rnorm)
	least := bnorm
	if opt.Measure == nil {
		least *= k.c.opt.Tol
	}
	if !finite(rnorm) || !finite(bnorm) || least < leastNorm {
		k.end(NotFinite)
		return
	}
	k.end(k.c.judge(k.X, r, rnorm))
}

// trueResidual computes r = b - A x.
func (m *BlockCG) trueResidual(r []float64, k *Column) {
	m.a.Several([]linop.Product{{Epilogue: linop.Residual, Dst: r, Src: k.X, B: k.B}})
}

// end ends a column for a reason, unless that is Running.
func (k *running) end(reason Reason) {
	if reason != Running {
		k.done = true
		k.Result = k.c.result
		k.Result.Reason = reason
	}
}

// fail ends all columns that are under way.
func (m *BlockCG) fail(reason Reason) {
	for _, k := range m.columns {
		if !k.done {
			k.end(reason)
		}
	}
}

// going is the number of columns under way.
func (m *BlockCG) going() (count int) {
	for _, k := range m.columns {
		if !k.done {
			count++
		}
	}
	return count
}

// start makes the first block of the residuals in q: they replace those of the last solve, see Options.Replaces.
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
	t, zeta, reason := m.orthonormalise()
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
	before := m.g
	m.apply()
	m.g = m.gramOf(nil)
	if s := m.s[:m.width]; m.g.wellConditioned() {
		beta, reason := before.inverseDefinite()
		if reason != Running {
			return reason
		}
		next := m.y[:m.width]
		m.space.Combine(beta.times(m.g).a, s, next, false)
		for k, z := range m.applied() {
			m.space.Axpy(1, z, next[k])
		}
		m.s, m.y = m.y, m.s
		return Running
	}
	inverse, reason := before.inverseDefinite()
	if reason != Running {
		return reason
	}
	t, zeta, reason := m.orthonormalise()
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

// turn makes the next block of vectors from those of q and z: Q = Q t, S = Z t + S b with the directions before, and C = zeta C.
func (m *BlockCG) turn(t, zeta coefficients, before [][]float64, b coefficients) {
	old := m.width
	m.width = zeta.rows
	next := m.y[:m.width]
	m.space.Combine(b.a, before, next, false)
	z := m.q
	if m.by != nil {
		z = m.z
	}
	m.space.Combine(t.a, z[:old], next, true)
	m.s, m.y = m.y, m.s
	m.space.Combine(t.a, m.q[:old], m.y[:m.width], false)
	m.q, m.y = m.y, m.q
	m.c, m.g = zeta.times(m.c), identity(m.width)
}

// judge looks at the residuals Q C of all columns after a step. A column that has converged goes along if it is unconfirmed, so that its residual is
// orthogonal to the same directions as those of the others, see Options.Replaces.
func (m *BlockCG) judge() {
	q := m.q[:m.width]
	g := newCoefficients(m.width, m.width)
	m.space.GramSymmetric(g.a, q, q)
	gc := g.times(m.c)
	var left []*running
	var at []int
	for j, k := range m.columns {
		rr := 0.0
		for i := range m.width {
			rr += float64(m.c.at(i, j) * gc.at(i, j))
		}
		rnorm := norm(linop.Float64(max(0, rr)))
		if !k.done {
			k.end(m.look(k, j, rnorm))
		}
		if k.size = rnorm; !k.done || k.Result.Reason == Converged && k.Options.Unconfirmed {
			left, at = append(left, k), append(at, j)
		}
	}
	m.columns, m.c = left, m.c.picked(at)
}

// look judges column j by its residual.
func (m *BlockCG) look(k *running, j int, rnorm float64) Reason {
	if reason := k.c.step(rnorm); reason != Running {
		return reason
	}
	if k.c.near(rnorm) {
		m.space.Combine(m.c.picked([]int{j}).a, m.q[:m.width], [][]float64{m.work}, false)
	}
	reason := k.c.judge(k.X, m.work, rnorm)
	if reason == Converged {
		reason = m.confirm(k)
	}
	return reason
}

// confirm recomputes the residual of a column that meets the tolerance by its recurrence.
func (m *BlockCG) confirm(k *running) Reason {
	if k.c.opt.Unconfirmed {
		return Converged
	}
	m.trueResidual(m.work, k.Column)
	k.c.restart(k.X, m.work, norm(m.space.Dot(m.work, m.work)))
	if k.c.measure <= nearly*k.c.opt.Tol {
		return Converged
	}
	return Drift
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
	var left []*running
	var at []int
	for j, k := range m.columns {
		if !k.done {
			left, at = append(left, k), append(at, j)
		}
	}
	m.columns, m.c = left, m.c.picked(at)
	v := m.c.basis()
	if v.cols >= m.width {
		return
	}
	old := m.width
	m.width = v.cols
	m.c, m.g = v.transposed().times(m.c), v.transposed().times(m.g).times(v)
	m.space.Combine(v.a, m.q[:old], m.y[:m.width], false)
	m.q, m.y = m.y, m.q
	m.space.Combine(v.a, m.s[:old], m.y[:m.width], false)
	m.s, m.y = m.y, m.s
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
