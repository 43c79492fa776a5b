package precond

import (
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/linop"
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
