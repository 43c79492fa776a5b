package precond

import (
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// eliminationTree returns the parent of each row of a symmetric matrix in its elimination tree,
// the column of the first entry in its row of L^T, -1: none; and the entries of these rows
// without the diagonal [Davis05].
func eliminationTree(a *csr.Matrix, watch *elimination) (parent, count []int32, err error) {
	n := a.Rows
	parent, count = marks(n), make([]int32, n)
	in := make([]int32, n) // the last row of L whose pattern a column was in
	for k := range n {
		row := int32(k)
		in[k] = row
		cols, _ := a.Row(k)
		entries := len(cols)
		for _, i := range cols {
			if i >= row {
				break
			}
			for ; in[i] != row; i = parent[i] {
				if parent[i] < 0 {
					parent[i] = row
				}
				in[i] = row
				count[i]++
				entries++
			}
		}
		if err := watch.spend(entries); err != nil {
			return nil, nil, err
		}
	}
	return parent, count, nil
}

// postorder returns the rows of an elimination tree, each after its children, which keeps the
// factors as sparse and brings rows of the same pattern together.
func postorder(parent []int32) csr.Permutation {
	n := len(parent)
	child, sibling := marks(n), marks(n)
	var stack []int32
	for i := n - 1; i >= 0; i-- {
		if up := parent[i]; up >= 0 {
			sibling[i], child[up] = child[up], int32(i)
		} else {
			stack = append(stack, int32(i))
		}
	}
	order := make(csr.Permutation, 0, n)
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		if c := child[i]; c >= 0 {
			child[i] = sibling[c]
			stack = append(stack, c)
			continue
		}
		order = append(order, i)
		stack = stack[:len(stack)-1]
	}
	return order
}

// supernodes finds the supernodes of the matrix of the plan, which is in postorder.
func (p *symmetricPlan) supernodes(watch *elimination) (*supernodes, error) {
	parent, count, err := eliminationTree(p.a, watch)
	if err != nil {
		return nil, err
	}
	n := p.a.Rows
	g := &supernodes{of: make([]int32, n), ptr: make([]int64, n+1)}
	for k := range n {
		g.ptr[k+1] = g.ptr[k] + int64(count[k])
		if k == 0 || parent[k-1] != int32(k) || count[k-1] != count[k]+1 {
			g.first = append(g.first, int32(k))
		}
		g.of[k] = int32(len(g.first) - 1)
	}
	g.pattern = make([][]int32, len(g.first))
	g.first = append(g.first, int32(n))
	return g, g.patterns(p.a, watch)
}

// patterns finds the patterns of supernodes: that of a supernode has the entries of its rows of
// A and, of the supernodes whose first column beyond their own rows is in it, what follows.
func (g *supernodes) patterns(a *csr.Matrix, watch *elimination) error {
	in, head, after := marks(a.Rows), marks(len(g.pattern)), make([]int32, len(g.pattern))
	for j := range g.pattern {
		lo, hi := g.first[j], g.first[j+1]
		var pattern []int32
		add := func(columns []int32) {
			for _, c := range columns {
				if c >= lo && in[c] != int32(j) {
					in[c] = int32(j)
					pattern = append(pattern, c)
				}
			}
		}
		for k := lo; k < hi; k++ {
			add([]int32{k})
			cols, _ := a.Row(int(k))
			add(cols)
		}
		visited := len(pattern)
		for k := head[j]; k >= 0; k = after[k] {
			add(g.pattern[k])
			visited += len(g.pattern[k])
		}
		slices.Sort(pattern)
		g.pattern[j] = pattern
		if own := int(hi - lo); own < len(pattern) {
			up := g.of[pattern[own]]
			after[j], head[up] = head[up], int32(j)
		}
		if err := watch.spend(visited); err != nil {
			return err
		}
	}
	return nil
}
