package adaptive

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// Layout is the order in which a stored matrix lies in memory.
type Layout string

const (
	// LayoutAuto takes slots for AFX where the processor has fast kernels for
	// them, and bucketed CSR otherwise.
	LayoutAuto Layout = ""
	// Bucketed is the papers' layout: one CSR for each format.
	Bucketed Layout = "bucketed"
	// Slots serves eight rows at once, see kernels.SlotPanel: 16-bit columns or
	// whole diagonals, and AFX values of the bits that the widest of eight needs.
	Slots Layout = "slots"
)

// Layouts lists the layouts.
var Layouts = []Layout{LayoutAuto, Bucketed, Slots}

// layout is the one that a spec gets.
func (s Spec) layout() Layout {
	switch {
	case s.Set.kind() != fixedPoint || s.Set.Uniform:
		return Bucketed
	case s.Layout == LayoutAuto && kernels.HasFastSlots():
		return Slots
	case s.Layout == LayoutAuto:
		return Bucketed
	}
	return s.Layout
}

// slotMatrix is a matrix in slots.
type slotMatrix struct {
	panels  []kernels.SlotPanel
	units   kernels.Units // of the rows; with factor 1 if they are not normal numbers
	normal  bool
	perQExp int // the quantum of a row is its unit 2^-perQExp
	tally
}

// tally counts what slots are made of.
type tally struct {
	bytes    [kernels.MaxSlotWidth + 1]int64 // of the slots of each width, with their columns
	elements [kernels.MaxSlotWidth + 1]int   // in slots of each width
	floats   int64                           // bytes of slots of float32
	tiny     int                             // elements in them
	nonzeros int                             // of the matrix, dropped ones included
}

func (t *tally) add(o *tally) {
	for w := range t.bytes {
		t.bytes[w] += o.bytes[w]
		t.elements[w] += o.elements[w]
	}
	t.floats += o.floats
	t.tiny += o.tiny
	t.nonzeros += o.nonzeros
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
	for _, p := range s.panels {
		n += int64(8*len(p.Groups) + len(p.Widths) + 2*len(p.Index) + 4*len(p.Offsets) + len(p.Values) + 2*len(p.Order))
	}
	return n
}

// multiply sets dst to the products of the rows of a panel, the first of which is
// lo, with x.
func (s *slotMatrix) multiply(dst []float64, panel, lo int, x []float64) {
	units := s.units
	if units.Exp != nil {
		units.Exp = units.Exp[lo : lo+len(dst)]
	}
	kernels.MulSlots(dst, &s.panels[panel], x, lo, units, false)
}
