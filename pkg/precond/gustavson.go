package precond

import (
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// multiply returns a b, in whole blocks of columns, by Gustavson's algorithm: each row is a
// sum of rows of b in the order of the entries of a's row.
func multiply(a *csr.Matrix, b pieces, blocks nodes, order columnOrder, pool *parallel.Pool) pieces {
	m := newProductMaker(blocks, pool)
	return makePieces(a.Rows, pool, func(lo, hi int) piece { return m.piece(a, lo, hi, &b, order) })
}

// productMaker makes products with these blocks of columns; spare are the ones that no thread uses.
type productMaker struct {
	blocks nodes
	spare  chan rowMultiplier
}

// rowMultiplier makes rows lo to hi-1 of a product a b.
type rowMultiplier interface {
	piece(a *csr.Matrix, lo, hi int, b *pieces, order columnOrder) piece
}

func newProductMaker(blocks nodes, pool *parallel.Pool) *productMaker {
	return &productMaker{blocks, make(chan rowMultiplier, pool.Threads())}
}

// piece makes rows lo to hi-1 of a b. Calls may run at the same time.
func (m *productMaker) piece(a *csr.Matrix, lo, hi int, b *pieces, order columnOrder) piece {
	var g rowMultiplier
	select {
	case g = <-m.spare:
	default:
		if place := make([]int32, m.blocks.count()); m.blocks.single() {
			g = &gustavson{place: place}
		} else {
			g = &blockGustavson{blocks: m.blocks, place: place}
		}
	}
	defer func() { m.spare <- g }()
	return g.piece(a, lo, hi, b, order)
}

// gustavson makes rows of a product, one after the other in col and val.
type gustavson struct {
	place  []int32 // of a column in the row, from 1; 0: none
	col    []int32
	val    []float64
	n      int // entries so far
	order  []uint64
	copied []float64

	// The terms of a row before they are added up.
	columns  []int32
	products []float64
}

// piece makes rows lo to hi-1 of a b.
func (g *gustavson) piece(a *csr.Matrix, lo, hi int, b *pieces, order columnOrder) piece {
	p := piece{Ptr: make([]int64, 1, hi-lo+1)}
	g.n = 0
	for i := lo; i < hi; i++ {
		cols, vals := a.Row(i)
		n := g.row(cols, vals, b)
		if order == inOrder {
			g.sort(g.col[g.n:g.n+n], g.val[g.n:g.n+n])
		}
		g.n += n
		p.Ptr = append(p.Ptr, int64(g.n))
	}
	p.Col, p.Val = slices.Clone(g.col[:g.n]), slices.Clone(g.val[:g.n])
	return p
}

// reserve makes room for so many more entries.
func (g *gustavson) reserve(n int) (col []int32, val []float64) {
	if need := g.n + n + 1; need > len(g.col) {
		need += need / 2
		g.col = append(make([]int32, 0, need), g.col[:g.n]...)[:need]
		g.val = append(make([]float64, 0, need), g.val[:g.n]...)[:need]
	}
	return g.col[g.n:], g.val[g.n:]
}

// row adds the row that is the sum of vals[k] times row cols[k] of b, and returns the number of
// its entries.
func (g *gustavson) row(cols []int32, vals []float64, b *pieces) (n int) {
	terms := g.expand(cols, vals, b)
	col, val := g.reserve(terms)
	n = kernels.Default().AddTerms(g.place, col, val, g.columns[:terms], g.products)
	for _, c := range col[:n] {
		g.place[c] = 0
	}
	return n
}

// expand sets columns and products to the terms of a row and returns their number.
func (g *gustavson) expand(cols []int32, vals []float64, b *pieces) (n int) {
	for len(cols) > 0 {
		rows, terms := kernels.Default().Terms(g.columns[n:], g.products[n:], cols, vals, b.part, b.shift)
		cols, vals, n = cols[rows:], vals[rows:], n+terms
		if len(cols) > 0 {
			most := 2 * (n + b.length(cols[0]) + kernels.TermSlack)
			g.columns = append(make([]int32, 0, most), g.columns[:n]...)[:most]
			g.products = append(make([]float64, 0, most), g.products[:n]...)[:most]
		}
	}
	return n
}

// sortedByInsertion is the length up to which insertion sorts a row fastest.
const sortedByInsertion = 40

// sort sorts a row by columns.
func (g *gustavson) sort(col []int32, val []float64) {
	val = val[:len(col)]
	if len(col) <= sortedByInsertion {
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
