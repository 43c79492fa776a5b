package precond

import (
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// pieces is a matrix whose rows lie in several arrays: row i is row i&mask of part[i>>shift].
// Columns of a row need not be in order.
type pieces struct {
	rows  int
	shift uint
	mask  int
	part  []piece
}

// piece holds rows as csr.Matrix does.
type piece = kernels.Rows

// pieceShift makes pieces of 4096 rows.
const pieceShift = 12

// whole returns m as one piece.
func whole(m *csr.Matrix) pieces {
	return pieces{m.Rows, 62, 1<<62 - 1, []piece{{Ptr: m.RowPtr, Col: m.Col, Val: m.Val}}}
}

// row returns the columns and values of a row.
func (p *pieces) row(i int32) (cols []int32, vals []float64) {
	part, at := &p.part[uint(i)>>p.shift], int(i)&p.mask
	lo, hi := part.Ptr[at], part.Ptr[at+1]
	return part.Col[lo:hi:hi], part.Val[lo:hi:hi]
}

// length returns the number of entries of a row.
func (p *pieces) length(i int32) int {
	part, at := &p.part[uint(i)>>p.shift], int(i)&p.mask
	return int(part.Ptr[at+1] - part.Ptr[at])
}

// compact returns the matrix, of that many columns, whose rows must be in order. It empties p.
func (p *pieces) compact(cols int, pool *parallel.Pool) *csr.Matrix {
	m := &csr.Matrix{Rows: p.rows, Cols: cols, RowPtr: make([]int64, p.rows+1)}
	first := make([]int64, len(p.part)+1)
	for k, part := range p.part {
		first[k+1] = first[k] + int64(len(part.Col))
	}
	n := first[len(p.part)]
	m.Col, m.Val = make([]int32, n), make([]float64, n)
	pool.Run(len(p.part), parallel.Func(func(k int) {
		part := p.part[k]
		copy(m.Col[first[k]:], part.Col)
		copy(m.Val[first[k]:], part.Val)
		for i, end := range part.Ptr[1:] {
			m.RowPtr[k<<p.shift+i+1] = first[k] + end
		}
		p.part[k] = piece{}
	}))
	return m
}

// newPieces returns a matrix of pieces of 1 << shift rows, which are still to be made.
func newPieces(rows int, shift uint) pieces {
	return pieces{rows, shift, 1<<shift - 1, make([]piece, (rows+1<<shift-1)>>shift)}
}

// bounds returns the rows of piece k, lo to hi-1.
func (p *pieces) bounds(k int) (lo, hi int) {
	return k << p.shift, min((k+1)<<p.shift, p.rows)
}

// makePieces makes a matrix of pieceShift's pieces, the rows lo to hi-1 of each by fill.
func makePieces(rows int, pool *parallel.Pool, fill func(lo, hi int) piece) pieces {
	p := newPieces(rows, pieceShift)
	pool.Run(len(p.part), parallel.Func(func(k int) { p.part[k] = fill(p.bounds(k)) }))
	return p
}

// columnOrder says whether the columns of rows are to be in order.
type columnOrder bool

const (
	inOrder  columnOrder = true
	anyOrder columnOrder = false
)

// assemble makes a matrix of what fill makes of ranges of rows, which are whole pieces of work: the
// rows lo to hi-1, of which row i has the columns, in order, and values ptr[i-lo] to
// ptr[i-lo+1]-1 of the slices. Calls for different ranges run at the same time.
func assemble(rows, cols int, pool *parallel.Pool, fill func(lo, hi int) (ptr []int64, col []int32, val []float64)) *csr.Matrix {
	p := makePieces(rows, pool, func(lo, hi int) (p piece) {
		p.Ptr, p.Col, p.Val = fill(lo, hi)
		return p
	})
	return p.compact(cols, pool)
}
