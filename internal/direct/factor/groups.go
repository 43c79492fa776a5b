package factor

import (
	"slices"

	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// groups are the rows that an order eliminates together, which are merged to the nodes of
// a Tree.
type groups struct {
	order   csr.Permutation
	inverse csr.Permutation
	first   []int32   // as in Tree
	pattern [][]int32 // not sorted
	parent  []int32
	child   []int32
	sibling []int32

	pivots []int64 // of a group and those merged into it
	stored []int64 // entries of their factors that are not zero
	head   []int32 // the first of the groups of a node, linked by next, of which its own is the last
	next   []int32
}

func newGroups(e order.Elimination, blockOf []int32) *groups {
	first := make([]int32, 0, len(e.Groups)+1)
	ends := append(slices.Clone(e.Groups), int32(len(e.Order)))[1:]
	for k, lo := range e.Groups {
		first = append(first, lo)
		for p := lo + 1; p < ends[k] && blockOf != nil; p++ {
			if blockOf[e.Order[p]] != blockOf[e.Order[p-1]] { // dense rows
				first = append(first, p)
			}
		}
	}
	n := len(first)
	g := &groups{
		order: e.Order, inverse: e.Order.Inverse(), first: append(first, int32(len(e.Order))),
		pattern: make([][]int32, n), parent: marks(n), child: marks(n), sibling: marks(n),
		pivots: make([]int64, n), stored: make([]int64, n), head: make([]int32, n), next: marks(n),
	}
	for j := range n {
		g.pivots[j], g.head[j] = int64(g.first[j+1]-g.first[j]), int32(j)
	}
	return g
}

// eliminate finds the patterns of groups: later rows that theirs of the matrix have entries for, or
// that are in the pattern of a child. The parent of a group has the first row of that.
func (g *groups) eliminate(a, transpose *csr.Matrix, watch Watch) error {
	n := a.Rows
	groupOf, in := make([]int32, n), marks(n)
	for j := range g.pattern {
		for k := g.first[j]; k < g.first[j+1]; k++ {
			groupOf[k] = int32(j)
		}
	}
	buffer := make([]int32, 0, n)
	var patterns slab
	for j := range int32(len(g.pattern)) {
		list, last, visited := buffer[:0], g.first[j+1], 0
		for _, i := range g.order[g.first[j]:last] {
			for _, m := range [2]*csr.Matrix{a, transpose} {
				if m == nil {
					continue
				}
				cols, _ := m.Row(int(i))
				visited += len(cols)
				for _, c := range cols {
					if k := g.inverse[c]; k >= last && in[k] != j {
						in[k] = j
						list = append(list, k)
					}
				}
			}
		}
		for c := g.child[j]; c >= 0; c = g.sibling[c] {
			visited += len(g.pattern[c])
			for _, k := range g.pattern[c] {
				if k >= last && in[k] != j {
					in[k] = j
					list = append(list, k)
				}
			}
		}
		g.pattern[j] = patterns.clone(list)
		if len(list) > 0 {
			up := groupOf[slices.Min(list)]
			g.parent[j], g.sibling[j], g.child[up] = up, g.child[up], j
		}
		g.stored[j] = trapezoid(g.pivots[j], int64(len(list)))
		if err := watch(visited + len(list)); err != nil {
			return err
		}
	}
	return nil
}

// slab is memory for many small slices.
type slab struct{ free []int32 }

const slabSize = 1 << 14

// clone returns a copy.
func (s *slab) clone(list []int32) []int32 {
	n := len(list)
	if n > len(s.free) {
		s.free = make([]int32, max(slabSize, n))
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	copy(out, list)
	return out
}

// trapezoid is the number of entries of k rows of U with m entries behind them.
func trapezoid(k, m int64) int64 { return k*(k+1)/2 + k*m }

// mostZeros is the share of zeros up to which nodes of so many pivots are merged: large fronts
// are faster than many small ones ([AshcraftGrimes89], with the limits of CHOLMOD).
func mostZeros(pivots int64) float64 {
	switch {
	case pivots <= 4:
		return 1
	case pivots <= 16:
		return 0.8
	case pivots <= 48:
		return 0.1
	}
	return 0.05
}

// relax merges groups into their parents where that stores few zeros.
func (g *groups) relax() {
	for j := range int32(len(g.pattern)) {
		var kept int32 = -1
		keep := func(c int32) { g.parent[c], g.sibling[c], kept = j, kept, c }
		for c := g.child[j]; c >= 0; {
			following := g.sibling[c]
			pivots := g.pivots[j] + g.pivots[c]
			all := trapezoid(pivots, int64(len(g.pattern[j])))
			nonzero := g.stored[j] + g.stored[c]
			if float64(all-nonzero) > mostZeros(pivots)*float64(all) {
				keep(c)
				c = following
				continue
			}
			g.pivots[j], g.stored[j] = pivots, nonzero
			g.next[c], g.head[j] = g.head[j], g.head[c]
			for d := g.child[c]; d >= 0; {
				after := g.sibling[d]
				keep(d)
				d = after
			}
			c = following
		}
		g.child[j] = kept
	}
}

// tree numbers nodes in postorder, block after block.
func (g *groups) tree(blockOf []int32) *Tree {
	var roots []int32
	for j, up := range g.parent {
		if up < 0 {
			roots = append(roots, int32(j))
		}
	}
	block := func(j int32) int32 { return blockOf[g.order[g.first[j]]] }
	if blockOf != nil {
		slices.SortStableFunc(roots, func(a, b int32) int { return int(block(a) - block(b)) })
	}
	n := len(g.order)
	t := &Tree{Order: make(csr.Permutation, 0, n)}
	number, position := marks(len(g.pattern)), make([]int32, n)
	var nodes, stack []int32
	for r, root := range roots {
		if r == 0 || blockOf != nil && block(roots[r-1]) != block(root) {
			t.blocks = append(t.blocks, int32(len(nodes)))
		}
		for stack = append(stack[:0], root); len(stack) > 0; {
			j := stack[len(stack)-1]
			if c := g.child[j]; c >= 0 {
				g.child[j] = g.sibling[c]
				stack = append(stack, c)
				continue
			}
			stack = stack[:len(stack)-1]
			number[j] = int32(len(nodes))
			nodes = append(nodes, j)
			t.first = append(t.first, int32(len(t.Order)))
			for p := g.head[j]; p >= 0; p = g.next[p] {
				for k := g.first[p]; k < g.first[p+1]; k++ {
					position[k] = int32(len(t.Order))
					t.Order = append(t.Order, g.order[k])
				}
				if p == j {
					break
				}
			}
		}
	}
	t.first = append(t.first, int32(n))
	t.blocks = append(t.blocks, int32(len(nodes)))
	t.pattern, t.parent = make([][]int32, len(nodes)), marks(len(nodes))
	t.child, t.sibling = marks(len(nodes)), marks(len(nodes))
	for k := len(nodes) - 1; k >= 0; k-- {
		j := nodes[k]
		t.pattern[k] = g.pattern[j]
		for e, p := range t.pattern[k] {
			t.pattern[k][e] = position[p]
		}
		slices.Sort(t.pattern[k])
		if up := g.parent[j]; up >= 0 {
			up = number[up]
			t.parent[k], t.sibling[k], t.child[up] = up, t.child[up], int32(k)
		}
	}
	t.cut = t.newCut()
	return t
}
