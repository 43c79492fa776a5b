package factor

import (
	"slices"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Solver solves with factors: blocks of a block lower triangular matrix one after the other.
//
// A solve reads the factors once, twice if A is symmetric, for several vectors as for one, and
// takes as many operations for each as L and U have entries, times two. Subtrees are solved in parallel, and
// with the nodes above them several vectors.
type Solver struct {
	*Tree
	Factors
	Placement
	Modulus bool // of D: M = L |D| L^T is solved with

	symmetric bool
	row       []int32     // as Factors.Pivots says
	coupling  *csr.Matrix // entries of A in blocks below the diagonal, by pivot
	target    [][]int32   // of each node, where its pattern is in z, or -1 less its position in passed
	sides     []*side     // one at least
	parts     []local     // of each thread
	work      []local
	most      int // rows of the largest front
	pool      *parallel.Pool
	solverRun
}

// Placement says, for each pivot, which rows and columns of a system it has, and powers of two that these were multiplied by.
type Placement struct {
	Equations []int32 // by pivot before pivoting
	Unknowns  []int32
	RowScale  []float64
	ColScale  []float64
}

// solverRun is the solve of a Solver that is running.
type solverRun struct {
	now  []*side
	step func(c *Solver, thread int, sides []*side) // that is running, or sweep
	back bool                                       // of the sweep
	next atomic.Int64
}

// side is a vector that is solved for.
type side struct {
	dst, src []float64
	z        []float64
	passed   [][]float64 // what subtrees pass to the rows in the pattern of their roots
	t        [][]float64 // of each thread
}

// NewSolver makes a solver of factors of m, whose rows and columns are placed in a system.
func NewSolver(m *Matrix, t *Tree, f Factors, at Placement, pool *parallel.Pool) *Solver {
	c := &Solver{Tree: t, Factors: f, Placement: at, symmetric: m.Symmetric(), target: t.pattern, pool: pool}
	c.row, _ = f.Pivots()
	for j := range t.nodes() {
		c.most = max(c.most, t.size(j))
	}
	if m.BlockOf != nil {
		c.couple(m)
	} else {
		c.share()
	}
	c.parts, c.work = make([]local, pool.Threads()), make([]local, pool.Threads())
	c.sides = append(c.sides, c.newSide())
	return c
}

// Coupling returns the number of entries of A in blocks below the diagonal.
func (c *Solver) Coupling() int64 {
	if c.coupling == nil {
		return 0
	}
	return int64(c.coupling.NNZ())
}

// couple collects the entries of A below diagonal blocks.
func (c *Solver) couple(m *Matrix) {
	inverse := c.Order.Inverse()
	c.coupling = &csr.Matrix{Rows: len(inverse), Cols: len(inverse), RowPtr: make([]int64, 1, len(inverse)+1)}
	for _, i := range c.Order {
		cols, vals := m.A.Row(int(i))
		for e, j := range cols {
			if !m.same(i, j) {
				c.coupling.Col, c.coupling.Val = append(c.coupling.Col, inverse[j]), append(c.coupling.Val, vals[e])
			}
		}
		c.coupling.RowPtr = append(c.coupling.RowPtr, int64(len(c.coupling.Col)))
	}
}

// share prepares for solving with subtrees in parallel.
func (c *Solver) share() {
	c.target = slices.Clone(c.pattern)
	place := make([]int32, len(c.Order))
	var targets slab
	for _, s := range c.cut.subtrees {
		above := c.first[s.end]
		root := c.pattern[s.end-1]
		for q, p := range root {
			place[p] = int32(q)
		}
		for j := s.first; j < s.end; j++ {
			target := targets.clone(c.pattern[j])
			for q, p := range target {
				if p >= above {
					target[q] = -1 - place[p]
				}
			}
			c.target[j] = target
		}
	}
}

// newSide makes the work vectors of a vector.
func (c *Solver) newSide() *side {
	v := &side{z: make([]float64, len(c.Order)), t: make([][]float64, c.pool.Threads())}
	for k := range v.t {
		v.t[k] = make([]float64, c.most)
	}
	for _, s := range c.cut.subtrees {
		v.passed = append(v.passed, make([]float64, len(c.pattern[s.end-1])))
	}
	return v
}
