package precond

import (
	"cmp"
	"slices"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// fronts are the factors of a matrix by the multifrontal method ([DuffReid83], [Liu92]): for
// each node of a tree its k rows of U, as long as its front is large, with the pivots on the
// diagonal; and, unless A is symmetric, L, of which the part beside the pivots is in the
// place of the zeros of U.
type fronts[T kernels.Value] struct {
	*frontTree
	symmetric bool
	row       []int32 // the pivot whose place the row of a pivot had before pivoting, and its column if A is symmetric; nil: there was none
	paired    []bool  // pivots that are a block of D with the next; nil: none is
	dense     kernels.DenseKernels[T]
	u, l      []T
	uAt, lAt  []int64
}

// newFronts allocates factors of zeros.
func newFronts[T kernels.Value](tree *frontTree, symmetric, moves bool) *fronts[T] {
	f := &fronts[T]{frontTree: tree, symmetric: symmetric, dense: kernels.DenseOf[T](kernels.Default()), uAt: make([]int64, 1, tree.nodes()+1), lAt: make([]int64, 1, tree.nodes()+1)}
	for j := range tree.nodes() {
		k, m := int64(tree.pivots(j)), int64(len(tree.pattern[j]))
		f.uAt = append(f.uAt, f.uAt[j]+k*(k+m))
		if symmetric {
			m = 0
		}
		f.lAt = append(f.lAt, f.lAt[j]+k*m)
	}
	f.u, f.l = make([]T, f.uAt[tree.nodes()]), make([]T, f.lAt[tree.nodes()])
	host.LargePages(f.u)
	host.LargePages(f.l)
	if moves {
		f.row, f.paired = make([]int32, len(tree.order)), make([]bool, len(tree.order))
		for k := range f.row {
			f.row[k] = int32(k)
		}
	}
	return f
}

// upper returns the rows of U of node j, lower the rows of L below them.
func (f *fronts[T]) upper(j int) kernels.Dense[T] {
	return kernels.Dense[T]{Val: f.u[f.uAt[j]:f.uAt[j+1]], Stride: f.size(j)}
}

func (f *fronts[T]) lower(j int) kernels.Dense[T] {
	return kernels.Dense[T]{Val: f.l[f.lAt[j]:f.lAt[j+1]], Stride: f.pivots(j)}
}

// frontBytes is the memory of factors with their tree, and with what making them takes
// besides.
func (t *frontTree) frontBytes(symmetric bool, threads int, p precision) (factors, making int64) {
	n, width := int64(len(t.order)), int64(p)
	numbers, patterns, scratch := int64(0), int64(0), int64(0)
	for j := range t.nodes() {
		k, m := int64(t.pivots(j)), int64(len(t.pattern[j]))
		numbers += k * (k + m)
		if !symmetric {
			numbers += k * m
		}
		patterns += m
		scratch = max(scratch, (k+m+2)*min(k, panel+1)+2*k)
	}
	factors = width*numbers + 8*patterns + 64*int64(t.nodes()) + 48*n
	for _, s := range t.cut.subtrees {
		making += width * square(len(t.pattern[s.end-1]))
	}
	subtree, top := t.peaks(t.cut)
	making += int64(threads)*(width*(subtree+scratch)+8*n) + width*top
	return factors, making
}

func square(n int) int64 { return int64(n) * int64(n) }

// peaks are the most numbers that the stacks of what nodes pass to their parents have: of a
// subtree, and of the nodes above.
func (t *frontTree) peaks(c cut) (subtree, top int64) {
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
	above    []bool // of each node
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
func (t *frontTree) newCut() cut {
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
	c := cut{above: make([]bool, n)}
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

// frontPlan is the input of a multifrontal factorisation: a matrix, scaled, and the tree
// of an order in which the factors fill little.
type frontPlan struct {
	a, transpose *csr.Matrix // transpose is nil where A is symmetric
	blockOf      []int32     // the diagonal block of each row of a block lower triangular a; nil: there is one
	tree         *frontTree
	at           placement // of a
	work         factorWork
}

// planFronts orders a matrix and makes the tree; transpose is nil where it is symmetric. The
// work is known then. Diagonal blocks are factored, those below them are not.
func (s *setup) planFronts(a, transpose *csr.Matrix, blockOf []int32, at placement) (*frontPlan, error) {
	p := &frontPlan{a: a, transpose: transpose, blockOf: blockOf, at: at}
	within, withinTransposed := a, transpose
	if blockOf != nil {
		within, withinTransposed = withinBlocks(a, blockOf), withinBlocks(transpose, blockOf)
	}
	s.Stage("ordering")
	share := 1.0
	if transpose == nil {
		share = 0.5
	}
	tree, err := s.Kept.tree(within, withinTransposed, blockOf, func() (*frontTree, error) {
		e, name, err := s.fillReducing(within, withinTransposed, share)
		if err != nil {
			return nil, err
		}
		t, err := newFrontTree(within, withinTransposed, e, blockOf, s.eliminating())
		if err == nil {
			t.orderedBy = name
		}
		return t, err
	})
	if err != nil {
		return nil, err
	}
	p.tree = tree
	p.work = p.tree.work()
	p.work.Multiplications *= share
	p.work.Bytes, _ = p.tree.frontBytes(transpose == nil, 1, s.firstPrecision(p))
	return p, s.checkEstimate(p.work)
}

// withinBlocks returns the entries of m in the same block as their row.
func withinBlocks(m *csr.Matrix, blockOf []int32) *csr.Matrix {
	out := &csr.Matrix{Rows: m.Rows, Cols: m.Cols, RowPtr: make([]int64, 1, m.Rows+1)}
	out.Col, out.Val = make([]int32, 0, m.NNZ()), make([]float64, 0, m.NNZ())
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for e, j := range cols {
			if blockOf[i] == blockOf[j] {
				out.Col, out.Val = append(out.Col, j), append(out.Val, vals[e])
			}
		}
		out.RowPtr = append(out.RowPtr, int64(len(out.Col)))
	}
	return out
}
