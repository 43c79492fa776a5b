package adaptive

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/packed"
)

// slotMatrix is a matrix in slots.
type slotMatrix struct {
	unprepared
	kernels    *kernels.Set
	rows, cols int
	plan       slotPlan
	traits                // of its layout
	panels     []slotUnit // of each range of rows
	tol        *packed.Tolerances
	units      kernels.Units // of the rows; with factor 1 if they are not normal numbers
	normal     bool
	unitQuanta int // the quantum of a row is its unit 2^-unitQuanta
}

// slots returns the slots of a matrix that has some.
func (a *matrix) slots() *slotMatrix {
	switch s := a.stored.(type) {
	case *slotMatrix:
		return s
	case *symmetricMatrix:
		return &s.slotMatrix
	}
	return nil
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

// slotPlan is a layout and the size of its blocks, 1 for slots of single elements.
type slotPlan struct {
	layout Layout
	block  int
}

// newUnits are the units of rows whose elements are multiples of 2^(exp+shift).
func newUnits(t *packed.Tolerances, shift int) (u kernels.Units, normal bool) {
	for _, e := range t.Exp {
		if e := int(e) + shift; e < packed.MinNormal || e > packed.MaxNormal {
			return kernels.Units{Factor: 1}, false
		}
	}
	if len(t.Exp) == 1 {
		return kernels.Units{Factor: math.Ldexp(1, int(t.Exp[0])+shift)}, true
	}
	return kernels.Units{Exp: t.Exp, Shift: shift}, true
}

func (s *slotMatrix) Dims() (rows, cols int) { return s.rows, s.cols }

func (s *slotMatrix) bytes() int64 {
	var n int64
	for _, panels := range s.panels {
		for _, p := range panels {
			n += int64(panelSize(&p.SlotPanel))
		}
	}
	return n
}

// MulRows multiplies the panels of a range of rows.
func (s *slotMatrix) MulRows(dst []float64, unit, lo, hi int, x []float64) {
	if s.tiled {
		clear(dst[lo:hi])
	}
	for k := range s.panels[unit] {
		p := &s.panels[unit][k]
		units := s.units
		if units.Exp != nil {
			units.Exp = units.Exp[p.lo:p.hi]
		}
		s.kernels.MulSlots(dst[p.lo:p.hi], &p.SlotPanel, x, p.lo, units, s.tiled)
	}
	s.scale(dst[lo:hi], lo)
}

// scale multiplies dst, the rows from lo on, by units that the kernels do not take.
func (s *slotMatrix) scale(dst []float64, lo int) {
	if !s.normal {
		s.tol.Scale(dst, lo, -s.unitQuanta)
	}
}

func panelSize(p *kernels.SlotPanel) int {
	return 8*len(p.Groups) + len(p.Widths) + 2*len(p.Index) + 4*len(p.Offsets) + len(p.Values) + 2*len(p.Order)
}

// Rows of very different lengths with columns all over x: FP64 CSR waits at the end of each row,
// whose length the processor guesses wrong, and slots with 16-bit columns fill few lanes, since a row has
// an element or two in each range of 2^16 columns. With 24-bit columns and the rows of a panel sorted by
// length, SELL-C-sigma [Kreutzer14] with C = 8 and sigma the rows of a panel, all lanes are filled
// and the loads of x of many slots are under way at once.

// unprepared makes linop.Rows that embed it multiplied panel by panel.
type unprepared struct{}

func (unprepared) Begin([]float64)           {}
func (unprepared) BeginMulti([]float64, int) {}
func (unprepared) ByPanel() bool             { return true }
