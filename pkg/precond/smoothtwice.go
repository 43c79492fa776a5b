package precond

import (
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// nineRows is the mean length of rows up to which prolongators are smoothed twice: the length for
// a nine-point stencil, with a margin.
const nineRows = 10

// longestTwice is the longest row of a matrix whose prolongator is smoothed twice: for the rows
// of that to stay short.
const longestTwice = 256

// smoothsTwice reports whether the prolongator of the current level is smoothed twice: if rows of the first coarse
// level are short, on coarse levels. Where rows are as short as in the plane, that costs few entries, and V-cycles
// take fewer iterations, above all where coupling is strong in a direction that is not one of the grid:
// aggregates of the next level follow it badly, and smooth vectors interpolated from these have too
// much energy.
func (h *hierarchy) smoothsTwice() bool {
	if h.level() == 1 {
		rows, nonzeros := int64(h.over.own(h.a.Rows)), int64(h.a.NNZ())
		h.over.sum(&rows, &nonzeros)
		h.twice = h.Symmetric && len(h.null) == 1 && h.nodes.count() == h.a.Rows && nonzeros <= nineRows*rows
	}
	return h.twice && h.over.greatest(float64(h.a.LongestRow())) <= longestTwice
}

// smoothAgain returns (I - omega D_F^-1 A_F) P, see tentative.smooth, where nodes are single unknowns,
// given the diagonal of A_F.
func smoothAgain(p, m *csr.Matrix, strong *graph, diagonal []float64, omega float64, pool *parallel.Pool) *csr.Matrix {
	return assemble(m.Rows, p.Cols, pool, func(lo, hi int) ([]int64, []int32, []float64) {
		row := sortedRow{ptr: make([]int64, 1, hi-lo+1)}
		row.reserve(2 * int(p.RowPtr[hi]-p.RowPtr[lo]))
		for i := lo; i < hi; i++ {
			cols, vals := m.Row(i)
			vals = vals[:len(cols)]
			near := strong.of(int32(i))
			own, f := 1-omega, -omega/diagonal[i]
			if diagonal[i] == 0 {
				own, near = 1, nil
			}
			row.add(p, i, own)
			for k, j := range cols {
				if len(near) == 0 {
					break
				}
				if near[0] == j {
					near = near[1:]
					row.add(p, int(j), f*vals[k])
				}
			}
			row.next()
		}
		return row.ptr, row.col, row.val
	})
}

// sortedRow is the last of rows that are made one after the other, with ascending columns. Adding
// takes time in proportion to its length.
type sortedRow struct {
	ptr   []int64
	col   []int32
	val   []float64
	first int // element of the row
}

func (r *sortedRow) reserve(n int) { r.col, r.val = make([]int32, 0, n), make([]float64, 0, n) }

func (r *sortedRow) next() {
	r.first = len(r.col)
	r.ptr = append(r.ptr, int64(r.first))
}

// add adds f times row i of p.
func (r *sortedRow) add(p *csr.Matrix, i int, f float64) {
	cols, vals := p.Row(i)
	for k, c := range cols {
		v, at := float64(f*vals[k]), len(r.col)
		for at > r.first && r.col[at-1] > c {
			at--
		}
		if at > r.first && r.col[at-1] == c {
			r.val[at-1] += v
			continue
		}
		r.col, r.val = append(r.col, 0), append(r.val, 0)
		copy(r.col[at+1:], r.col[at:])
		copy(r.val[at+1:], r.val[at:])
		r.col[at], r.val[at] = c, v
	}
}
