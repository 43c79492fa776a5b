package factor

import (
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Apply computes dst = M^-1 src.
func (c *Solver) Apply(dst, src []float64) {
	c.sides[0].dst, c.sides[0].src = dst, src
	c.solve(1)
}

// ApplyMany implements krylov.SeveralPreconditioner. It takes work vectors of its own for each vector.
func (c *Solver) ApplyMany(dst, src [][]float64) {
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
func (c *Solver) solve(n int) {
	c.now = c.sides[:n]
	c.together((*Solver).load)
	if len(c.blocks) > 2 {
		c.together((*Solver).solveBlocks)
	} else {
		c.sweep(false)
		c.together((*Solver).solveTop)
		c.sweep(true)
	}
	c.together((*Solver).store)
}

// together runs a step for parts of the vectors, as many as threads, in parallel.
func (c *Solver) together(step func(c *Solver, thread int, sides []*side)) {
	c.step = step
	c.pool.Run(min(len(c.now), c.pool.Threads()), (*sidesJob)(c))
}

// sidesJob is a Solver as the job that runs a step.
type sidesJob Solver

// Do runs the step for a part of the vectors.
func (j *sidesJob) Do(k int) {
	n, parts := len(j.now), min(len(j.now), j.pool.Threads())
	j.step((*Solver)(j), k, j.now[k*n/parts:(k+1)*n/parts])
}

// load brings src to z.
func (c *Solver) load(_ int, sides []*side) {
	for _, v := range sides {
		for k, i := range c.Equations {
			v.z[k] = c.RowScale[k] * v.src[i]
		}
	}
}

// store brings z to dst.
func (c *Solver) store(_ int, sides []*side) {
	for _, v := range sides {
		for k, i := range c.Unknowns {
			v.dst[i] = c.ColScale[k] * v.z[k]
		}
		v.dst, v.src = nil, nil
	}
}

// solveBlocks solves one block after the other.
func (c *Solver) solveBlocks(thread int, sides []*side) {
	for b := range len(c.blocks) - 1 {
		first, end := int(c.blocks[b]), int(c.blocks[b+1])
		for k := c.first[first]; k < c.first[end]; k++ {
			cols, vals := c.coupling.Row(int(k))
			for _, v := range sides {
				sum := 0.0
				for e, j := range cols {
					sum += float64(vals[e] * v.z[j])
				}
				v.z[k] -= sum
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
func (c *Solver) solveTop(thread int, sides []*side) {
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
func (c *Solver) sweep(back bool) {
	c.back = back
	c.next.Store(0)
	c.pool.Run(min(c.pool.Threads(), len(c.cut.subtrees)), c)
}

// Do solves with subtrees on a thread.
func (c *Solver) Do(thread int) {
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

// locals returns the elements of z that node j has pivots for, and work for its front.
func (c *Solver) locals(j, thread int, sides []*side) (z, t *local) {
	z, t = &c.parts[thread], &c.work[thread]
	lo, hi := c.first[j], c.first[j+1]
	for v, s := range sides {
		z[v], t[v] = s.z[lo:hi], s.t[thread][:c.size(j)]
	}
	return z, t
}

// forward solves with L of node j, or L |D| if M is to be definite, L D if A is symmetric. What goes to rows above its
// subtree, if it is in one, is added to passed.
func (c *Solver) forward(j, thread int, sides []*side, subtree int) {
	z, t := c.locals(j, thread, sides)
	if row := c.moved(j); row != nil {
		for v, s := range sides {
			for q, p := range row {
				t[v][q] = s.z[p]
			}
			copy(z[v], t[v])
		}
	}
	c.Factors.forward(j, len(sides), c.Modulus, z, t)
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

// backward solves with U of node j, or with L^T.
func (c *Solver) backward(j, thread int, sides []*side) {
	k := c.pivots(j)
	z, t := c.locals(j, thread, sides)
	for v, s := range sides {
		for r, p := range c.pattern[j] {
			t[v][k+r] = s.z[p]
		}
	}
	c.Factors.backward(j, len(sides), z, t)
	row := c.moved(j)
	for v, s := range sides {
		if row == nil || !c.symmetric {
			copy(z[v], t[v])
			continue
		}
		for q, p := range row {
			s.z[p] = t[v][q]
		}
	}
}

// moved returns the places that the pivots of node j had before pivoting, nil if there was none.
func (c *Solver) moved(j int) []int32 {
	if c.row == nil {
		return nil
	}
	return c.row[c.first[j]:c.first[j+1]]
}
