package factor

import (
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
)

// fronts are the factors of a matrix by the multifrontal method ([DuffReid83], [Liu92]): for
// each node of a tree its k rows of U, as long as its front is large, with the pivots on the
// diagonal; and, unless A is symmetric, L, of which the part beside the pivots is in the
// place of the zeros of U.
type fronts[T kernels.Value] struct {
	*Tree
	symmetric bool
	row       []int32 // the pivot whose place the row of a pivot had before pivoting, and its column if A is symmetric; nil: there was none
	paired    []bool  // pivots that are a block of D with the next; nil: none is
	dense     kernels.DenseKernels[T]
	u, l      []T
	uAt, lAt  []int64
}

// newFronts allocates factors of zeros.
func newFronts[T kernels.Value](tree *Tree, symmetric, moves bool) *fronts[T] {
	f := &fronts[T]{Tree: tree, symmetric: symmetric, dense: kernels.DenseOf[T](kernels.Default()), uAt: make([]int64, 1, tree.nodes()+1), lAt: make([]int64, 1, tree.nodes()+1)}
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
		f.row, f.paired = make([]int32, len(tree.Order)), make([]bool, len(tree.Order))
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

// numbers is how many numbers factors store for node j.
func (t *Tree) numbers(j int, symmetric bool) int64 {
	k, m := int64(t.pivots(j)), int64(len(t.pattern[j]))
	if symmetric {
		return k * (k + m)
	}
	return k * (k + 2*m)
}

// Bytes returns the memory of factors with their tree, and what making them takes
// besides.
func (t *Tree) Bytes(symmetric bool, threads int, p Precision) (factors, making int64) {
	n, width := int64(len(t.Order)), int64(p)
	numbers, patterns, scratch := int64(0), int64(0), int64(0)
	for j := range t.nodes() {
		k, m := int64(t.pivots(j)), int64(len(t.pattern[j]))
		numbers += t.numbers(j, symmetric)
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
