package precond

import (
	"slices"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

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
