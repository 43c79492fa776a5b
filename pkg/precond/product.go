package precond

import (
	"fmt"
	"slices"
	"sync"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// multiplicationsOf returns the number of multiplications in a b, an upper bound of
// its nonzeros.
func multiplicationsOf(a, b *csr.Matrix, pool *parallel.Pool) int64 {
	p := whole(b)
	return multiplications(a, &p, pool)
}

// multiplications returns multiplicationsOf for pieces.
func multiplications(a *csr.Matrix, b *pieces, pool *parallel.Pool) (n int64) {
	bounds := csr.Panels(a)
	counts := make([]int64, len(bounds)-1)
	pool.RunRanges(bounds, func(k, lo, hi int) {
		for _, j := range a.Col[a.RowPtr[lo]:a.RowPtr[hi]] {
			counts[k] += int64(b.length(j))
		}
	})
	for _, c := range counts {
		n += c
	}
	return n
}

// nonzerosOfProduct returns the number of nonzeros of the result of productOf, in the memory of a
// few rows.
func nonzerosOfProduct(a, b *csr.Matrix, blocks nodes, pool *parallel.Pool) (int64, error) {
	if err := conform(a, b, blocks); err != nil {
		return 0, err
	}
	return productNNZ(a, whole(b), blocks, pool), nil
}

// productNNZ returns nonzerosOfProduct for matrices that conform.
func productNNZ(a *csr.Matrix, b pieces, blocks nodes, pool *parallel.Pool) (n int64) {
	bounds := csr.Panels(a)
	counts := make([]int64, len(bounds)-1)
	pool.RunRanges(bounds, func(k, lo, hi int) {
		last := make([]int32, blocks.count()) // row in which a block was met last, from 1
		var before []int32
		var row int64 // nonzeros of the row with these columns
		for i := lo; i < hi; i++ {
			cols, _ := a.Row(i)
			if i > lo && slices.Equal(cols, before) {
				counts[k] += row
				continue
			}
			row, before = 0, cols
			for _, j := range cols {
				inner, _ := b.row(j)
				for q := 0; q < len(inner); {
					g, width, whole := blocks.at(inner[q:])
					if last[g] != int32(i+1) {
						last[g] = int32(i + 1)
						row += int64(width)
					}
					if whole {
						q += width
					} else {
						q++
					}
				}
			}
			counts[k] += row
		}
	})
	for _, c := range counts {
		n += c
	}
	return n
}

func conform(a, b *csr.Matrix, blocks nodes) error {
	if a.Cols != b.Rows || b.Cols != len(blocks.Of) {
		return fmt.Errorf("precond: product of a %d x %d and a %d x %d matrix with %d columns in blocks", a.Rows, a.Cols, b.Rows, b.Cols, len(blocks.Of))
	}
	return nil
}

// productOf returns a b by Gustavson's algorithm, row by row, on the threads of
// pool (nil: serially). The entries of a row are added in the order of a's. Columns
// of the result come in whole blocks, with zeros where there is nothing.
func productOf(a, b *csr.Matrix, blocks nodes, pool *parallel.Pool) (*csr.Matrix, error) {
	if err := conform(a, b, blocks); err != nil {
		return nil, err
	}
	ab := multiply(a, whole(b), blocks, inOrder, pool)
	return ab.compact(b.Cols, pool), nil
}

// multiply returns a b, in whole blocks of columns, by Gustavson's algorithm: each row is a
// sum of rows of b in the order of the entries of a's row.
func multiply(a *csr.Matrix, b pieces, blocks nodes, order columnOrder, pool *parallel.Pool) pieces {
	m := newProductMaker(blocks, pool)
	return makePieces(a.Rows, pool, func(lo, hi int) piece { return m.piece(a, lo, hi, &b, order) })
}

// productMaker makes products with these blocks of columns; spare are the ones that no thread uses, and empty is memory of pieces.
type productMaker struct {
	blocks nodes
	spare  chan rowMultiplier
	empty  sync.Pool // of *piece
}

// rowMultiplier makes rows lo to hi-1 of a product a b.
type rowMultiplier interface {
	piece(a *csr.Matrix, lo, hi int, b *pieces, order columnOrder) piece
	values(c, a *csr.Matrix, lo, hi int, b *pieces)
}

func newProductMaker(blocks nodes, pool *parallel.Pool) *productMaker {
	return &productMaker{blocks: blocks, spare: make(chan rowMultiplier, pool.Threads())}
}

// piece makes rows lo to hi-1 of a b. Calls may run at the same time.
func (m *productMaker) piece(a *csr.Matrix, lo, hi int, b *pieces, order columnOrder) (p piece) {
	m.with(func(g rowMultiplier) { p = g.piece(a, lo, hi, b, order) })
	return p
}

// values sets the values of rows lo to hi-1 of c = a b, whose pattern is known. Calls may run at the same time.
func (m *productMaker) values(c, a *csr.Matrix, lo, hi int, b *pieces) {
	m.with(func(g rowMultiplier) { g.values(c, a, lo, hi, b) })
}

// with calls do with a multiplier.
func (m *productMaker) with(do func(g rowMultiplier)) {
	var g rowMultiplier
	select {
	case g = <-m.spare:
	default:
		if place := make([]int32, m.blocks.count()); m.blocks.single() {
			g = &gustavson{place: place, empty: &m.empty}
		} else {
			g = &blockGustavson{blocks: m.blocks, place: place}
		}
	}
	do(g)
	m.spare <- g
}

// letGo empties pieces, whose memory others may use.
func (m *productMaker) letGo(p *pieces, list []int) {
	for _, k := range list {
		old := p.part[k]
		m.empty.Put(&old)
		p.part[k] = piece{}
	}
}

// gustavson makes rows of a product, one after the other in col and val.
type gustavson struct {
	place  []int32 // of a column in the row, from 1; 0: none
	empty  *sync.Pool
	col    []int32
	val    []float64
	n      int // entries so far
	order  []uint64
	copied []float64

	// The terms of a row before they are added up.
	columns  []int32
	products []float64
}

// piece makes rows lo to hi-1 of a b. Pieces in any order are let go soon: they take the memory of others, and more than they need.
func (g *gustavson) piece(a *csr.Matrix, lo, hi int, b *pieces, order columnOrder) (p piece) {
	if g.col == nil {
		if old, is := g.empty.Get().(*piece); is {
			g.col, g.val = old.Col[:cap(old.Col)], old.Val[:cap(old.Val)]
		}
	}
	p.Ptr = make([]int64, 1, hi-lo+1)
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
	if p.Col, p.Val = g.col[:g.n], g.val[:g.n]; order == anyOrder {
		g.col, g.val = nil, nil
		return p
	}
	p.Col, p.Val = slices.Clone(p.Col), slices.Clone(p.Val)
	return p
}

// values sets the values of rows lo to hi-1 of c = a b, whose pattern is known.
func (g *gustavson) values(c, a *csr.Matrix, lo, hi int, b *pieces) {
	place := g.place
	for i := lo; i < hi; i++ {
		cols, vals := a.Row(i)
		known, out := c.Row(i)
		for k, j := range known {
			place[j] = int32(k)
		}
		terms := g.expand(cols, vals, b)
		products := g.products[:terms]
		for k, j := range g.columns[:terms] {
			out[place[j]] += products[k]
		}
		for _, j := range known {
			place[j] = 0
		}
	}
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

const (
	resultShift  = 9  // pieces of the result of galerkin have 512 rows
	windowPieces = 32 // pieces of the right factor that enter before a part of the result is made, if so many are needed
)

// A productWindow is the part lo to hi-1 of the pieces of a product r b, before which pieces of b enter, and
// after which others leave.
type productWindow struct {
	lo, hi       int
	enter, leave []int
}

// productWindows divides a product r b into parts each of which takes about windowPieces new pieces of b.
func productWindows(r *csr.Matrix, b, result *pieces, pool *parallel.Pool) (all []productWindow) {
	needs := make([][]int, len(result.part)) // pieces of b
	pool.Each(len(needs), func(part int) {
		needed := make([]bool, len(b.part))
		lo, hi := result.bounds(part)
		for _, j := range r.Col[r.RowPtr[lo]:r.RowPtr[hi]] {
			needed[int(j)>>b.shift] = true
		}
		for k, is := range needed {
			if is {
				needs[part] = append(needs[part], k)
			}
		}
	})
	last := make([]int, len(b.part)) // the part of the result that needs a piece last, from 1
	for part, pieces := range needs {
		for _, k := range pieces {
			last[k] = part + 1
		}
	}
	w, there := productWindow{}, make([]bool, len(b.part))
	for part, pieces := range needs {
		for _, k := range pieces {
			if !there[k] {
				there[k] = true
				w.enter = append(w.enter, k)
			}
			if last[k] == part+1 {
				w.leave = append(w.leave, k)
			}
		}
		if w.hi = part + 1; len(w.enter) >= windowPieces || w.hi == len(needs) {
			all = append(all, w)
			w = productWindow{lo: w.hi}
		}
	}
	return all
}
