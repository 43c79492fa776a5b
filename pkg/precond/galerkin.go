package precond

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// galerkin returns r a p for r the transpose of p, a matrix of the groups of columns of p, in
// whole blocks as productOf makes it. Rows of a p are made when rows of the result first need
// them and let go after the last ones, so that few are there at a time where a is a mesh.
//
// allow is called with the number of multiplications of a p, an upper bound of its nonzeros, and the number of its rows;
// count counts the nonzeros. Before each part of r (a p), allow is called with the same figures of the result up to this
// part. An error of allow ends galerkin.
func galerkin(
	r, a, p *csr.Matrix, blocks nodes, pool *parallel.Pool,
	allow func(multiplications int64, rows int, count func() int64) error,
) (*csr.Matrix, error) {
	if err := conform(a, p, blocks); err != nil {
		return nil, err
	}
	if r.Rows != p.Cols || r.Cols != p.Rows || r.NNZ() != p.NNZ() {
		return nil, fmt.Errorf("precond: %d x %d is not the transpose of %d x %d", r.Rows, r.Cols, p.Rows, p.Cols)
	}
	return galerkinRows(r, a, p, nil, blocks, pool, allow)
}

// galerkinRows is galerkin for some rows of the coarse matrix: the rows of r. Some rows of a p may be made
// elsewhere: given has them, or is nil; these rows are empty in a.
func galerkinRows(
	r, a, p, given *csr.Matrix, blocks nodes, pool *parallel.Pool,
	allow func(multiplications int64, rows int, count func() int64) error,
) (*csr.Matrix, error) {
	if err := conform(a, p, blocks); err != nil {
		return nil, err
	}
	if r.Cols != a.Rows || given != nil && (given.Rows != a.Rows || given.Cols != p.Cols) {
		return nil, fmt.Errorf("precond: product of a %d x %d and a %d x %d matrix", r.Rows, r.Cols, a.Rows, p.Cols)
	}
	if err := allow(multiplicationsOf(a, p, pool), a.Rows, func() int64 {
		return productNNZ(a, whole(p), blocks, pool)
	}); err != nil {
		return nil, err
	}
	right, ap, result := whole(p), newPieces(a.Rows, pieceShift), newPieces(r.Rows, resultShift)
	m := newProductMaker(blocks, pool)
	work, nonzeros := int64(0), int64(0)
	for _, w := range productWindows(r, &ap, &result, pool) {
		pool.Run(len(w.enter), parallel.Func(func(k int) {
			lo, hi := ap.bounds(w.enter[k])
			ap.part[w.enter[k]] = m.piece(a, lo, hi, &right, anyOrder)
			if given != nil {
				fillEmpty(&ap.part[w.enter[k]], rowRange(given, lo, hi))
			}
		}))
		rows := rowRange(r, w.lo<<resultShift, min(w.hi<<resultShift, r.Rows))
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

// rowRange returns the rows lo to hi-1 as a matrix that shares the memory of m.
func rowRange(m *csr.Matrix, lo, hi int) *csr.Matrix {
	return &csr.Matrix{Rows: hi - lo, Cols: m.Cols, RowPtr: m.RowPtr[lo : hi+1], Col: m.Col, Val: m.Val}
}

// fillEmpty puts given rows into a piece of as many rows, where they are empty.
func fillEmpty(p *piece, given *csr.Matrix) {
	more := int(given.RowPtr[given.Rows] - given.RowPtr[0])
	if more == 0 {
		return
	}
	q := piece{Ptr: make([]int64, 1, len(p.Ptr)), Col: make([]int32, 0, len(p.Col)+more), Val: make([]float64, 0, len(p.Val)+more)}
	for i := range given.Rows {
		cols, vals := given.Row(i)
		q.Col = append(append(q.Col, p.Col[p.Ptr[i]:p.Ptr[i+1]]...), cols...)
		q.Val = append(append(q.Val, p.Val[p.Ptr[i]:p.Ptr[i+1]]...), vals...)
		q.Ptr = append(q.Ptr, int64(len(q.Col)))
	}
	*p = q
}
