package precond

import (
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
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
	pool.Each(len(p.part), func(k int) {
		part := p.part[k]
		copy(m.Col[first[k]:], part.Col)
		copy(m.Val[first[k]:], part.Val)
		for i, end := range part.Ptr[1:] {
			m.RowPtr[k<<p.shift+i+1] = first[k] + end
		}
		p.part[k] = piece{}
	})
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
	pool.Each(len(p.part), func(k int) { p.part[k] = fill(p.bounds(k)) })
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

// byRows makes a matrix whose row i has the terms that fill adds, for ranges
// of rows on the threads of pool. Calls for different rows run at the same time.
func byRows(rows int, blocks nodes, bounds []int, pool *parallel.Pool, fill func(i int, row *accumulator)) *csr.Matrix {
	m := &csr.Matrix{Rows: rows, Cols: len(blocks.Of), RowPtr: make([]int64, rows+1)}
	type part struct {
		col []int32
		val []float64
	}
	parts := make([]part, len(bounds)-1)
	spare := make(chan *accumulator, pool.Threads())
	pool.RunRanges(bounds, func(k, lo, hi int) {
		var row *accumulator
		select {
		case row = <-spare:
		default:
			row = &accumulator{blocks: blocks, single: blocks.single(), place: make([]int32, blocks.count())}
		}
		most := int(row.perRow * float64(hi-lo) * 1.2) // so that these rarely grow
		p := part{make([]int32, 0, most), make([]float64, 0, most)}
		for i := lo; i < hi; i++ {
			fill(i, row)
			p.col, p.val = row.appendTo(p.col, p.val)
			m.RowPtr[i+1] = int64(len(p.col))
		}
		row.perRow = float64(len(p.col)) / float64(max(hi-lo, 1))
		parts[k] = p
		spare <- row
	})
	total := int64(0)
	for k := range parts {
		n := int64(len(parts[k].col))
		for i := bounds[k] + 1; i <= bounds[k+1]; i++ {
			m.RowPtr[i] += total
		}
		total += n
	}
	m.Col, m.Val = make([]int32, total), make([]float64, total)
	pool.RunRanges(bounds, func(k, lo, _ int) {
		copy(m.Col[m.RowPtr[lo]:], parts[k].col)
		copy(m.Val[m.RowPtr[lo]:], parts[k].val)
		parts[k] = part{}
	})
	return m
}

// accumulator sums a sparse row, in whole blocks.
type accumulator struct {
	blocks nodes
	single bool
	place  []int32 // of a block in val, from 1; 0: none
	block  []int32 // the blocks of the row
	val    []float64
	order  []uint64
	perRow float64 // entries, in the part made last
}

// add adds v to the entry of column j.
func (r *accumulator) add(j int32, v float64) {
	if r.single {
		if k := r.place[j]; k > 0 {
			r.val[k-1] += v
			return
		}
		r.block, r.val = append(r.block, j), append(r.val, v)
		r.place[j] = int32(len(r.val))
		return
	}
	g := r.blocks.Of[j]
	r.of(g)[j-r.blocks.First[g]] += v
}

// of returns the entries of a block.
func (r *accumulator) of(g int32) []float64 {
	w := int(r.blocks.First[g+1] - r.blocks.First[g])
	k := int(r.place[g])
	if k == 0 {
		k = len(r.val) + 1
		r.place[g] = int32(k)
		r.block = append(r.block, g)
		for range w {
			r.val = append(r.val, 0)
		}
	}
	return r.val[k-1 : k-1+w]
}

// addBlock adds a times vals to the entries of block g, from its first on.
func (r *accumulator) addBlock(g int32, a float64, vals []float64) {
	to := r.of(g)[:len(vals)]
	for k, v := range vals {
		to[k] += float64(a * v)
	}
}

// appendTo appends the row in the order of its columns and empties it.
func (r *accumulator) appendTo(col []int32, val []float64) ([]int32, []float64) {
	r.order = r.order[:0]
	for _, g := range r.block {
		r.order = append(r.order, uint64(g)<<32|uint64(r.place[g]-1))
		r.place[g] = 0
	}
	slices.Sort(r.order)
	for _, o := range r.order {
		g, at := o>>32, uint32(o)
		if r.single {
			col, val = append(col, int32(g)), append(val, r.val[at])
			continue
		}
		first, end := r.blocks.First[g], r.blocks.First[g+1]
		for j := first; j < end; j++ {
			col = append(col, j)
		}
		val = append(val, r.val[at:int(at)+int(end-first)]...)
	}
	r.block, r.val = r.block[:0], r.val[:0]
	return col, val
}

// nodes are groups of consecutive unknowns that mostly occur together, such as the displacements of a node of a
// finite element mesh; none is empty: group g is columns First[g] to First[g+1]-1, and Of[j] is the group of
// column j.
type nodes struct{ First, Of []int32 }

// equalBlocks returns groups of size columns each; cols is a multiple of it.
func equalBlocks(cols, size int) nodes {
	b := nodes{make([]int32, cols/size+1), make([]int32, cols)}
	for g := range b.First {
		b.First[g] = int32(g * size)
	}
	for j := range b.Of {
		b.Of[j] = int32(j / size)
	}
	return b
}

// count returns the number of groups.
func (b nodes) count() int { return len(b.First) - 1 }

// single reports whether each column is a group.
func (b nodes) single() bool { return b.count() == len(b.Of) }

// at returns the group of the first of the ascending columns, its width, and whether
// they begin with the whole group.
func (b nodes) at(cols []int32) (g int32, width int, whole bool) {
	g = b.Of[cols[0]]
	first := b.First[g]
	width = int(b.First[g+1] - first)
	return g, width, cols[0] == first && width <= len(cols) && int(cols[width-1]-first) == width-1
}
