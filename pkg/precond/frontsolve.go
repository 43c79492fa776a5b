package precond

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// complete is M = A but for rounding, and for pivots that were replaced, by factors in
// fronts. Blocks of a block lower triangular matrix are solved one after the other.
//
// An application reads the factors once, twice if A is symmetric, and takes as many
// operations as L and U have entries, times two. Subtrees are solved in parallel.
type complete struct {
	hostOnly
	*fronts
	name      string
	definite  bool      // M = L |D| L^T
	equations []int32   // of A, by pivot before pivoting
	unknowns  []int32   // of A, by pivot
	rowScale  []float64 // of equations by pivot
	colScale  []float64 // of unknowns by pivot
	coupling  rows      // entries of A in blocks below the diagonal, by pivot
	cost      Cost

	passed [][]float64 // what subtrees pass to the rows in the pattern of their roots
	target [][]int32   // of each node, where its pattern is in z, or -1 less its place in passed
	z      []float64
	t      [][]float64 // of each thread
	pool   *parallel.Pool
	back   bool // of the sweep that is running
	next   atomic.Int64
}

// newComplete makes a preconditioner of the factors of a plan, without rounding.
func (s *setup) newComplete(name string, p *frontPlan, f *fronts) (*complete, error) {
	n, most := len(p.tree.order), 0
	for j := range p.tree.nodes() {
		most = max(most, p.tree.size(j))
	}
	c := &complete{
		fronts: f, name: fmt.Sprintf("%s, %d entries", name, p.work.Entries+int64(n)),
		equations: make([]int32, n), unknowns: make([]int32, n), rowScale: make([]float64, n), colScale: make([]float64, n),
		z: make([]float64, n), t: make([][]float64, s.pool.Threads()), pool: s.pool, target: p.tree.pattern,
	}
	for k := range c.t {
		c.t[k] = make([]float64, most)
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
	bytes := p.work.Bytes + 12*int64(len(c.coupling.col))
	values := p.work.Entries + int64(n+len(c.coupling.col))
	c.cost = Cost{Values: values, ValueBytes: 8 * int64(len(f.u)+len(f.l)+len(c.coupling.val)), Bytes: bytes, FP64Bytes: bytes}
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
		c.passed = append(c.passed, make([]float64, len(root)))
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

// Apply computes dst = M^-1 src.
func (c *complete) Apply(dst, src []float64) {
	for k, i := range c.equations {
		c.z[k] = c.rowScale[k] * src[i]
	}
	if len(c.blocks) > 2 {
		c.solveBlocks()
	} else {
		c.solveTree()
	}
	for k, i := range c.unknowns {
		dst[i] = c.colScale[k] * c.z[k]
	}
}

// solveBlocks solves one block after the other.
func (c *complete) solveBlocks() {
	for b := range len(c.blocks) - 1 {
		first, end := int(c.blocks[b]), int(c.blocks[b+1])
		for k := c.first[first]; k < c.first[end]; k++ {
			cols, vals := c.coupling.row(int(k))
			c.z[k] -= dot(cols, vals, c.z)
		}
		for j := first; j < end; j++ {
			c.forward(j, c.t[0], nil)
		}
		for j := end - 1; j >= first; j-- {
			c.backward(j, c.t[0])
		}
	}
}

// solveTree solves with L from the leaves to the root, and with U back.
func (c *complete) solveTree() {
	c.sweep(false)
	for k, s := range c.cut.subtrees {
		for q, p := range c.pattern[s.end-1] {
			c.z[p] += c.passed[k][q]
		}
	}
	top := c.cut.top
	for _, j := range top {
		c.forward(int(j), c.t[0], nil)
	}
	for k := len(top) - 1; k >= 0; k-- {
		c.backward(int(top[k]), c.t[0])
	}
	c.sweep(true)
}

// sweep solves with the subtrees, forward or back.
func (c *complete) sweep(back bool) {
	c.back = back
	c.next.Store(0)
	c.pool.Run(min(len(c.t), len(c.cut.subtrees)), c)
}

// Do solves with subtrees on a thread.
func (c *complete) Do(thread int) {
	for k := int(c.next.Add(1)) - 1; k < len(c.cut.subtrees); k = int(c.next.Add(1)) - 1 {
		s := c.cut.subtrees[k]
		if c.back {
			for j := s.end - 1; j >= s.first; j-- {
				c.backward(j, c.t[thread])
			}
			continue
		}
		clear(c.passed[k])
		for j := s.first; j < s.end; j++ {
			c.forward(j, c.t[thread], c.passed[k])
		}
	}
}

// forward solves with L of node j, or L |D| if A is symmetric. What goes to rows above its
// subtree is added to passed.
func (c *complete) forward(j int, t, passed []float64) {
	if c.symmetric {
		t = c.forwardSymmetric(j, t)
	} else {
		t = c.forwardUnsymmetric(j, t)
	}
	for r, p := range c.target[j] {
		if p >= 0 {
			c.z[p] -= t[r]
		} else {
			passed[-1-p] -= t[r]
		}
	}
}

// forwardUnsymmetric returns the product of the rows of L below node j with its part of the
// solution.
func (c *complete) forwardUnsymmetric(j int, t []float64) []float64 {
	lo, k, u, l := int(c.first[j]), c.pivots(j), c.upper(j), c.lower(j)
	z, rest := c.z[lo:lo+k], t[k:u.Stride]
	for q, p := range c.row[lo : lo+k] {
		t[q] = c.z[p]
	}
	copy(z, t)
	for q := range z {
		z[q] -= kernels.Default().Dot(u.Row(q, 0, q), z[:q])
	}
	for r := range rest {
		rest[r] = kernels.Default().Dot(l.Row(r, 0, k), z)
	}
	return rest
}

// forwardSymmetric is the same with L = U^T D^-1 and the solution divided by |D|.
func (c *complete) forwardSymmetric(j int, t []float64) []float64 {
	k, u := c.pivots(j), c.upper(j)
	z := c.z[c.first[j]:][:k]
	t = t[:u.Stride]
	for q, v := range z {
		t[q] = -v
	}
	clear(t[k:])
	for q := range z {
		row := u.Row(q, q, u.Stride)
		v := -t[q] / row[0]
		kernels.Default().Axpy(v, row[1:], t[q+1:])
		if z[q] = v; c.definite && row[0] < 0 {
			z[q] = -v
		}
	}
	return t[k:]
}

// backward solves with U of node j, or with L^T.
func (c *complete) backward(j int, t []float64) {
	k, u := c.pivots(j), c.upper(j)
	z := c.z[c.first[j]:][:k]
	t = t[:u.Stride]
	for r, p := range c.pattern[j] {
		t[k+r] = c.z[p]
	}
	for q := k - 1; q >= 0; q-- {
		row := u.Row(q, q, u.Stride)
		sum := kernels.Default().Dot(row[1:], t[q+1:])
		if c.symmetric {
			t[q] = z[q] - sum/row[0]
		} else {
			t[q] = (z[q] - sum) / row[0]
		}
	}
	copy(z, t)
}

// Cost implements Preconditioner.
func (c *complete) Cost() Cost { return c.cost }

func (c *complete) String() string { return c.name }
