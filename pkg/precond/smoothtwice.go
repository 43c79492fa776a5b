package precond

import (
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// nineRows is the mean length of rows up to which prolongators are smoothed twice: that of a
// nine-point stencil, with a margin.
const nineRows = 10

// smoothsTwice reports whether prolongators of the current level, which is coarse, and of those below
// are smoothed twice. Where rows are as short as in the plane, that costs few entries, and V-cycles
// take fewer iterations, above all where coupling is strong in a direction that is not one of the grid:
// aggregates of the next level follow it badly, and smooth vectors interpolated from these have too
// much energy.
func (h *hierarchy) smoothsTwice() bool {
	return h.Symmetric && len(h.null) == 1 && h.nodes.Count() == h.a.Rows && h.a.NNZ() <= nineRows*h.a.Rows
}

// smoothAgain returns (I - omega D_F^-1 A_F) P, see tentative.smooth, where nodes are single unknowns.
func smoothAgain(p, m *csr.Matrix, v []float64, strong *graph, omega float64, pool *parallel.Pool) *csr.Matrix {
	return csr.ByRows(m.Rows, csr.EqualBlocks(p.Cols, 1), evenly(m.Rows, nodesPerTask), pool, func(i int, row *csr.Accumulator) {
		addRow := func(i int, f float64) {
			cols, vals := p.Row(i)
			for k, j := range cols {
				row.Add(j, f*vals[k])
			}
		}
		cols, vals := m.Row(i)
		near := strong.of(int32(i))
		d, _ := filteredRow(i, cols, vals, near, v)
		if d == 0 {
			addRow(i, 1)
			return
		}
		addRow(i, 1-omega)
		for k, j := range cols {
			if len(near) > 0 && near[0] == j {
				near = near[1:]
				addRow(int(j), -omega/d*vals[k])
			}
		}
	})
}
