package precond

import (
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// mostTogether bounds the rows that are made together.
const mostTogether = 8

// blockGustavson makes rows of a product with columns in blocks, of which rows hold whole ones, in
// order. Rows of a with the same columns, such as the rows of a node, are made together.
type blockGustavson struct {
	blocks nodes
	place  []int32   // of a block in sum, from 1; 0: none
	sum    []float64 // block after block: of m rows and width columns
	order  []uint64  // the blocks, then their places in sum
	width  int       // of all blocks
	col    []int32
	val    []float64
}

// piece makes rows lo to hi-1 of a b.
func (g *blockGustavson) piece(a *csr.Matrix, lo, hi int, b *pieces, _ columnOrder) piece {
	p := piece{Ptr: make([]int64, 1, hi-lo+1)}
	g.col, g.val = g.col[:0], g.val[:0]
	for i := lo; i < hi; {
		cols, _ := a.Row(i)
		m := 1
		for m < mostTogether && i+m < hi {
			if other, _ := a.Row(i + m); !slices.Equal(other, cols) {
				break
			}
			m++
		}
		g.add(a, i, m, b)
		g.emit(m)
		for range m {
			p.Ptr = append(p.Ptr, p.Ptr[len(p.Ptr)-1]+int64(g.width))
		}
		g.sum, g.order, g.width = g.sum[:0], g.order[:0], 0
		i += m
	}
	p.Col, p.Val = slices.Clone(g.col), slices.Clone(g.val)
	return p
}

// add sums rows i to i+m-1, whose columns in a are the same.
func (g *blockGustavson) add(a *csr.Matrix, i, m int, b *pieces) {
	cols, _ := a.Row(i)
	for k, j := range cols {
		bc, bv := b.row(j)
		for q := 0; q < len(bc); {
			block, width, whole := g.blocks.at(bc[q:])
			to := g.of(block, width, m)
			if !whole {
				at := int(bc[q] - g.blocks.First[block])
				for r := range m {
					to[r*width+at] += float64(a.Val[int(a.RowPtr[i+r])+k] * bv[q])
				}
				q++
				continue
			}
			from := bv[q : q+width]
			for r := range m {
				f := a.Val[int(a.RowPtr[i+r])+k]
				row := to[r*width : r*width+width]
				row = row[:len(from)]
				for t, v := range from {
					row[t] += float64(f * v)
				}
			}
			q += width
		}
	}
}

// of returns the sums of a block of that width.
func (g *blockGustavson) of(block int32, width, m int) []float64 {
	at := int(g.place[block]) - 1
	if at < 0 {
		at = len(g.sum)
		g.place[block] = int32(at + 1)
		g.order = append(g.order, uint64(block)<<32|uint64(at))
		g.width += width
		for range m * width {
			g.sum = append(g.sum, 0)
		}
	}
	return g.sum[at : at+m*width]
}

// emit appends the m rows and forgets their blocks.
func (g *blockGustavson) emit(m int) {
	slices.Sort(g.order)
	for r := range m {
		for _, o := range g.order {
			block, at := o>>32, int(uint32(o))
			first, end := g.blocks.First[block], g.blocks.First[block+1]
			width := int(end - first)
			for j := first; j < end; j++ {
				g.col = append(g.col, j)
			}
			g.val = append(g.val, g.sum[at+r*width:at+(r+1)*width]...)
		}
	}
	for _, o := range g.order {
		g.place[o>>32] = 0
	}
}
