package precond

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
