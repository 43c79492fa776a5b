package csr

import (
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Galerkin returns r a p for r the transpose of p, a matrix of the groups of columns of p, in
// whole blocks as Multiply makes it. Rows of a p are made when rows of the result first need
// them and let go after the last ones, so that few are there at a time where a is a mesh.
//
// allow is told how many multiplications a p takes and how many rows that has, of so many nonzeros at most;
// count counts these. Before each part of r (a p) it is told the same of the result up to this part. Its error
// ends Galerkin.
func Galerkin(
	r, a, p *Matrix, blocks Blocks, pool *parallel.Pool,
	allow func(multiplications int64, rows int, count func() int64) error,
) (*Matrix, error) {
	if err := conform(a, p, blocks); err != nil {
		return nil, err
	}
	if r.Rows != p.Cols || r.Cols != p.Rows || r.NNZ() != p.NNZ() {
		return nil, fmt.Errorf("csr: %d x %d is not the transpose of %d x %d", r.Rows, r.Cols, p.Rows, p.Cols)
	}
	if err := allow(Multiplications(a, p, pool), a.Rows, func() int64 {
		return productNNZ(a, whole(p), blocks, pool)
	}); err != nil {
		return nil, err
	}
	right, ap, result := whole(p), newPieces(a.Rows, pieceShift), newPieces(r.Rows, resultShift)
	m := newMultiplier(blocks, pool)
	work, nonzeros := int64(0), int64(0)
	for _, w := range windows(r, &ap, &result, pool) {
		pool.Run(len(w.enter), parallel.Func(func(k int) {
			lo, hi := ap.bounds(w.enter[k])
			ap.part[w.enter[k]] = m.piece(a, lo, hi, &right, anyOrder)
		}))
		rows := r.rows(w.lo<<resultShift, min(w.hi<<resultShift, r.Rows))
		work += multiplications(rows, &ap, pool)
		if err := allow(work, r.Rows, func() int64 {
			return nonzeros + productNNZ(rows, ap, blocks, pool)
		}); err != nil {
			return nil, err
		}
		pool.Run(w.hi-w.lo, parallel.Func(func(k int) {
			lo, hi := result.bounds(w.lo + k)
			result.part[w.lo+k] = m.piece(r, lo, hi, &ap, inOrder)
		}))
		for _, part := range result.part[w.lo:w.hi] {
			nonzeros += int64(len(part.Col))
		}
		for _, k := range w.leave {
			ap.part[k] = piece{}
		}
	}
	return result.compact(p.Cols, pool), nil
}

// rows returns the rows lo to hi-1 as a matrix that shares the memory of m.
func (m *Matrix) rows(lo, hi int) *Matrix {
	return &Matrix{Rows: hi - lo, Cols: m.Cols, RowPtr: m.RowPtr[lo : hi+1], Col: m.Col, Val: m.Val}
}
