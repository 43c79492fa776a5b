package adaptive

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// trace follows an element of a small matrix to its bytes and back, for
// docs/storage.svg, at two accuracies: at one its slot is taken apart bit by bit, at
// the other it is of whole bytes. Rows, columns and all other numbers count from 0.
type trace struct {
	m           *csr.Matrix
	row, col    int
	value       float64
	first, lane int // row of its slice, and its lane there

	bits  bitsTrace
	bytes bytesTrace
	x     []float64
	sum   float64
	y     float64
}

// traced is the element at one of the accuracies, and the panel that it is in.
type traced struct {
	accuracy    int // epsilon = 2^-accuracy
	unit, quant int // exponents of the unit of the row and of the quantum

	panel []tracedSlot // its slots in the order of the slices
	odd   int          // where the odd slots begin in its values
	end   int          // of its values
	slice []tracedSlot // the slots of the slice

	integer    int64
	tracedSlot     // of the element
	bit        int // first one of the lane in the values
	decoded    int64
}

// tracedSlot is one slot of the panel.
type tracedSlot struct {
	slice, number, width int
	needs                int // bits of the widest integer
	at                   int // of its first byte in the values of the panel
	base                 int
	index                []uint16
	values               []byte // from the first byte on
	m                    [lanes]int64
	filled               [lanes]bool
}

// bitsTrace is the way of the element if its slot is not of whole bytes.
type bitsTrace struct {
	traced
	word, up     uint64 // eight bytes from that of the bit on; shifted up
	upBy, downBy int
}

// bytesTrace is that if it is.
type bytesTrace struct {
	traced
	low   uint64 // the bytes of the lane
	word  uint64 // of 2^52 with these as its low bits
	minus float64
}

// newTrace follows an element, and fails if an integer or the product is not that of
// the stored matrix.
func newTrace(t *testing.T, row, col int) *trace {
	t.Helper()
	f := &trace{row: row, col: col, m: generated(t, "poisson2d", generate.Params{"n": 4, "decades": 2})}
	f.value, f.lane, f.first = f.m.At(row, col), row%lanes, row/lanes*lanes
	var a, short Matrix
	f.bits.traced, a = f.stored(t, 26)
	f.bytes.traced, short = f.stored(t, 18)
	f.decodeBits()
	f.decodeBytes()
	f.product()
	y := make([]float64, f.m.Rows)
	a.Apply(y, f.x)
	if f.y != y[row] {
		t.Errorf("y = %g, stored %g", f.y, y[row])
	}
	f.check(t, &f.bits.traced, a)
	f.check(t, &f.bytes.traced, short)
	if kernels.ByteWidth(f.bits.width) || !kernels.ByteWidth(f.bytes.width) {
		t.Errorf("slots of %d and %d bits, want one of bits and one of whole bytes", f.bits.width, f.bytes.width)
	}
	return f
}

// stored stores the matrix at an accuracy and finds the element there.
func (f *trace) stored(t *testing.T, accuracy int) (traced, Matrix) {
	a := build(t, f.m, Spec{Set: set(t, "AFX"), Epsilon: math.Ldexp(1, -accuracy), Criterion: CW, Layout: Slots})
	e := traced{accuracy: accuracy, unit: a.(*matrix).tol.Exponent(f.row)}
	e.quant = e.unit - a.(*matrix).slots().unitQuanta
	e.slots(t, &a.(*matrix).slots().panels[0][0].SlotPanel)
	e.integer = f.rounded(a, f.row, f.col)
	for _, s := range e.panel {
		if s.slice != f.row/lanes {
			continue
		}
		e.slice = append(e.slice, s)
		if s.filled[f.lane] && s.base+int(s.index[f.lane]) == f.col {
			e.tracedSlot, e.bit = s, f.lane*s.width
		}
	}
	if e.values == nil {
		t.Fatalf("element (%d, %d) is in no slot", f.row, f.col)
	}
	return e, a
}

// check compares the integers of all slots with the elements of the matrix, and
// their widths with what the builder gives to such a group.
func (f *trace) check(t *testing.T, e *traced, a Matrix) {
	if e.decoded != e.integer {
		t.Errorf("decoded %d from a slot of %d bits, stored %d", e.decoded, e.width, e.integer)
	}
	filled := 0
	slots, widest := map[int]int{}, map[int]int{} // of each slice
	for _, s := range e.panel {
		slots[s.slice]++
		widest[s.slice] = max(widest[s.slice], s.needs)
	}
	for _, s := range e.panel {
		for l, m := range s.m {
			if !s.filled[l] {
				continue
			}
			i, j := s.slice*lanes+l, s.base+int(s.index[l])
			if want := f.rounded(a, i, j); m != want {
				t.Errorf("row %d, column %d: integer %d, want %d", i, j, m, want)
			}
			filled++
		}
		r := traits{}.roundingOf(1, slots[s.slice], uint8(widest[s.slice]))
		if want := r.round(uint8(s.needs)); s.width != int(want) {
			t.Errorf("slice %d, slot %d: width %d, want %d", s.slice, s.number, s.width, want)
		}
	}
	if filled != a.Stats().InSlots {
		t.Errorf("%d elements in slots, want %d", filled, a.Stats().InSlots)
	}
}

// rounded is the integer of a_ij.
func (f *trace) rounded(a Matrix, i, j int) int64 {
	return int64(math.RoundToEven(math.Ldexp(f.m.At(i, j), a.(*matrix).slots().unitQuanta-a.(*matrix).tol.Exponent(i))))
}

// slots takes the slots out of the panel, which has one group for each slice.
func (e *traced) slots(t *testing.T, p *kernels.SlotPanel) {
	if p.Order != nil {
		t.Fatal("the rows are in another order")
	}
	e.odd, e.end = p.Odd, len(p.Values)-kernels.SlotPadding
	widths, index, at := p.Widths, p.Index, [2]int{0, p.Odd}
	for slice, g := range p.Groups {
		if g.Flags != kernels.Last {
			t.Fatalf("a group with flags %d", g.Flags)
		}
		for k := range int(g.Slots) {
			next := &at[k&1]
			s := tracedSlot{slice: slice, number: k, width: int(widths[0]), at: *next, base: int(g.Base), index: index[:lanes]}
			s.values, s.needs = p.Values[s.at:], 1
			for l := range s.m {
				s.m[l] = s.integer(l)
				s.filled[l] = s.m[l] != 0
				s.needs = max(s.needs, int(kernels.BitsOf(s.m[l])))
			}
			e.panel = append(e.panel, s)
			*next += s.width
			widths, index = widths[1:], index[lanes:]
		}
	}
	if at != [2]int{e.odd, e.end} {
		t.Fatalf("streams end at %v, not at %d and %d", at, e.odd, e.end)
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
	for _, s := range f.bits.slice {
		f.sum += float64(s.m[f.lane]) * f.x[s.base+int(s.index[f.lane])]
	}
	f.y = math.Ldexp(f.sum, f.bits.quant)
}
