package precond

import (
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Apply computes dst = M^-1 src.
func (c *complete) Apply(dst, src []float64) {
	c.sides[0].dst, c.sides[0].src = dst, src
	c.solve(1)
}

// ApplyMany implements krylov.SeveralPreconditioner. It takes work vectors of its own for each vector.
func (c *complete) ApplyMany(dst, src [][]float64) {
	for len(dst) > 0 {
		n := min(len(dst), linop.MostTogether)
		for k := range n {
			if k == len(c.sides) {
				c.sides = append(c.sides, c.newSide())
			}
			c.sides[k].dst, c.sides[k].src = dst[k], src[k]
		}
		c.solve(n)
		dst, src = dst[n:], src[n:]
	}
}

// solve does so many applications, at most linop.MostTogether.
func (c *complete) solve(n int) {
	c.now = c.sides[:n]
	c.together((*complete).load)
	if len(c.blocks) > 2 {
		c.together((*complete).solveBlocks)
	} else {
		c.sweep(false)
		c.together((*complete).solveTop)
		c.sweep(true)
	}
	c.together((*complete).store)
}

// together runs a step for parts of the vectors, as many as threads, in parallel.
func (c *complete) together(step func(c *complete, thread int, sides []*side)) {
	c.step = step
	c.pool.Run(min(len(c.now), c.pool.Threads()), (*sidesJob)(c))
}

// sidesJob is a complete as the job that runs a step.
type sidesJob complete

// Do runs the step for a part of the vectors.
func (j *sidesJob) Do(k int) {
	n, parts := len(j.now), min(len(j.now), j.pool.Threads())
	j.step((*complete)(j), k, j.now[k*n/parts:(k+1)*n/parts])
}

// load brings src to z.
func (c *complete) load(_ int, sides []*side) {
	for _, v := range sides {
		for k, i := range c.equations {
			v.z[k] = c.rowScale[k] * v.src[i]
		}
	}
}

// store brings z to dst.
func (c *complete) store(_ int, sides []*side) {
	for _, v := range sides {
		for k, i := range c.unknowns {
			v.dst[i] = c.colScale[k] * v.z[k]
		}
		v.dst, v.src = nil, nil
	}
}

// solveBlocks solves one block after the other.
func (c *complete) solveBlocks(thread int, sides []*side) {
	for b := range len(c.blocks) - 1 {
		first, end := int(c.blocks[b]), int(c.blocks[b+1])
		for k := c.first[first]; k < c.first[end]; k++ {
			cols, vals := c.coupling.row(int(k))
			for _, v := range sides {
				v.z[k] -= dot(cols, vals, v.z)
			}
		}
		for j := first; j < end; j++ {
			c.forward(j, thread, sides, -1)
		}
		for j := end - 1; j >= first; j-- {
			c.backward(j, thread, sides)
		}
	}
}

// solveTop solves with the nodes above the subtrees, with L to the root and with U back.
func (c *complete) solveTop(thread int, sides []*side) {
	for _, v := range sides {
		for k, s := range c.cut.subtrees {
			for q, p := range c.pattern[s.end-1] {
				v.z[p] += v.passed[k][q]
			}
		}
	}
	top := c.cut.top
	for _, j := range top {
		c.forward(int(j), thread, sides, -1)
	}
	for k := len(top) - 1; k >= 0; k-- {
		c.backward(int(top[k]), thread, sides)
	}
}

// sweep solves with the subtrees: with L from the leaves on, or with U back.
func (c *complete) sweep(back bool) {
	c.back = back
	c.next.Store(0)
	c.pool.Run(min(c.pool.Threads(), len(c.cut.subtrees)), c)
}

// Do solves with subtrees on a thread.
func (c *complete) Do(thread int) {
	for k := int(c.next.Add(1)) - 1; k < len(c.cut.subtrees); k = int(c.next.Add(1)) - 1 {
		s := c.cut.subtrees[k]
		if c.back {
			for j := s.end - 1; j >= s.first; j-- {
				c.backward(j, thread, c.now)
			}
			continue
		}
		for _, v := range c.now {
			clear(v.passed[k])
		}
		for j := s.first; j < s.end; j++ {
			c.forward(j, thread, c.now, k)
		}
	}
}

// A local is the part of each vector that belongs to a node, or work of the length of its front.
type local [linop.MostTogether][]float64

// parts returns the elements of z that node j has pivots for.
func (c *complete) parts(j int, sides []*side) (z local) {
	lo, hi := c.first[j], c.first[j+1]
	for v, s := range sides {
		z[v] = s.z[lo:hi]
	}
	return z
}

// forward solves with L of node j, or L |D| if A is symmetric. What goes to rows above its
// subtree, if it is in one, is added to passed.
func (c *complete) forward(j, thread int, sides []*side, subtree int) {
	var t local
	for v, s := range sides {
		t[v] = s.t[thread][:c.size(j)]
	}
	if z := c.parts(j, sides); c.symmetric {
		c.forwardSymmetric(j, len(sides), &z, &t)
	} else {
		c.forwardUnsymmetric(j, sides, &z, &t)
	}
	k, target := c.pivots(j), c.target[j]
	for v, s := range sides {
		rest, z := t[v][k:], s.z
		if subtree < 0 {
			for r, p := range target {
				z[p] -= rest[r]
			}
			continue
		}
		passed := s.passed[subtree]
		for r, p := range target {
			if p >= 0 {
				z[p] -= rest[r]
			} else {
				passed[-1-p] -= rest[r]
			}
		}
	}
}

// forwardUnsymmetric sets t, behind the pivots, to the product of the rows of L below node j with its part z of the
// solution.
func (c *complete) forwardUnsymmetric(j int, sides []*side, z, t *local) {
	lo, k, u, l := int(c.first[j]), c.pivots(j), c.upper(j), c.lower(j)
	for v, s := range sides {
		to := t[v]
		for q, p := range c.row[lo : lo+k] {
			to[q] = s.z[p]
		}
		copy(z[v], to)
	}
	for q := range k {
		row := u.Row(q, 0, q)
		for v := range sides {
			z[v][q] -= kernels.Default().Dot(row, z[v][:q])
		}
	}
	for r := range c.size(j) - k {
		row := l.Row(r, 0, k)
		for v := range sides {
			t[v][k+r] = kernels.Default().Dot(row, z[v])
		}
	}
}

// forwardSymmetric is the same for n vectors with L = U^T D^-1 and the solution divided by |D|.
func (c *complete) forwardSymmetric(j, n int, z, t *local) {
	k, u := c.pivots(j), c.upper(j)
	for v := range n {
		to := t[v]
		for q, e := range z[v] {
			to[q] = -e
		}
		clear(to[k:])
	}
	for q := range k {
		row := u.Row(q, q, u.Stride)
		for v := range n {
			e := -t[v][q] / row[0]
			kernels.Default().Axpy(e, row[1:], t[v][q+1:])
			if z[v][q] = e; c.definite && row[0] < 0 {
				z[v][q] = -e
			}
		}
	}
}

// backward solves with U of node j, or with L^T.
func (c *complete) backward(j, thread int, sides []*side) {
	k, u, z := c.pivots(j), c.upper(j), c.parts(j, sides)
	var t local
	for v, s := range sides {
		to := s.t[thread][:u.Stride]
		for r, p := range c.pattern[j] {
			to[k+r] = s.z[p]
		}
		t[v] = to
	}
	for q := k - 1; q >= 0; q-- {
		row := u.Row(q, q, u.Stride)
		for v := range sides {
			sum := kernels.Default().Dot(row[1:], t[v][q+1:])
			if c.symmetric {
				t[v][q] = z[v][q] - sum/row[0]
			} else {
				t[v][q] = (z[v][q] - sum) / row[0]
			}
		}
	}
	for v := range sides {
		copy(z[v], t[v])
	}
}
