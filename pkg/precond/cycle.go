package precond

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// cycle is a cycle of multigrid on vectors of T. Each level works on
//
//	S_1 A S,  S = diag(|m_i|^1/2),  S_1 = diag(sign(m_i)) S,
//
// M = diag(m) being its smoother, so that the first step of smoothing, M b from zero, is the
// right-hand side itself and the others, x += omega (b - A x), need no diagonal. The prolongator
// is S^-1 P S_c and the restriction S_1c R S_1^-1, of a coarser level with the scaling S_c.
type cycle[T real] struct {
	cycleOf[[]T, T]
	pool   *parallel.Pool
	root   []T // S of the finest level
	left   []T // and S_1
	coarse coarseSolver
	b, y   vector // f and x of the coarsest level in float64

	spans    []span // of the finest level
	greatest func(x float64) float64
	once     Cost // of what all ranks have of the levels, if some are spread

	symmetric bool
	job       convertJob[T]
}

// products are the products of a matrix with vectors of T.
type products[T real] = multiplier[[]T, T]

// fp64Products are products with vectors of float64.
type fp64Products struct {
	linop.Relaxer[vector, scalar]
	ones   vector
	factor Factor // with Options.Portable
}

func (a fp64Products) Plus(dst, b, x []float64) { a.ApplyPlus(dst, b, x) }

func (a fp64Products) Relax(dst, x, b []float64, omega float64) {
	a.Relaxer.Relax(dst, x, b, a.ones, scalar(omega))
}

// shared is the cost of what all ranks have, if there are levels that are spread.
func (c *cycle[T]) shared() Cost { return c.once }

// add computes dst += x.
func add[T real](dst, x []T) {
	for i, v := range x {
		dst[i] += v
	}
}

// solveCoarsest sets the solution of the coarsest level.
func (c *cycle[T]) solveCoarsest() {
	for i := range c.b {
		c.b[i] = float64(c.f[i])
	}
	c.coarse.solve(c.y, c.b)
	for i, v := range c.y {
		c.x[i] = T(v)
	}
}

// cycleOf is the algorithm of a cycle, on vectors of type V, wherever they are, with steps of type S.
//
// It is a V-cycle, but for levels that are visited twice (visitedTwice). With a step before and after it takes 2 products with A_l and
// one each with P_l and R_l, which read 8 vectors in all, and write 4. Memory: 3 vectors a level besides matrices.
type cycleOf[V, S any] struct {
	levels []level[V, S]
	f, x   V // of the coarsest level

	solve func()      // sets x of the coarsest level
	inner func(k int) // what a K-cycle does instead of run on levels between the finest and the coarsest one; nil: a V-cycle
}

// level is one but the coarsest.
type level[V, S any] struct {
	a, p, r multiplier[V, S]
	steps   []S // omega, relative to the first
	f, x, t V   // right-hand side, solution, work

	twice    bool           // the level is visited twice in a cycle
	add      func(dst, x V) // dst += x, if it is
	r1, c, v V              // of the K-cycle, or nothing; r1 and c of the second visit
}

// A multiplier is the products of a matrix A.
type multiplier[V, S any] interface {
	Apply(dst, x V)
	Residual(r, b, x V)         // r = b - A x
	Plus(dst, b, x V)           // dst = b + A x
	Relax(dst, x, b V, omega S) // dst = x + omega (b - A x)
}

// rhs and solution are the vectors of level k.
func (c *cycleOf[V, S]) rhs(k int) V {
	if k == len(c.levels) {
		return c.f
	}
	return c.levels[k].f
}

func (c *cycleOf[V, S]) solution(k int) V {
	if k == len(c.levels) {
		return c.x
	}
	return c.levels[k].x
}

// run sets solution(k) to the approximate solution of level k for rhs(k).
func (c *cycleOf[V, S]) run(k int) {
	if k == len(c.levels) {
		c.solve()
		return
	}
	l := &c.levels[k]
	x, next, spare := l.f, l.t, l.x
	for _, omega := range l.steps[1:] {
		l.a.Relax(next, x, l.f, omega)
		x, next, spare = next, spare, next
	}
	l.a.Residual(next, l.f, x)
	l.r.Apply(c.rhs(k+1), next)
	switch {
	case c.inner != nil && k+1 < len(c.levels):
		c.inner(k + 1)
	case k+1 < len(c.levels) && c.levels[k+1].twice:
		c.runTwice(k + 1)
	default:
		c.run(k + 1)
	}
	l.p.Plus(next, x, c.solution(k+1))
	x, next = next, spare
	for _, omega := range l.steps {
		l.a.Relax(next, x, l.f, omega)
		x, next = next, x
	}
}

// Levels from firstTwice to lastTwice, 0 being the finest, are visited twice in a cycle if their
// matrix is at most 1/twiceShare of the finest one. That takes a tenth more time and, where the finer levels
// transfer smooth vectors well, gives most of what W-cycles do.
const (
	firstTwice, lastTwice = 2, 3
	twiceShare            = 4
)

// visitedTwice reports whether level k is, given the nonzeros of its matrix and of the finest one.
func visitedTwice(k, nonzeros, finest int) bool {
	return k >= firstTwice && k <= lastTwice && twiceShare*nonzeros <= finest
}

// runTwice is run and then a second run for the residual that it leaves.
func (c *cycleOf[V, S]) runTwice(k int) {
	l := &c.levels[k]
	c.run(k)
	l.a.Residual(l.r1, l.f, l.x)
	l.x, l.c = l.c, l.x
	l.f, l.r1 = l.r1, l.f
	c.run(k)
	l.f, l.r1 = l.r1, l.f
	l.add(l.x, l.c)
}

// kCycleTol is the reduction of the residual that makes one step of a K-cycle suffice.
const kCycleTol = 0.25

// iterate solves on level k, which is not the coarsest, by two steps of flexible conjugate
// gradients preconditioned by the cycle from there on ([Notay08], algorithm 3.2); of generalised
// conjugate residuals, which replace the inner products, if A is unsymmetric:
//
//	c = M^-1 r,   v = A c,  r1 = r - (a1/p1) v,      p1 = c·v, a1 = c·r,
//	d = M^-1 r1,  w = A d,  x = (a1/p1 - g a2/(p1 p2)) c + (a2/p2) d,
//	g = d·v, a2 = d·r1, p2 = d·w - g^2/p1.
//
// For unsymmetric A, v and w stand for the left c and d of products.
func (c *cycle[T]) iterate(k int) {
	l := &c.levels[k]
	c.run(k)
	l.a.Apply(l.v, l.x)
	test := l.x
	if !c.symmetric {
		test = l.v
	}
	p1, a1 := dotOf(test, l.v), dotOf(test, l.f)
	if !(p1 > 0) || !finite(a1/p1) {
		return // nothing to gain
	}
	step, before, after := T(a1/p1), 0.0, 0.0
	for i, v := range l.v {
		r := l.f[i]
		before += float64(r) * float64(r)
		r -= T(step * v)
		after += float64(r) * float64(r)
		l.r1[i] = r
	}
	if math.Sqrt(after) <= kCycleTol*math.Sqrt(before) {
		for i, v := range l.x {
			l.x[i] = step * v
		}
		return
	}
	l.x, l.c = l.c, l.x
	l.f, l.r1 = l.r1, l.f
	c.run(k)
	l.f, l.r1 = l.r1, l.f // l.r1 is the start of the second step
	w := l.t              // free between two cycles
	l.a.Apply(w, l.x)
	test = l.x
	if !c.symmetric {
		test = w
	}
	g, a2, p2 := dotOf(test, l.v), dotOf(test, l.r1), dotOf(test, w)
	p2 -= g * g / p1
	first, second := T(a1/p1), T(0)
	if p2 > 0 && finite(a2/p2) && finite(g/p1) {
		first, second = T(a1/p1-g/p1*(a2/p2)), T(a2/p2)
	}
	for i, v := range l.x {
		l.x[i] = T(first*l.c[i]) + T(second*v)
	}
}

// dotOf returns x·y, summed in float64 in a fixed order.
func dotOf[T real](x, y []T) float64 {
	switch x := any(x).(type) {
	case []float32:
		return kernels.Default().DotMixed(x, any(y).([]float32))
	default:
		return kernels.Default().Dot(any(x).([]float64), any(y).([]float64))
	}
}
