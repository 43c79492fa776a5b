package precond

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// galerkin returns r a p for r the transpose of p, a matrix of the groups of columns of p, in
// whole blocks as productOf makes it. Rows of a p are made when rows of the result first need
// them and let go after the last ones, so that few are there at a time where a is a mesh.
//
// allow is called with the number of multiplications of a p, an upper bound of its nonzeros, and the number of its rows;
// count counts the nonzeros. Before each part of r (a p), allow is called with the same figures of the result up to this
// part. At last it is called with the numbers of nonzeros that both had, and no count. An error of allow ends galerkin.
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
	work, nonzeros, nonzerosOfAP := int64(0), int64(0), int64(0)
	for _, w := range productWindows(r, &ap, &result, pool) {
		pool.Each(len(w.enter), func(k int) {
			lo, hi := ap.bounds(w.enter[k])
			ap.part[w.enter[k]] = m.piece(a, lo, hi, &right, anyOrder)
			if given != nil {
				fillEmpty(&ap.part[w.enter[k]], rowRange(given, lo, hi))
			}
		})
		for _, k := range w.enter {
			nonzerosOfAP += int64(len(ap.part[k].Col))
		}
		rows := rowRange(r, w.lo<<resultShift, min(w.hi<<resultShift, r.Rows))
		work += multiplications(rows, &ap, pool)
		if err := allow(work, r.Rows, func() int64 {
			return nonzeros + productNNZ(rows, ap, blocks, pool)
		}); err != nil {
			return nil, err
		}
		pool.Each(w.hi-w.lo, func(k int) {
			lo, hi := result.bounds(w.lo + k)
			result.part[w.lo+k] = m.piece(r, lo, hi, &ap, inOrder)
		})
		for _, part := range result.part[w.lo:w.hi] {
			nonzeros += int64(len(part.Col))
		}
		m.letGo(&ap, w.leave)
	}
	if err := cmp.Or(allow(nonzerosOfAP, a.Rows, nil), allow(nonzeros, r.Rows, nil)); err != nil {
		return nil, err
	}
	return result.compact(p.Cols, pool), nil
}

// galerkinAgain returns r a p as galerkin does, given a matrix of its pattern, which the result shares.
func galerkinAgain(r, a, p, known *csr.Matrix, blocks nodes, pool *parallel.Pool, interrupted func() error) (*csr.Matrix, error) {
	right, ap, result := whole(p), newPieces(a.Rows, pieceShift), newPieces(r.Rows, resultShift)
	m := newProductMaker(blocks, pool)
	c := &csr.Matrix{Rows: known.Rows, Cols: known.Cols, RowPtr: known.RowPtr, Col: known.Col, Val: make([]float64, len(known.Col))}
	for _, w := range productWindows(r, &ap, &result, pool) {
		if err := interrupted(); err != nil {
			return nil, err
		}
		pool.Each(len(w.enter), func(k int) {
			lo, hi := ap.bounds(w.enter[k])
			ap.part[w.enter[k]] = m.piece(a, lo, hi, &right, anyOrder)
		})
		pool.Each(w.hi-w.lo, func(k int) {
			lo, hi := result.bounds(w.lo + k)
			m.values(c, r, lo, hi, &ap)
		})
		m.letGo(&ap, w.leave)
	}
	return c, nil
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

// values sets the values of rows lo to hi-1 of c = a b, whose pattern is known.
func (g *blockGustavson) values(c, a *csr.Matrix, lo, hi int, b *pieces) {
	copy(c.Val[c.RowPtr[lo]:c.RowPtr[hi]], g.piece(a, lo, hi, b, inOrder).Val)
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
