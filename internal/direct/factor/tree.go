package factor

import (
	"slices"

	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Tree is the assembly tree of a multifrontal factorisation [DuffReid83]: node j
// eliminates the pivots first[j] to first[j+1]-1, in a front of these and of pattern[j], the
// later pivots that their rows of the factors have entries for. Nodes are in postorder.
type Tree struct {
	Order     csr.Permutation // the row of the matrix of a pivot
	OrderedBy string          // the name of the method that found the order
	first     []int32
	pattern   [][]int32
	parent    []int32 // -1: none
	child     []int32 // the first one, -1: none
	sibling   []int32 // the next child of the same parent
	blocks    []int32 // nodes at which the blocks of a block triangular matrix begin, and the end
	cut       cut
}

// pivots returns the number of pivots of node j, size the number of rows of its front.
func (t *Tree) pivots(j int) int { return int(t.first[j+1] - t.first[j]) }
func (t *Tree) size(j int) int   { return t.pivots(j) + len(t.pattern[j]) }

// nodes is the number of nodes.
func (t *Tree) nodes() int { return len(t.pattern) }

// entries returns the number of entries that a factor stores for node j, without the diagonal.
func (t *Tree) entries(j int) int64 {
	k, m := int64(t.pivots(j)), int64(len(t.pattern[j]))
	return k*(k-1)/2 + k*m
}

// multiplications returns the number of multiplications for node j in an LU factorisation.
func (t *Tree) multiplications(j int) float64 {
	k, m := float64(t.pivots(j)), float64(len(t.pattern[j]))
	return k*m*m + m*k*(k-1) + k*(k-1)*(2*k-1)/6 + k*m + k*(k-1)/2
}

// Work returns the number of entries of L and U without the diagonal, and of multiplications of L U.
func (t *Tree) Work() (entries int64, multiplications float64) {
	for j := range t.nodes() {
		entries += 2 * t.entries(j)
		multiplications += t.multiplications(j)
	}
	return entries, multiplications
}

// Operations returns how many operations a factorisation tells its Watch of, in all.
func (t *Tree) Operations() float64 { return t.cut.work }

// Blocks returns the number of blocks of a block triangular matrix.
func (t *Tree) Blocks() int { return len(t.blocks) - 1 }

// Matrix is what is factored: the diagonal blocks of a block lower triangular matrix.
type Matrix struct {
	A, Transpose *csr.Matrix // Transpose is nil where A is symmetric
	BlockOf      []int32     // of rows of A; entries outside of diagonal blocks are left out; nil: one block
}

// Symmetric reports whether A is symmetric.
func (m *Matrix) Symmetric() bool { return m.Transpose == nil }

// same reports whether two rows are in the same block.
func (m *Matrix) same(i, j int32) bool { return m.BlockOf == nil || m.BlockOf[i] == m.BlockOf[j] }

// Watch is told of operations; its error ends the work.
type Watch func(operations int) error

// NewTree finds the tree of a matrix, which has no entries outside of its blocks, in an order that fills little, found by a method of
// that name.
func NewTree(m Matrix, e order.Elimination, orderedBy string, watch Watch) (*Tree, error) {
	g := newGroups(e, m.BlockOf)
	if err := g.eliminate(m.A, m.Transpose, watch); err != nil {
		return nil, err
	}
	g.relax()
	t := g.tree(m.BlockOf)
	t.OrderedBy = orderedBy
	return t, watch(m.A.Rows)
}

// marks returns n numbers of -1.
func marks(n int) []int32 { return slices.Repeat([]int32{-1}, n) }
