package precond

import (
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
//
// It is a V-cycle, but for levels that are visited twice (visitedTwice). A V-cycle with a step before and after takes 2 products with A_l and one each with P_l and
// R_l, which read 8 vectors in all, and write 4. Memory: 3 vectors a level besides matrices.
type cycle[T real] struct {
	pool   *parallel.Pool
	root   []T // S of the finest level
	left   []T // and S_1
	levels []cycleLevel[T]
	coarse coarseSolver
	f, x   []T    // of the coarsest level
	b, y   vector // the same in float64

	spans    []span // of the finest level
	greatest func(x float64) float64
	once     Cost // of what all ranks have of the levels, if some are spread

	kCycle, symmetric bool
	job               convertJob[T]
}

// cycleLevel is a level but the coarsest.
type cycleLevel[T real] struct {
	a, p, r products[T]
	steps   []T // omega, relative to the first
	f, x, t []T // right-hand side, solution, work

	twice    bool // the level is visited twice in a cycle
	r1, c, v []T  // of the K-cycle, or nil; r1 and c of the second visit
}

// products are those of a matrix A with vectors of T.
type products[T real] interface {
	Apply(dst, x []T)
	Residual(r, b, x []T)         // r = b - A x
	Plus(dst, b, x []T)           // dst = b + A x
	Relax(dst, x, b []T, omega T) // dst = x + omega (b - A x)
}

// fp64Products are products with vectors of float64.
type fp64Products struct {
	linop.Relaxer[vector, scalar]
	ones vector
}

func (a fp64Products) Plus(dst, b, x []float64) { a.ApplyPlus(dst, b, x) }

func (a fp64Products) Relax(dst, x, b []float64, omega float64) {
	a.Relaxer.Relax(dst, x, b, a.ones, scalar(omega))
}

// shared is the cost of what all ranks have, if there are levels that are spread.
func (c *cycle[T]) shared() Cost { return c.once }

// rhs and solution are the vectors of level k.
func (c *cycle[T]) rhs(k int) []T {
	if k == len(c.levels) {
		return c.f
	}
	return c.levels[k].f
}

func (c *cycle[T]) solution(k int) []T {
	if k == len(c.levels) {
		return c.x
	}
	return c.levels[k].x
}

// run sets solution(k) to the approximate solution of level k for rhs(k).
func (c *cycle[T]) run(k int) {
	if k == len(c.levels) {
		c.solveCoarsest()
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
	case c.kCycle && k+1 < len(c.levels):
		c.iterate(k + 1)
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
func (c *cycle[T]) runTwice(k int) {
	l := &c.levels[k]
	c.run(k)
	l.a.Residual(l.r1, l.f, l.x)
	l.x, l.c = l.c, l.x
	l.f, l.r1 = l.r1, l.f
	c.run(k)
	l.f, l.r1 = l.r1, l.f
	for i, v := range l.c {
		l.x[i] += v
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
