package adaptive

import (
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Products with k vectors, which are interleaved: each value is decoded once, and multiplied
// with k consecutive numbers. The bits are those of k products.

var (
	_ linop.RowsMulti = (*slotMatrix)(nil)
	_ linop.RowsMulti = (*symmetricMatrix)(nil)
	_ linop.RowsMulti = (*sell8Matrix)(nil)
	_ linop.RowsMulti = (*bcrsMatrix)(nil)
)

// Together implements linop.RowsMulti. Diagonals load x from consecutive places as it is, at less than what interleaving takes.
func (s *slotMatrix) Together(k int, interleaved bool) bool {
	return interleaved || k > 2 && !s.diagonal
}

// MulRowsMulti multiplies the panels of a range of rows with k vectors.
func (s *slotMatrix) MulRowsMulti(dst []float64, k, unit, lo, hi int, x []float64) {
	if s.tiled {
		clear(dst)
	}
	for at := range s.panels[unit] {
		p := &s.panels[unit][at]
		units := s.units
		if units.Exp != nil {
			units.Exp = units.Exp[p.lo:p.hi]
		}
		s.kernels.MulSlotsMulti(dst[k*(p.lo-lo):k*(p.hi-lo)], k, &p.SlotPanel, x, p.lo, units, s.tiled)
	}
	s.scaleMulti(dst, k, lo)
}

// scaleMulti is scale for k vectors.
func (s *slotMatrix) scaleMulti(dst []float64, k, lo int) {
	if !s.normal {
		scaleMulti(s.tol, dst, k, lo, -s.unitQuanta)
	}
}

// scaleMulti is Scale of the rows of k vectors.
func scaleMulti(t *packed.Tolerances, dst []float64, k, lo, shift int) {
	for i := range dst {
		t.Scale(dst[i:i+1], lo+i/k, shift)
	}
}

// Together implements linop.RowsMulti: two vectors take 0.7 of the time one by one.
func (s *symmetricMatrix) Together(k int, _ bool) bool { return k > 2 }

// ByPanel reports that Begin computes sums for all panels.
func (s *symmetricMatrix) ByPanel() bool { return false }

// BeginMulti computes the sums of all parts for k vectors.
func (s *symmetricMatrix) BeginMulti(x []float64, k int) {
	s.x, s.k = x, k
	s.pool.Run(len(s.parts), (*severalSums)(s))
	s.x = nil
}

// severalSums is a symmetricMatrix as the job that computes the sums for k vectors.
type severalSums symmetricMatrix

// Do computes the sums of a part.
func (s *severalSums) Do(part int) {
	p, block := &s.parts[part], s.plan.block
	if n := s.k * block * (p.to - p.from); cap(p.several) < n {
		p.several = make([]float64, n)
	} else {
		p.several = p.several[:n]
		clear(p.several)
	}
	for k := p.first; k < p.last; k++ {
		panel := &s.panels[k][0]
		r := kernels.SymmetricRange{Row: panel.lo / block, Rows: (panel.hi - panel.lo) / block, Sums: p.from}
		s.kernels.MulSymmetricMulti(p.several, s.k, &panel.SlotPanel, s.x, r)
	}
}

// MulRowsMulti adds up the sums of rows, times their unit.
func (s *symmetricMatrix) MulRowsMulti(dst []float64, k, _, lo, hi int, _ []float64) {
	block := s.plan.block
	first, end := lo/block, hi/block
	for n := range s.parts {
		p := &s.parts[n]
		if p.to < end || p.from >= end {
			continue
		}
		at := max(first, p.from)
		y := dst[k*(block*at-lo):]
		if p.own <= first {
			clear(y)
		}
		s.kernels.Axpy(s.units.Factor, p.several[k*block*(at-p.from):k*block*(end-p.from)], y)
	}
	s.scaleMulti(dst, k, lo)
}
