package precond

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// complete is M = A but for rounding, and for pivots that were replaced, by factors in
// fronts. Blocks of a block lower triangular matrix are solved one after the other.
//
// An application reads the factors once, twice if A is symmetric, and takes as many
// operations as L and U have entries, times two.
type complete struct {
	hostOnly
	*fronts
	name       string
	definite   bool      // M = L |D| L^T
	equations  []int32   // of A, by pivot before pivoting
	unknowns   []int32   // of A, by pivot
	rowScale   []float64 // of equations by pivot
	colScale   []float64 // of unknowns by pivot
	coupling   rows      // entries of A in blocks below the diagonal, by pivot
	z, t, sums []float64
	cost       Cost
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
		z: make([]float64, n), t: make([]float64, most),
	}
	for k, j := range p.tree.order {
		i, j := int32(numbered(p.at.row, int(j))), int32(numbered(p.at.col, int(j)))
		c.equations[k], c.unknowns[k] = i, j
		c.rowScale[k], c.colScale[k] = math.Ldexp(1, p.at.rowExp[i]), math.Ldexp(1, p.at.colExp[j])
	}
	if p.blockOf != nil {
		c.couple(p)
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

// Apply computes dst = M^-1 src.
func (c *complete) Apply(dst, src []float64) {
	z := c.z
	for b := range len(c.blocks) - 1 {
		first, end := int(c.blocks[b]), int(c.blocks[b+1])
		for k := c.frontTree.first[first]; k < c.frontTree.first[end]; k++ {
			z[k] = c.rowScale[k] * src[c.equations[k]]
			if len(c.coupling.ptr) > 0 {
				cols, vals := c.coupling.row(int(k))
				z[k] -= dot(cols, vals, z)
			}
		}
		for j := first; j < end; j++ {
			if c.symmetric {
				c.forwardSymmetric(j)
			} else {
				c.forward(j)
			}
		}
		for j := end - 1; j >= first; j-- {
			c.backward(j)
		}
	}
	for k, i := range c.unknowns {
		dst[i] = c.colScale[k] * z[k]
	}
}

// forward solves with L of node j.
func (c *complete) forward(j int) {
	k, u, l := c.pivots(j), c.upper(j), c.lower(j)
	lo := int(c.first[j])
	z, t := c.z[lo:lo+k], c.t[:k]
	for q, p := range c.row[lo : lo+k] {
		t[q] = c.z[p]
	}
	copy(z, t)
	for q := range z {
		z[q] -= kernels.Dot(u.Row(q, 0, q), z[:q])
	}
	for r, p := range c.pattern[j] {
		c.z[p] -= kernels.Dot(l.Row(r, 0, k), z)
	}
}

// forwardSymmetric solves with L |D| of node j, L = U^T D^-1.
func (c *complete) forwardSymmetric(j int) {
	k, u := c.pivots(j), c.upper(j)
	z, t := c.z[c.first[j]:][:k], c.t[:u.Stride]
	copy(t, z)
	clear(t[k:])
	for q := range z {
		row := u.Row(q, q, u.Stride)
		v := t[q] / row[0]
		kernels.Axpy(-v, row[1:], t[q+1:])
		if z[q] = v; c.definite && row[0] < 0 {
			z[q] = -v
		}
	}
	for r, p := range c.pattern[j] {
		c.z[p] += t[k+r]
	}
}

// backward solves with U of node j, or with L^T.
func (c *complete) backward(j int) {
	k, u, pattern := c.pivots(j), c.upper(j), c.pattern[j]
	z, t := c.z[c.first[j]:][:k], c.t[:u.Stride]
	for r, p := range pattern {
		t[k+r] = c.z[p]
	}
	for q := k - 1; q >= 0; q-- {
		row := u.Row(q, q, u.Stride)
		sum := kernels.Dot(row[1:], t[q+1:])
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
