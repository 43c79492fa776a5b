package precond

import (
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dist"
)

// coarseColumns are the coarse unknowns that a rank knows, numbered in their order: some below its own ones, these, some above.
type coarseColumns struct {
	domains dist.Domains
	first   int64   // of the rank's own ones
	own     int     // number of them
	below   int     // number of those before them
	codes   []int64 // ascending
}

// A code of a coarse unknown is twice its index, and one more if a node begins with it.
func code(index int64, begins bool) int64 {
	if begins {
		return 2*index + 1
	}
	return 2 * index
}

// newCoarseColumns are a rank's own unknowns, of these nodes.
func newCoarseColumns(d dist.Domains, first int64, nd nodes) *coarseColumns {
	c := &coarseColumns{domains: d, first: first, own: len(nd.Of)}
	for i, k := range nd.Of {
		c.codes = append(c.codes, code(first+int64(i), int(nd.First[k]) == i))
	}
	return c
}

// global is the index of column j.
func (c *coarseColumns) global(j int32) int64 { return c.codes[j] >> 1 }

// position is the column of an index that is known.
func (c *coarseColumns) position(index int64) int32 {
	if i := index - c.first; i >= 0 && i < int64(c.own) {
		return int32(c.below) + int32(i)
	}
	j, _ := slices.BinarySearch(c.codes, 2*index) // that or one more
	return int32(j)
}

// extended are c and the unknowns of other codes, in which column j of c is column to[j].
func (c *coarseColumns) extended(rows []dist.Rows) (e *coarseColumns, to []int32) {
	var more []int64
	for _, r := range rows {
		for _, v := range r.Col {
			if i := v>>1 - c.first; i < 0 || i >= int64(c.own) {
				more = append(more, v)
			}
		}
	}
	more = append(append(more, c.codes[:c.below]...), c.codes[c.below+c.own:]...)
	slices.Sort(more)
	more = slices.Compact(more)
	e = &coarseColumns{domains: c.domains, first: c.first, own: c.own}
	e.below, _ = slices.BinarySearch(more, 2*c.first)
	e.codes = slices.Concat(more[:e.below], c.codes[c.below:c.below+c.own], more[e.below:])
	to = make([]int32, len(c.codes))
	for j := range to {
		to[j] = e.position(c.global(int32(j)))
	}
	return e, to
}

// blocks are the nodes of the columns.
func (c *coarseColumns) blocks() nodes {
	nd := nodes{Of: make([]int32, len(c.codes))}
	for j, v := range c.codes {
		if v&1 != 0 {
			nd.First = append(nd.First, int32(j))
		}
		nd.Of[j] = int32(len(nd.First) - 1)
	}
	nd.First = append(nd.First, int32(len(c.codes)))
	return nd
}

// coded returns what passes row i of m, whose columns these are, on.
func (c *coarseColumns) coded(m *csr.Matrix) func(i int) (codes []int64, vals []float64) {
	var codes []int64
	return func(i int) ([]int64, []float64) {
		cols, vals := m.Row(i)
		codes = codes[:0]
		for _, j := range cols {
			codes = append(codes, c.codes[j])
		}
		return codes, vals
	}
}

// joined returns own rows of m, with columns to[j] instead of j, and rows of ghosts, in the columns c.
func (c *coarseColumns) joined(l *dist.Layout, m *csr.Matrix, to []int32, ghosts []dist.Rows) *csr.Matrix {
	b := rowBuilder{cols: len(c.codes)}
	for k, p := range l.Parts {
		b.skip(p.At)
		r := ghosts[k]
		ghost := func(i int) {
			for e := r.RowPtr[i]; e < r.RowPtr[i+1]; e++ {
				b.add(c.position(r.Col[e]>>1), r.Val[e])
			}
			b.next()
		}
		for i := range p.Below {
			ghost(i)
		}
		for i := p.First(); i < p.End(); i++ {
			cols, vals := m.Row(i)
			for e, j := range cols {
				b.add(to[j], vals[e])
			}
			b.next()
		}
		for i := range p.Above {
			ghost(p.Below + i)
		}
	}
	return b.matrix(l.Len)
}

// rowBuilder makes a matrix row by row.
type rowBuilder struct {
	cols int
	ptr  []int64
	col  []int32
	val  []float64
}

func (b *rowBuilder) add(j int32, v float64) { b.col, b.val = append(b.col, j), append(b.val, v) }

// next ends a row.
func (b *rowBuilder) next() { b.ptr = append(b.ptr, int64(len(b.col))) }

// skip makes rows before row i empty that are not there yet.
func (b *rowBuilder) skip(i int) {
	for len(b.ptr) < i {
		b.next()
	}
}

// matrix returns the matrix of that many rows; those after the last one are empty.
func (b *rowBuilder) matrix(rows int) *csr.Matrix {
	b.skip(rows)
	return &csr.Matrix{Rows: rows, Cols: b.cols, RowPtr: append([]int64{0}, b.ptr...), Col: b.col, Val: b.val}
}
