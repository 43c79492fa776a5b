package krylov

import (
	"context"
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

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

// begin computes the first residuals, in q, and reports whether all replace the residuals of the last solve.
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

// residual computes the residual of a column, and judges it.
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
	reason := k.c.first(ctx, opt, window, bnorm, rnorm)
	if reason == Running {
		reason = k.c.judge(k.X, r, rnorm)
	}
	k.end(reason)
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

// judge looks at the residuals Q C of all columns after a step. A column that has converged goes along if it is unconfirmed, so that its residual is
// orthogonal to the same directions as the residuals of the other columns, see Options.Replaces.
func (m *BlockCG) judge() {
	q := m.q[:m.width]
	g := newCoefficients(m.width, m.width)
	m.space.GramSymmetric(g.a, q, q)
	gc := g.times(m.c)
	for j, k := range m.columns {
		rr := 0.0
		for i := range m.width {
			rr += float64(m.c.at(i, j) * gc.at(i, j))
		}
		rnorm := norm(linop.Float64(max(0, rr)))
		if !k.done {
			k.end(m.look(k, j, rnorm))
		}
		k.size = rnorm
	}
	m.keep(func(k *running) bool { return !k.done || k.Result.Reason == Converged && k.Options.Unconfirmed })
}

// keep leaves out of the columns and of C those that do not stay.
func (m *BlockCG) keep(stays func(k *running) bool) {
	var left []*running
	var at []int
	for j, k := range m.columns {
		if stays(k) {
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

const (
	// wellApart is the square of the share of a vector that must be independent of others so that it is made orthonormal along with them: the
	// rest is made orthogonal to these first.
	wellApart = 1e-8
	// dependent is the share of a vector that roundings leave of what depends on others.
	dependent = 1e-11
)

// orthonormalise finds t with (Q t)^T M^-1 (Q t) = I and zeta with Q = (Q t) zeta: by Cholesky's method with pivoting, in several
// rounds where vectors are nearly dependent on others; what these contribute to them is taken from them and their z. Vectors that are dependent are left
// out of t. g is Q^T Z. The Reason is Running, or IndefinitePreconditioner, NotFinite, or Breakdown where nothing is left.
func (m *BlockCG) orthonormalise(g coefficients) (t, zeta coefficients, reason Reason) {
	n := m.width
	t, zeta = newCoefficients(n, n), newCoefficients(n, n)
	rest, rank := make([]int, n), 0
	for j := range rest {
		rest[j] = j
	}
	sizes, reason := sizesOf(g) // of the vectors as they were
	if reason != Running {
		return t, zeta, reason
	}
	for len(rest) > 0 {
		rest, g = independent(rest, g, sizes)
		roots, ok := g.unitDiagonal()
		if !ok || len(rest) == 0 {
			break
		}
		u, order, accepted, _ := g.cholesky(wellApart)
		inverse := u.inverseUpper(accepted)
		for l := range accepted {
			for i := range l + 1 {
				t.set(rest[order[i]], rank+l, inverse.at(i, l)/roots[order[i]])
			}
			for k, j := range order {
				zeta.set(rank+l, rest[j], u.at(l, k)*roots[j])
			}
		}
		rest = m.takeOff(rest, order, accepted, rank, t, zeta)
		rank += accepted
		if len(rest) > 0 {
			g = m.gramOf(rest)
		}
	}
	if rank == 0 {
		return t, zeta, Breakdown
	}
	zeta.rows, zeta.a = rank, zeta.a[:rank*n]
	columns := make([]int, rank)
	for j := range columns {
		columns[j] = j
	}
	return t.picked(columns), zeta, Running
}

// takeOff makes the vectors beyond those accepted, which have made columns rank and following of t, orthogonal to these, and returns them.
func (m *BlockCG) takeOff(rest, order []int, accepted, rank int, t, zeta coefficients) (left []int) {
	for _, j := range order[accepted:] {
		left = append(left, rest[j])
	}
	if len(left) == 0 {
		return nil
	}
	off := newCoefficients(accepted, len(left))
	var basis []int
	for i, from := range order[:accepted] {
		basis = append(basis, rest[from])
		for k, j := range left {
			for l := range accepted {
				off.set(i, k, off.at(i, k)-float64(t.at(rest[from], rank+l)*zeta.at(rank+l, j)))
			}
		}
	}
	m.space.Combine(off.a, pick(m.q, basis), pick(m.q, left), true)
	if m.by != nil {
		m.space.Combine(off.a, pick(m.z, basis), pick(m.z, left), true)
	}
	return left
}

// gramOf is Q^T Z of some of the vectors, nil: all.
func (m *BlockCG) gramOf(some []int) coefficients {
	if some == nil {
		g := newCoefficients(m.width, m.width)
		m.space.GramSymmetric(g.a, m.q[:m.width], m.applied())
		return g
	}
	g := newCoefficients(len(some), len(some))
	m.space.GramSymmetric(g.a, pick(m.q, some), pick(m.applied(), some))
	return g
}

// sizesOf are the roots of the diagonal.
func sizesOf(g coefficients) (sizes []float64, reason Reason) {
	for _, v := range g.a {
		if !finite(v) {
			return nil, NotFinite
		}
	}
	for j := range g.rows {
		if g.at(j, j) < 0 {
			return nil, IndefinitePreconditioner
		}
		sizes = append(sizes, math.Sqrt(g.at(j, j)))
	}
	return sizes, Running
}

// independent leaves out vectors of which nothing but roundings is left.
func independent(rest []int, g coefficients, sizes []float64) ([]int, coefficients) {
	var some, at []int
	for k, j := range rest {
		if limit := dependent * sizes[j]; g.at(k, k) > limit*limit {
			some, at = append(some, j), append(at, k)
		}
	}
	return some, g.picked(at).transposed().picked(at)
}

// pick returns some of the vectors.
func pick(v [][]float64, some []int) (picked [][]float64) {
	for _, j := range some {
		picked = append(picked, v[j])
	}
	return picked
}
