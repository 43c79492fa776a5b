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

// trace follows two elements of a row of a small matrix to their bytes and back, for
// docs/storage.svg: one in a slot that is taken apart bit by bit, one in a slot of
// whole bytes. Rows, columns and all other numbers count from 0.
type trace struct {
	m           *csr.Matrix
	row         int
	unit, quant int // exponents of the unit of the row and of the quantum

	panel []tracedSlot // its slots in the order of the chunks
	odd   int          // where the odd slots begin in its values
	end   int          // of its values
	first int          // row of the chunk
	chunk []tracedSlot // the slots of the chunk
	lane  int

	bits  bitsTrace
	bytes bytesTrace
	x     []float64
	sum   float64
	y     float64
}

// tracedSlot is one slot of the panel.
type tracedSlot struct {
	chunk, number, width int
	at                   int // of its first byte in the values of the panel
	base                 int
	index                []uint16
	values               []byte // from the first byte on
	m                    [lanes]int64
	filled               [lanes]bool
}

// traced is one of the elements.
type traced struct {
	col     int
	value   float64
	integer int64
	tracedSlot
	bit     int // first one of the lane in the values
	decoded int64
}

// bitsTrace is the way of an element whose slot is not of whole bytes.
type bitsTrace struct {
	traced
	word, up     uint64 // eight bytes from that of the bit on; shifted up
	upBy, downBy int
}

// bytesTrace is that of one whose slot is.
type bytesTrace struct {
	traced
	low   uint64 // the bytes of the lane
	word  uint64 // of 2^52 with these as its low bits
	minus float64
}

// newTrace follows the elements in two columns of a row, and fails if an integer or
// the product is not that of the stored matrix.
func newTrace(t *testing.T, row, bitsCol, bytesCol int) *trace {
	t.Helper()
	f := &trace{row: row, m: generated(t, "poisson2d", generate.Params{"n": 4, "decades": 2})}
	a := build(t, f.m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-26, Criterion: CW, Layout: Slots})
	f.unit = a.tol.exponent(row)
	f.quant = f.unit - a.slots.perQExp
	f.slots(t, &a.slots.panels[0][0].SlotPanel)
	f.check(t, a)
	f.lane, f.first = row%lanes, row/lanes*lanes
	f.chunk = slices.DeleteFunc(slices.Clone(f.panel), func(s tracedSlot) bool { return s.chunk != row/lanes })
	f.bits.traced = f.find(t, a, bitsCol)
	f.bytes.traced = f.find(t, a, bytesCol)
	f.decodeBits()
	f.decodeBytes()
	f.product()
	y := make([]float64, f.m.Rows)
	a.Apply(y, f.x)
	if f.y != y[row] {
		t.Errorf("y = %g, stored %g", f.y, y[row])
	}
	for _, e := range []*traced{&f.bits.traced, &f.bytes.traced} {
		if e.decoded != e.integer || kernels.ByteWidth(e.width) != (e == &f.bytes.traced) {
			t.Errorf("column %d: decoded %d from a slot of %d bits, stored %d", e.col, e.decoded, e.width, e.integer)
		}
	}
	return f
}

// check compares the integers of all slots with the elements of the matrix.
func (f *trace) check(t *testing.T, a *Matrix) {
	filled := 0
	for _, s := range f.panel {
		widest := uint8(1)
		for l, m := range s.m {
			if !s.filled[l] {
				continue
			}
			i, j := s.chunk*lanes+l, s.base+int(s.index[l])
			if want := f.rounded(a, i, j); m != want {
				t.Errorf("row %d, column %d: integer %d, want %d", i, j, m, want)
			}
			widest = max(widest, kernels.BitsOf(m))
			filled++
		}
		if want := allBits.round(widest); s.width != int(want) {
			t.Errorf("chunk %d, slot %d: width %d, want %d", s.chunk, s.number, s.width, want)
		}
	}
	if filled != a.Stats().InSlots {
		t.Errorf("%d elements in slots, want %d", filled, a.Stats().InSlots)
	}
}

// rounded is the integer of a_ij.
func (f *trace) rounded(a *Matrix, i, j int) int64 {
	return int64(math.RoundToEven(math.Ldexp(f.m.At(i, j), a.slots.perQExp-a.tol.exponent(i))))
}

// slots takes the slots out of the panel, which has one group for each chunk.
func (f *trace) slots(t *testing.T, p *kernels.SlotPanel) {
	if p.Order != nil {
		t.Fatal("the rows are in another order")
	}
	f.odd, f.end = p.Odd, len(p.Values)-kernels.SlotPadding
	widths, index, at := p.Widths, p.Index, [2]int{0, p.Odd}
	for chunk, g := range p.Groups {
		if g.Flags != kernels.Last {
			t.Fatalf("a group with flags %d", g.Flags)
		}
		for k := range int(g.Slots) {
			next := &at[k&1]
			s := tracedSlot{chunk: chunk, number: k, width: int(widths[0]), at: *next, base: int(g.Base), index: index[:lanes]}
			s.values = p.Values[s.at:]
			for l := range s.m {
				s.m[l] = s.integer(l)
				s.filled[l] = s.m[l] != 0
			}
			f.panel = append(f.panel, s)
			*next += s.width
			widths, index = widths[1:], index[lanes:]
		}
	}
	if at != [2]int{f.odd, f.end} {
		t.Fatalf("streams end at %v, not at %d and %d", at, f.odd, f.end)
	}
}

// integer is that of a lane, bit by bit.
func (s *tracedSlot) integer(lane int) (m int64) {
	for b := range s.width {
		at := lane*s.width + b
		bit := int64(s.values[at/8] >> (at % 8) & 1)
		if b == s.width-1 && kernels.ByteWidth(s.width) {
			bit = 1 - bit
		}
		m |= bit << b
	}
	return m << (64 - s.width) >> (64 - s.width)
}

// find finds the element of the row in a column of the chunk.
func (f *trace) find(t *testing.T, a *Matrix, col int) traced {
	for _, s := range f.chunk {
		if s.filled[f.lane] && s.base+int(s.index[f.lane]) == col {
			return traced{col: col, value: f.m.At(f.row, col), integer: f.rounded(a, f.row, col), tracedSlot: s, bit: f.lane * s.width}
		}
	}
	t.Fatalf("element (%d, %d) is in no slot", f.row, col)
	return traced{}
}

// decodeBits does what the kernel does with the lane.
func (f *trace) decodeBits() {
	e := &f.bits
	e.downBy = 64 - e.width
	e.upBy = e.downBy - e.bit%8
	e.word = binary.LittleEndian.Uint64(e.values[e.bit/8:])
	e.up = e.word << e.upBy
	e.decoded = int64(e.up) >> e.downBy
}

// decodeBytes does it for whole bytes.
func (f *trace) decodeBytes() {
	e := &f.bytes
	e.low = binary.LittleEndian.Uint64(e.values[e.bit/8:]) & (1<<e.width - 1)
	e.word = math.Float64bits(0x1p52) | e.low
	e.minus = 0x1p52 + math.Ldexp(1, e.width-1)
	e.decoded = int64(math.Float64frombits(e.word) - e.minus)
}

// product multiplies the row with x_j = j + 1, of which all sums are exact.
func (f *trace) product() {
	f.x = make([]float64, f.m.Cols)
	for j := range f.x {
		f.x[j] = float64(j + 1)
	}
	for _, s := range f.chunk {
		f.sum += float64(s.m[f.lane]) * f.x[s.base+int(s.index[f.lane])]
	}
	f.y = math.Ldexp(f.sum, f.quant)
}
