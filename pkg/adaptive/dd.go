package adaptive

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// OperatorDD is an operator on double-double vectors. If it is a linop.Transposer as well, it multiplies with
// the transpose.
type OperatorDD = linop.Operator[dd.Vec, dd.DD]

var (
	_ linop.RowsDD = (*slotMatrix)(nil)
	_ linop.RowsDD = (*sell8Matrix)(nil)
	_ linop.RowsDD = (*bcrsMatrix)(nil)
)

// HasDD reports whether matrices in this layout are multiplied with double-double vectors.
func (l Layout) HasDD() bool {
	r := l.row()
	return r != nil && r.dd
}

// DD returns the matrix, as it is stored, as an operator on double-double vectors; nothing is copied. The error of
// an element of a product is at most (n+2)² u² (|A| |x|)_i for n stored elements of a row, u = 2^-53, if nothing over- or
// underflows: A is what is stored, whose own error is Tolerance. It is an error if the layout has no such products.
func (a *Matrix) DD() (OperatorDD, error) { return a.ddProducts(false) }

// DDRenormalised is DD with sums that are renormalised at each addition, as DD-AVX does: slower, and no more accurate. For
// the layouts CSR and SELL8.
func (a *Matrix) DDRenormalised() (OperatorDD, error) { return a.ddProducts(true) }

// HasRenormalised reports whether matrices in this layout have DDRenormalised.
func (l Layout) HasRenormalised() bool { return l == CSR || l == SELL8 }

// HasTransposed reports whether matrices in this layout are multiplied with their transpose.
func (l Layout) HasTransposed() bool { return l == CSR || l == BCRS4x1 }

// Transposed returns the product dst = A^T src. CSR makes A^T, which is kept; BCRS4x1 multiplies by what is stored. It is an
// error if the layout has no such product.
func (a *Matrix) Transposed() (func(dst, src []float64), error) {
	switch s := a.stored.(type) {
	case plain:
		return s.ApplyT, nil
	case *bcrsMatrix:
		return s.applyT, nil
	}
	return nil, fmt.Errorf("adaptive: layout %s has no products with the transpose", a.Layout())
}

func (a *Matrix) ddProducts(normal bool) (OperatorDD, error) {
	l := a.Layout()
	if !l.HasDD() || normal && !l.HasRenormalised() {
		return nil, fmt.Errorf("adaptive: layout %s has no such products with double-double vectors", l)
	}
	switch s := a.stored.(type) {
	case plain:
		p := linop.NewCSRDD(s.m, a.pool)
		p.Use(s.kernels)
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

func (a *Matrix) productsDD(rows linop.RowsDD) *linop.ProductsDD {
	p := linop.NewProductsDD(rows, a.panels, a.pool)
	p.Use(a.kernels)
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
