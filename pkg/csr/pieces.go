package csr

import (
	"slices"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// pieces is a matrix whose rows lie in several arrays: row i is row i&mask of part[i>>shift].
// Columns of a row need not be in order.
type pieces struct {
	rows  int
	shift uint
	mask  int
	part  []piece
}

// piece holds rows as Matrix does.
type piece struct {
	ptr []int64
	col []int32
	val []float64
}

// pieceShift makes pieces of 4096 rows.
const pieceShift = 12

// whole is m as one piece.
func whole(m *Matrix) pieces {
	return pieces{m.Rows, 62, 1<<62 - 1, []piece{{m.RowPtr, m.Col, m.Val}}}
}

// row returns the columns and values of a row.
func (p *pieces) row(i int32) (cols []int32, vals []float64) {
	part, at := &p.part[uint(i)>>p.shift], int(i)&p.mask
	lo, hi := part.ptr[at], part.ptr[at+1]
	return part.col[lo:hi:hi], part.val[lo:hi:hi]
}

// compact returns the matrix, of that many columns, whose rows must be in order. It empties p.
func (p *pieces) compact(cols int, pool *parallel.Pool) *Matrix {
	m := &Matrix{Rows: p.rows, Cols: cols, RowPtr: make([]int64, p.rows+1)}
	first := make([]int64, len(p.part)+1)
	for k, part := range p.part {
		first[k+1] = first[k] + int64(len(part.col))
	}
	n := first[len(p.part)]
	m.Col, m.Val = make([]int32, n), make([]float64, n)
	pool.Run(len(p.part), parallel.Func(func(k int) {
		part := p.part[k]
		copy(m.Col[first[k]:], part.col)
		copy(m.Val[first[k]:], part.val)
		for i, end := range part.ptr[1:] {
			m.RowPtr[k<<pieceShift+i+1] = first[k] + end
		}
		p.part[k] = piece{}
	}))
	return m
}

// makePieces makes a matrix of pieceShift's pieces, the rows lo to hi-1 of each by fill.
func makePieces(rows int, pool *parallel.Pool, fill func(lo, hi int) piece) pieces {
	p := pieces{rows, pieceShift, 1<<pieceShift - 1, make([]piece, (rows+1<<pieceShift-1)>>pieceShift)}
	pool.Run(len(p.part), parallel.Func(func(k int) {
		lo := k << pieceShift
		p.part[k] = fill(lo, min(lo+1<<pieceShift, rows))
	}))
	return p
}

// columnOrder says whether the columns of rows are to be in order.
type columnOrder bool

const (
	inOrder  columnOrder = true
	anyOrder columnOrder = false
)

// multiply returns a b, b of so many columns, by Gustavson's algorithm, each of whose rows is a
// sum of rows of b in the order of the entries of a's row.
func multiply(a *Matrix, b pieces, cols int, order columnOrder, pool *parallel.Pool) pieces {
	spare := make(chan *gustavson, pool.Threads())
	return makePieces(a.Rows, pool, func(lo, hi int) piece {
		var g *gustavson
		select {
		case g = <-spare:
		default:
			g = &gustavson{place: make([]int32, cols)}
		}
		defer func() { spare <- g }()
		return g.piece(a, lo, hi, b, order)
	})
}

// gustavson makes rows of a product.
type gustavson struct {
	place  []int32 // of a column in the row, from 1; 0: none
	perRow float64 // entries, in the piece made last
	order  []uint64
	copied []float64
}

// piece makes rows lo to hi-1 of a b.
func (g *gustavson) piece(a *Matrix, lo, hi int, b pieces, order columnOrder) piece {
	p := piece{ptr: make([]int64, 1, hi-lo+1)}
	grow := func(n int) {
		size := max(len(p.col)+n, int(g.perRow*float64(hi-lo)*1.1))
		p.col = slices.Grow(p.col, size-len(p.col))
		p.val = slices.Grow(p.val, size-len(p.val))
	}
	for i := lo; i < hi; i++ {
		cols, vals := a.Row(i)
		most := 0
		for _, j := range cols {
			part, at := &b.part[uint(j)>>b.shift], int(j)&b.mask
			most += int(part.ptr[at+1] - part.ptr[at])
		}
		n := len(p.col)
		if most > cap(p.col)-n || most > cap(p.val)-n {
			grow(most)
		}
		k := g.row(cols, vals, &b, p.col[n:n+most], p.val[n:n+most])
		p.col, p.val = p.col[:n+k], p.val[:n+k]
		if order == inOrder {
			g.sort(p.col[n:], p.val[n:])
		}
		p.ptr = append(p.ptr, int64(n+k))
	}
	g.perRow = float64(len(p.col)) / float64(max(hi-lo, 1))
	return p
}

// row writes the sum of vals[k] times row cols[k] of b to col and val, which have room for all
// terms, and returns the number of its entries.
func (g *gustavson) row(cols []int32, vals []float64, b *pieces, col []int32, val []float64) (n int) {
	place := g.place
	for k, j := range cols {
		f := vals[k]
		bc, bv := b.row(j)
		bv = bv[:len(bc)]
		for t, c := range bc {
			if at := place[c]; at != 0 {
				val[at-1] += float64(f * bv[t])
				continue
			}
			col[n], val[n] = c, f*bv[t]
			n++
			place[c] = int32(n)
		}
	}
	for _, c := range col[:n] {
		place[c] = 0
	}
	return n
}

// shortRow is the length up to which insertion sorts a row fastest.
const shortRow = 40

// sort sorts a row by columns.
func (g *gustavson) sort(col []int32, val []float64) {
	val = val[:len(col)]
	if len(col) <= shortRow {
		for k := 1; k < len(col); k++ {
			c, v := col[k], val[k]
			at := k
			for at > 0 && col[at-1] > c {
				col[at], val[at] = col[at-1], val[at-1]
				at--
			}
			col[at], val[at] = c, v
		}
		return
	}
	g.order, g.copied = g.order[:0], append(g.copied[:0], val...)
	for k, c := range col {
		g.order = append(g.order, uint64(c)<<32|uint64(k))
	}
	slices.Sort(g.order)
	for k, o := range g.order {
		col[k], val[k] = int32(o>>32), g.copied[uint32(o)]
	}
}

// Assemble makes a matrix of what fill makes of ranges of rows, which are whole pieces of work: the
// rows lo to hi-1, of which row i has the columns, in order, and values ptr[i-lo] to
// ptr[i-lo+1]-1 of the slices. Calls for different ranges run at the same time.
func Assemble(rows, cols int, pool *parallel.Pool, fill func(lo, hi int) (ptr []int64, col []int32, val []float64)) *Matrix {
	p := makePieces(rows, pool, func(lo, hi int) (p piece) {
		p.ptr, p.col, p.val = fill(lo, hi)
		return p
	})
	return p.compact(cols, pool)
}
