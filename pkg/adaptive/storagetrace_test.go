package adaptive

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// trace follows one element of a small matrix to its bytes and back, for
// docs/storage.svg. Rows, columns and all other numbers count from 0.
type trace struct {
	m           *csr.Matrix
	row, col    int
	value       float64
	unit, quant int // exponents of the unit of the row and of the quantum
	integer     int64
	first       int // row of the chunk
	slots       []tracedSlot
	lane, slot  int

	bytes        []byte // the values of the slot
	bit          int    // first one of the lane in them
	word, up     uint64 // eight bytes from that of the bit on; shifted up
	upBy, downBy int
	decoded      int64
	x            []float64
	sum, y       float64
}

// tracedSlot is one slot of the chunk.
type tracedSlot struct {
	width, at, base int // at: of its first byte in the values of the panel
	index           []uint16
	m               [lanes]int64
	filled          [lanes]bool
}

// newTrace follows a_ij, and fails if the product or an integer is not that of the
// stored matrix.
func newTrace(t *testing.T, row, col int) *trace {
	t.Helper()
	f := &trace{row: row, col: col, m: generated(t, "poisson2d", generate.Params{"n": 4, "decades": 2})}
	a := build(t, f.m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-10, Criterion: CW, Layout: Slots})
	f.value = f.m.At(row, col)
	f.unit = a.tol.exponent(row)
	f.quant = f.unit - a.slots.perQExp
	f.integer = int64(math.RoundToEven(math.Ldexp(f.value, -f.quant)))
	p := &a.slots.panels[0][0].SlotPanel
	f.chunk(t, p)
	f.find(t)
	f.decode(p.Values)
	f.product()
	y := make([]float64, f.m.Rows)
	a.Apply(y, f.x)
	if f.decoded != f.integer || f.y != y[row] {
		t.Fatalf("decoded %d and y = %g; stored %d and y = %g", f.decoded, f.y, f.integer, y[row])
	}
	return f
}

// chunk takes the slots of the chunk of the row out of the panel.
func (f *trace) chunk(t *testing.T, p *kernels.SlotPanel) {
	if p.Order != nil {
		t.Fatal("the rows are in another order")
	}
	widths, index, at := p.Widths, p.Index, 0
	for _, g := range p.Groups {
		if g.Flags&^kernels.Last != 0 {
			t.Fatalf("a group with flags %d", g.Flags)
		}
		for range g.Slots {
			s := tracedSlot{width: int(widths[0]), at: at, base: int(g.Base), index: index[:lanes]}
			for l := range s.m {
				s.m[l], _, _ = integerAt(p.Values[at:], l*s.width, s.width)
				s.filled[l] = s.m[l] != 0
			}
			if f.first <= f.row && f.row < f.first+lanes {
				f.slots = append(f.slots, s)
			}
			at, widths, index = at+s.width, widths[1:], index[lanes:]
		}
		if g.Flags&kernels.Last != 0 {
			f.first += lanes
		}
	}
	f.first = f.row / lanes * lanes
}

// find finds the element in the chunk.
func (f *trace) find(t *testing.T) {
	f.lane = f.row - f.first
	f.slot = slices.IndexFunc(f.slots, func(s tracedSlot) bool {
		return s.filled[f.lane] && s.base+int(s.index[f.lane]) == f.col
	})
	if f.slot < 0 {
		t.Fatalf("element (%d, %d) is in no slot", f.row, f.col)
	}
}

// decode does what the kernel does with the lane.
func (f *trace) decode(values []byte) {
	s := f.slots[f.slot]
	f.bytes, f.bit = values[s.at:s.at+s.width], f.lane*s.width
	f.downBy = 64 - s.width
	f.upBy = f.downBy - f.bit%8
	f.decoded, f.word, f.up = integerAt(values[s.at:], f.bit, s.width)
}

// integerAt is the integer of w bits at a bit of the values, and on the way there
// the eight bytes and these shifted up.
func integerAt(values []byte, bit, w int) (m int64, word, up uint64) {
	word = binary.LittleEndian.Uint64(values[bit/8:])
	up = word << (64 - w - bit%8)
	return int64(up) >> (64 - w), word, up
}

// product multiplies the row with x_j = j + 1, of which all sums are exact.
func (f *trace) product() {
	f.x = make([]float64, f.m.Cols)
	for j := range f.x {
		f.x[j] = float64(j + 1)
	}
	for _, s := range f.slots {
		f.sum += float64(s.m[f.lane]) * f.x[s.base+int(s.index[f.lane])]
	}
	f.y = math.Ldexp(f.sum, f.quant)
}
