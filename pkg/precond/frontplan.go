package precond

import (
	"github.com/mpsolve/mpsolve/internal/direct/factor"
	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// frontPlan is the input of a multifrontal factorisation: a matrix, scaled, and the tree
// of an order in which the factors fill little.
type frontPlan struct {
	factor.Matrix
	tree *factor.Tree
	at   placement // of A
	work factorWork
}

// planFronts orders a matrix, changes the order unless arrange is nil, and makes the tree; transpose is nil where it is symmetric. The
// work is known then. Diagonal blocks are factored, those below them are not.
func (s *setup) planFronts(a, transpose *csr.Matrix, blockOf []int32, at placement, arrange func(*csr.Matrix, order.Elimination) order.Elimination) (*frontPlan, error) {
	p := &frontPlan{Matrix: factor.Matrix{A: a, Transpose: transpose, BlockOf: blockOf}, at: at}
	within := p.Matrix
	if blockOf != nil {
		within.A, within.Transpose = withinBlocks(a, blockOf), withinBlocks(transpose, blockOf)
	}
	s.Stage("ordering")
	share := 1.0
	if transpose == nil {
		share = 0.5
	}
	e, name, err := s.fillReducing(within.A, within.Transpose, share)
	if err != nil {
		return nil, err
	}
	if arrange != nil {
		e = arrange(a, e)
	}
	tree, err := s.Kept.tree(within, e, func() (*factor.Tree, error) {
		return factor.NewTree(within, e, name, (&meter{ctx: s.ctx}).spend)
	})
	if err != nil {
		return nil, err
	}
	p.tree = tree
	p.work.Entries, p.work.Multiplications = tree.Work()
	p.work.Multiplications *= share
	p.work.Bytes, _ = tree.Bytes(p.Symmetric(), 1, s.firstPrecision(p))
	return p, s.checkEstimate(p.work)
}

// entries is the number of entries of the factors, once where A is symmetric.
func (p *frontPlan) entries() int64 {
	n := int64(len(p.tree.Order))
	if p.Symmetric() {
		return n + p.work.Entries/2
	}
	return n + p.work.Entries
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
