package precond

import (
	"github.com/mpsolve/mpsolve/pkg/csr"
)

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
		e, err := csr.AMD(s.ctx, within)
		if err != nil {
			return nil, ErrInterrupted
		}
		if err := s.checkEstimate(factorWork{Multiplications: share * e.Multiplications}); err != nil {
			return nil, err
		}
		return newFrontTree(within, withinTransposed, e, blockOf, s.eliminating())
	})
	if err != nil {
		return nil, err
	}
	p.tree = tree
	p.work = p.tree.work()
	p.work.Multiplications *= share
	p.work.Bytes, _ = p.tree.frontBytes(transpose == nil, 1)
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
