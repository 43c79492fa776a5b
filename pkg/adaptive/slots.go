package adaptive

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// slotMatrix is a matrix in slots.
type slotMatrix struct {
	plan    slotPlan
	panels  []slotUnit    // of each range of rows
	units   kernels.Units // of the rows; with factor 1 if they are not normal numbers
	normal  bool
	perQExp int             // the quantum of a row is its unit 2^-perQExp
	mirror  *symmetricParts // of a symmetric matrix, or nil
}

// slotUnit is a range of rows: one panel, or several of tiles.
type slotUnit []slotPanel

// slotPanel is a panel with its rows.
type slotPanel struct {
	kernels.SlotPanel
	lo, hi int
}

// unit and panel return what there is, or nothing.
func (s *slotMatrix) unit(k int) slotUnit {
	if s == nil || k >= len(s.panels) {
		return nil
	}
	return s.panels[k]
}

func (u slotUnit) panel(k int) kernels.SlotPanel {
	if k >= len(u) {
		return kernels.SlotPanel{}
	}
	return u[k].SlotPanel
}

// slotPlan says what slots a matrix gets.
type slotPlan struct {
	block     int  // size of the blocks; 1: single elements
	diagonals bool // slots of diagonals where rows have them in common
	tiles     bool // by segments of columns
	symmetric bool // the lower triangle of a symmetric matrix
}

// newUnits are the units of rows whose elements are multiples of 2^(exp+shift).
func newUnits(t *tolerances, shift int) (u kernels.Units, normal bool) {
	for _, e := range t.exp {
		if e := int(e) + shift; e < minNormal || e > maxNormal {
			return kernels.Units{Factor: 1}, false
		}
	}
	if len(t.exp) == 1 {
		return kernels.Units{Factor: math.Ldexp(1, int(t.exp[0])+shift)}, true
	}
	return kernels.Units{Exp: t.exp, Shift: shift}, true
}

// size is the memory that the slots take.
func (s *slotMatrix) size() int64 {
	if s == nil {
		return 0
	}
	var n int64
	for _, panels := range s.panels {
		for _, p := range panels {
			n += int64(panelSize(&p.SlotPanel))
		}
	}
	return n
}

// multiply sets dst to the products of a range of rows, the first of which is lo,
// with x; for a symmetric matrix, mirror has run.
func (s *slotMatrix) multiply(dst []float64, unit, lo int, x []float64) {
	if s.mirror != nil {
		s.mirror.rows(dst, lo, s.units.Factor)
		return
	}
	if s.plan.tiles {
		clear(dst)
	}
	for k := range s.panels[unit] {
		p := &s.panels[unit][k]
		units := s.units
		if units.Exp != nil {
			units.Exp = units.Exp[p.lo:p.hi]
		}
		kernels.MulSlots(dst[p.lo-lo:p.hi-lo], &p.SlotPanel, x, p.lo, units, s.plan.tiles)
	}
}

func panelSize(p *kernels.SlotPanel) int {
	return 8*len(p.Groups) + len(p.Widths) + 2*len(p.Index) + 4*len(p.Offsets) + len(p.Values) + 2*len(p.Order)
}
