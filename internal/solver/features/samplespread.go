package features

import (
	"context"
	"errors"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// SpreadMatrix is the source of the features of a matrix that is spread over ranks. The sample has the same rows as on one rank.
// Sums are added up within each domain, and then over the domains in their order.
type SpreadMatrix struct {
	*dist.Matrix
	pool *parallel.Pool
}

func (m SpreadMatrix) Size() (n, nnz int) { return int(m.N), int(m.NNZ) }
func (m SpreadMatrix) Nodes() int         { return precond.BlockSizeDistributed(m.Matrix) }

// Width implements Source; over ranks the width is not known.
func (m SpreadMatrix) Width(context.Context) (int, error) { return 0, errors.ErrUnsupported }

// sample returns the positions of those rows of part k that belong to the sample of the whole matrix.
func (m SpreadMatrix) sample(k int) (rows []int) {
	p, step := m.Parts[k], int64(stride(int(m.N)))
	for i := (p.Row + step - 1) / step * step; i < p.Row+int64(p.Own); i += step {
		rows = append(rows, p.First()+int(i-p.Row))
	}
	return rows
}

// Couplings implements Source. The positions of a part are in the order of the rows.
func (m SpreadMatrix) Couplings() (c Couplings) {
	var all []int
	for k := range m.Parts {
		all = append(all, m.sample(k)...)
	}
	transposed := m.Transposed(all)
	var own []float64
	for k := range m.Parts {
		var c Couplings
		for _, i := range m.sample(k) {
			cols, vals := m.Local.Row(i)
			c.add(i, cols, vals, func(k int) float64 { return transposed[k] })
			transposed = transposed[len(cols):]
		}
		own = append(own, c.apart, c.sum, c.ahead)
	}
	for sums := m.ByDomain(own); len(sums) > 0; sums = sums[3:] {
		c.apart += sums[0]
		c.sum += sums[1]
		c.ahead += sums[2]
	}
	return c
}

func (m SpreadMatrix) Spread() float64 {
	var c counted
	for k := range m.Parts {
		for _, i := range m.sample(k) {
			c.add(m.Local, i)
		}
	}
	all := []int64{c.rows, c.sum, c.squares}
	m.Comm.Sum(all)
	c = counted{rows: all[0], sum: all[1], squares: all[2]}
	return c.spread()
}

func (m SpreadMatrix) MostRows(such rowTest) bool {
	var t tested
	for k := range m.Parts {
		for _, i := range m.sample(k) {
			t.add(m.Local, i, such)
		}
	}
	all := []int64{int64(t.rows), int64(t.good)}
	m.Comm.Sum(all)
	t = tested{int(all[0]), int(all[1])}
	return t.most()
}

func (m SpreadMatrix) Sums() RowSums {
	relative := make([]float64, m.Len)
	m.pool.RunRanges(csr.Panels(m.Local), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			relative[i] = relativeSum(m.Local, i)
		}
	})
	dist.Copy(m.Halo, relative)
	var t summed
	var own []float64
	for k := range m.Parts {
		t.sum, t.excess = 0, 0
		for _, i := range m.sample(k) {
			t.add(m.Local, i, func(j int) float64 { return relative[j] })
		}
		own = append(own, t.sum, t.excess)
	}
	all := []int64{int64(t.rows), int64(t.loaded), int64(t.negative), int64(t.neighbours), int64(t.alike)}
	m.Comm.Sum(all)
	t = summed{rows: int(all[0]), loaded: int(all[1]), negative: int(all[2]), neighbours: int(all[3]), alike: int(all[4])}
	for sums := m.ByDomain(own); len(sums) > 0; sums = sums[2:] {
		t.sum += sums[0]
		t.excess += sums[1]
	}
	return t.rowSums()
}

func (m SpreadMatrix) Shape() GraphShape { return shapeOf(m.N, m.Pattern) }
