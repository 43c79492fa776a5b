package adaptive

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

var (
	_ linop.RowsDD = (*slotMatrix)(nil)
	_ linop.RowsDD = (*sell8Matrix)(nil)
	_ linop.RowsDD = (*bcrsMatrix)(nil)
)

// HasDD reports whether matrices in this layout are multiplied with double-double vectors, if asked also with sums that are
// renormalised ([Matrix].DDRenormalised) and with their transpose.
func (l Layout) HasDD(renormalised, transposed bool) bool {
	r := l.row()
	return r != nil && r.dd && (!renormalised || l == CSR || l == SELL8) && (!transposed || l == CSR || l == BCRS4x1)
}

// DD implements Matrix.
func (a *matrix) DD() (linop.Operator[dd.Vec, dd.DD], error) { return a.ddProducts(false) }

// DDRenormalised implements Matrix.
func (a *matrix) DDRenormalised() (linop.Operator[dd.Vec, dd.DD], error) { return a.ddProducts(true) }

// Transposed implements Matrix.
func (a *matrix) Transposed() (func(dst, src []float64), error) {
	switch s := a.stored.(type) {
	case plain:
		return s.ApplyT, nil
	case *bcrsMatrix:
		return s.applyT, nil
	}
	return nil, fmt.Errorf("adaptive: layout %s has no products with the transpose", a.Layout())
}

func (a *matrix) ddProducts(normal bool) (linop.Operator[dd.Vec, dd.DD], error) {
	l := a.Layout()
	if !l.HasDD(normal, false) {
		return nil, fmt.Errorf("adaptive: layout %s has no such products with double-double vectors", l)
	}
	switch s := a.stored.(type) {
	case plain:
		p := linop.NewCSRDD(s.m, nil, a.pool)
		kernels.Use(p, s.kernels)
		p.Renormalise(normal)
		return p, nil
	case *sell8Matrix:
		rows := *s
		rows.normal = normal
		return a.productsDD(&rows), nil
	case *bcrsMatrix:
		return bcrsProductsDD{a.productsDD(s), s}, nil
	default:
		return a.productsDD(s.(linop.RowsDD)), nil
	}
}

func (a *matrix) productsDD(rows linop.RowsDD) linop.Operator[dd.Vec, dd.DD] {
	p := linop.NewProductsDD(rows, a.panels, a.pool)
	kernels.Use(p, a.kernels)
	return p
}

// MulRowsDD multiplies the panels of a range of rows.
func (s *slotMatrix) MulRowsDD(dst dd.Vec, unit, lo, hi int, x dd.Vec) {
	if s.tiled {
		dst.Slice(lo, hi).Clear()
	}
	for k := range s.panels[unit] {
		p := &s.panels[unit][k]
		units := s.units
		if units.Exp != nil {
			units.Exp = units.Exp[p.lo:p.hi]
		}
		s.kernels.MulSlotsDD(dst.Slice(p.lo, p.hi), &p.SlotPanel, x, p.lo, units, s.tiled)
	}
	s.scale(dst.Hi[lo:hi], lo)
	s.scale(dst.Lo[lo:hi], lo)
}
