package order

import "github.com/mpsolve/mpsolve/pkg/csr"

// An Elimination is an order of the rows of a matrix for Gaussian elimination, and the cost of
// this elimination if all pivots are on the diagonal. For an order for other pivots the cost is
// an upper bound.
type Elimination struct {
	Order           csr.Permutation
	Groups          []int32 // where rows of the same pattern in the factors begin, in Order; ascending, the first is 0
	Entries         int64   // of one triangular factor, without the diagonal
	Multiplications float64 // of an LU factorisation; of a symmetric one, half as many
}

// Count returns what the elimination in an order takes, in a postorder of its tree, which takes the same: the tree by [Liu90], and the
// number of entries of each column of the factor by [Gilbert94], in about the time of reading the graph.
func Count(g *Graph, order csr.Permutation) Elimination {
	order, parent := g.postordered(order)
	count := g.columnCounts(order, parent)
	e := Elimination{Order: order}
	for k, c := range count {
		below := int64(c) - 1
		e.Entries += below
		e.Multiplications += float64(below) * float64(below+1)
		if k == 0 || parent[k-1] != int32(k) || count[k-1] != c+1 {
			e.Groups = append(e.Groups, int32(k))
		}
	}
	return e
}

// Parents returns the elimination tree of an order of a symmetric pattern: the parent of a position is the first later row that its column of the factor has an entry for,
// -1: none [Liu90].
func Parents(order csr.Permutation, neighbours func(v int32) []int32) []int32 {
	n := len(order)
	position := order.Inverse()
	parent, ancestor := marks(n), marks(n)
	for k := range int32(n) {
		for _, w := range neighbours(order[k]) {
			for j := position[w]; j >= 0 && j < k; {
				next := ancestor[j]
				if ancestor[j] = k; next < 0 {
					parent[j] = k
				}
				j = next
			}
		}
	}
	return parent
}

// postordered returns an order whose elimination tree is the same but for the numbers, which are a postorder, and the parents in this tree;
// -1: none.
func (g *Graph) postordered(order csr.Permutation) (csr.Permutation, []int32) {
	n := len(order)
	parent := Parents(order, g.neighbours)
	child, sibling := marks(n), marks(n)
	for k := n - 1; k >= 0; k-- {
		if up := parent[k]; up >= 0 {
			sibling[k], child[up] = child[up], int32(k)
		}
	}
	sorted, number := make(csr.Permutation, 0, n), make([]int32, n)
	var stack []int32
	for root := range int32(n) {
		if parent[root] >= 0 {
			continue
		}
		for stack = append(stack[:0], root); len(stack) > 0; {
			j := stack[len(stack)-1]
			if c := child[j]; c >= 0 {
				child[j] = sibling[c]
				stack = append(stack, c)
				continue
			}
			stack = stack[:len(stack)-1]
			number[j] = int32(len(sorted))
			sorted = append(sorted, order[j])
		}
	}
	up := make([]int32, n)
	for j, p := range parent {
		if p >= 0 {
			p = number[p]
		}
		up[number[j]] = p
	}
	return sorted, up
}

// columnCounts returns the number of entries of each column of the factor, with the diagonal, for a postorder. A column of the factor counts
// the leaves of the subtrees of later rows, less where the paths from two leaves of a row meet [Gilbert94].
func (g *Graph) columnCounts(order csr.Permutation, parent []int32) []int32 {
	n := len(order)
	position := order.Inverse()
	count, first := make([]int32, n), marks(n) // first is the first descendant
	for k := range int32(n) {
		if first[k] < 0 {
			count[k] = 1 // a leaf of the tree
		}
		for j := k; j >= 0 && first[j] < 0; j = parent[j] {
			first[j] = k
		}
	}
	ancestor, latest, leaf := make([]int32, n), marks(n), marks(n) // latest is the largest first of the leaves of a row, leaf the last leaf
	for k := range ancestor {
		ancestor[k] = int32(k)
	}
	for j := range int32(n) {
		if parent[j] >= 0 {
			count[parent[j]]--
		}
		for _, w := range g.neighbours(order[j]) {
			i := position[w]
			if i <= j || first[j] <= latest[i] {
				continue
			}
			latest[i] = first[j]
			count[j]++
			if q := leaf[i]; q >= 0 {
				root := q
				for root != ancestor[root] {
					root = ancestor[root]
				}
				for q != root {
					q, ancestor[q] = ancestor[q], root
				}
				count[root]--
			}
			leaf[i] = j
		}
		if parent[j] >= 0 {
			ancestor[j] = parent[j]
		}
	}
	for j, up := range parent {
		if up >= 0 {
			count[up] += count[j]
		}
	}
	return count
}
