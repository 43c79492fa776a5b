package factor

import (
	"cmp"
	"slices"
)

func square(n int) int64 { return int64(n) * int64(n) }

// peaks are the most numbers that the stacks of what nodes pass to their parents have: of a
// subtree, and of the nodes above.
func (t *Tree) peaks(c cut) (subtree, top int64) {
	var depth, most [2]int64
	for j := range t.nodes() {
		at := 0
		if c.above[j] {
			at = 1
		}
		passed := square(len(t.pattern[j]))
		most[at] = max(most[at], depth[at]+passed)
		for i := t.child[j]; i >= 0; i = t.sibling[i] {
			if c.above[i] == c.above[j] {
				depth[at] -= square(len(t.pattern[i]))
			}
		}
		depth[at] += passed
		if up := t.parent[j]; at == 0 && (up < 0 || c.above[up]) {
			depth[0] = 0
		}
	}
	return most[0], most[1]
}

// A cut of a tree is its subtrees that are eliminated independently of each other, and the
// nodes above them, in postorder.
type cut struct {
	subtrees []subtree
	top      []int32
	above    []bool  // of each node
	work     float64 // of all nodes
}

// subtree are the nodes first to end-1, of which the last is the root.
type subtree struct {
	first, end int
	work       float64
}

const (
	// Subtrees have at most subtreeShare of the work of the tree, unless a node has more; a tree
	// of less than leastShared multiplications is not cut.
	subtreeShare = 1. / 16
	leastShared  = 3e5
)

// newCut cuts the tree; the subtrees with most work come first.
func (t *Tree) newCut() cut {
	n := t.nodes()
	work, first := make([]float64, n), make([]int, n)
	total := 0.0
	for j := range n {
		first[j] = j
		for c := t.child[j]; c >= 0; c = t.sibling[c] {
			work[j] += work[c]
			first[j] = min(first[j], first[c])
		}
		own := t.multiplications(j) + frontOverhead*float64(t.size(j))
		work[j] += own
		total += own
	}
	c := cut{above: make([]bool, n), work: total}
	for j := n - 1; j >= 0; {
		if total < leastShared || work[j] > subtreeShare*total {
			c.top, c.above[j] = append(c.top, int32(j)), true
			j--
			continue
		}
		c.subtrees = append(c.subtrees, subtree{first[j], j + 1, work[j]})
		j = first[j] - 1
	}
	slices.Reverse(c.top)
	slices.SortStableFunc(c.subtrees, func(a, b subtree) int { return cmp.Compare(b.work, a.work) })
	return c
}

// frontOverhead is about what assembling a row of a front takes, in multiplications.
const frontOverhead = 100
