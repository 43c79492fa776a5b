package precond

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// complete is M = A but for rounding, and for pivots that were replaced, by factors in
// fronts. Blocks of a block lower triangular matrix are solved one after the other.
//
// An application reads the factors once, twice if A is symmetric, for several vectors as for one, and
// takes as many operations for each as L and U have entries, times two. Subtrees are solved in parallel, and
// with the nodes above them several vectors.
type complete struct {
	hostOnly
	*frontTree
	factors   frontFactors
	symmetric bool
	name      string
	definite  bool      // M = L |D| L^T
	equations []int32   // of A, by pivot before pivoting
	unknowns  []int32   // of A, by pivot
	rowScale  []float64 // of equations by pivot
	colScale  []float64 // of unknowns by pivot
	coupling  rows      // entries of A in blocks below the diagonal, by pivot
	cost      Cost

	target [][]int32 // of each node, where its pattern is in z, or -1 less its position in passed
	sides  []*side   // one at least
	parts  []local   // of each thread
	work   []local
	most   int // rows of the largest front
	pool   *parallel.Pool

	completeRun
}

// completeRun is the application of a complete that is running.
type completeRun struct {
	now  []*side
	step func(c *complete, thread int, sides []*side) // that is running, or sweep
	back bool                                         // of the sweep
	next atomic.Int64
}

// side is a vector that the factors are applied to.
type side struct {
	dst, src []float64
	z        []float64
	passed   [][]float64 // what subtrees pass to the rows in the pattern of their roots
	t        [][]float64 // of each thread
}

// newComplete makes a preconditioner of the factors of a plan, without rounding.
func (s *setup) newComplete(name string, p *frontPlan, f frontFactors) (*complete, error) {
	n, most := len(p.tree.order), 0
	for j := range p.tree.nodes() {
		most = max(most, p.tree.size(j))
	}
	c := &complete{
		frontTree: p.tree, factors: f, symmetric: p.transpose == nil,
		name:      fmt.Sprintf("%s, %d entries in %s", name, p.tree.stored(p.transpose == nil), f.precision()),
		equations: make([]int32, n), unknowns: make([]int32, n), rowScale: make([]float64, n), colScale: make([]float64, n),
		most: most, pool: s.pool, target: p.tree.pattern,
	}
	for k, j := range p.tree.order {
		i, j := int32(numbered(p.at.row, int(j))), int32(numbered(p.at.col, int(j)))
		c.equations[k], c.unknowns[k] = i, j
		c.rowScale[k], c.colScale[k] = math.Ldexp(1, p.at.rowExp[i]), math.Ldexp(1, p.at.colExp[j])
	}
	if p.blockOf != nil {
		c.couple(p)
	} else {
		c.share()
	}
	c.sides = append(c.sides, c.newSide())
	c.parts, c.work = make([]local, s.pool.Threads()), make([]local, s.pool.Threads())
	inFP64, _ := p.tree.frontBytes(c.symmetric, 1, fp64)
	stored, coupling := int64(f.precision())*f.numbers(), int64(len(c.coupling.col))
	c.cost = Cost{
		Values: p.work.Entries + int64(n) + coupling, ValueBytes: stored + 8*coupling,
		Bytes: inFP64 - 8*f.numbers() + stored + 12*coupling, FP64Bytes: inFP64 + 12*coupling,
	}
	return c, s.interrupted()
}

// couple collects the entries of A below diagonal blocks.
func (c *complete) couple(p *frontPlan) {
	inverse := p.tree.order.Inverse()
	c.coupling.ptr = make([]int64, 1, len(inverse)+1)
	for _, i := range p.tree.order {
		cols, vals := p.a.Row(int(i))
		for e, j := range cols {
			if p.blockOf[i] != p.blockOf[j] {
				c.coupling.add(inverse[j], vals[e])
			}
		}
		c.coupling.end()
	}
}

// share prepares for solving with subtrees in parallel.
func (c *complete) share() {
	c.target = slices.Clone(c.pattern)
	place := make([]int32, len(c.order))
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
func (c *complete) newSide() *side {
	v := &side{z: make([]float64, len(c.order)), t: make([][]float64, c.pool.Threads())}
	for k := range v.t {
		v.t[k] = make([]float64, c.most)
	}
	for _, s := range c.cut.subtrees {
		v.passed = append(v.passed, make([]float64, len(c.pattern[s.end-1])))
	}
	return v
}

// Cost implements Preconditioner.
func (c *complete) Cost() Cost { return c.cost }

func (c *complete) String() string { return c.name }
