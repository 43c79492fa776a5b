package kernels

import (
	"encoding/binary"
	"math"
)

// slotKernels are the kernels of slots.
type slotKernels struct {
	slots      slotsKernel
	fastSlots  bool // slots are faster than CSR
	slotsMulti slotsMultiKernel
}

var portableSlots = slotKernels{
	slots:      mulSlots,
	slotsMulti: mulSlotsMulti,
}

// Lanes is the number of rows of a SELL slice.
const Lanes = 8

// SlotPadding is the number of bytes that must follow the values of a panel, since a slot is loaded as 64 bytes,
// whatever its width.
const SlotPadding = 64

// MaxSlotWidth is the largest width of a slot in bits: an integer and up to seven bits before it fit in a word.
const MaxSlotWidth = 57

// ByteWidth reports whether slots of width w are decoded by a shorter sequence of instructions: their integers are
// one, two or three bytes, the low bits of a float64. More bytes would fit, but then memory is the bottleneck anyway.
func ByteWidth(w int) bool { return w%8 == 0 && w <= 24 }

// MaxBlock is the size of the largest blocks that slots can be made of.
const MaxBlock = 6

// Flags of a group of slots.
const (
	// Diagonal: lane l of a slot is in column row + offset, where row is the row of lane l and offset one of
	// SlotPanel.Offsets; Base is the index of the first offset.
	Diagonal = 1 << iota
	// Float: the values are float32 or float64, not integers, of one width; there is at least one slot. Diagonals have no float32.
	Float
	// Last: the group ends its slice.
	Last
	// OneRow: all lanes of the slice belong to the same row. Not with Diagonal.
	OneRow
)

// SlotGroup is a run of slots of one SELL slice whose columns lie within 2^16 of a base, or within 2^24 if they are
// Far.
type SlotGroup struct {
	Base  uint32 // first column
	Slots uint16
	Flags uint16
}

// SlotPanel is a range of rows in fixed-point slots. A slot holds one element for each of eight rows: its width w in
// bits, eight columns relative to the base of its group, and eight two's complement integers of w bits, one after the
// other, w bytes in all, with the sign bit flipped if w is a ByteWidth. Lanes without an element hold a zero. The
// values of the even slots of all groups come first, then those of the odd slots, since memory delivers two streams
// faster than one.
//
// With Block = b > 1 the slots are made of b x b blocks instead: a slot holds one block for each of eight block rows,
// the index holds the first columns, and the values are b^2 times eight integers. The values of the first rows of all
// blocks come first, then those of the second rows, and so on: b streams of the same length, since memory delivers
// several faster than one. Groups are then neither Diagonal nor OneRow, and the result is not added to another.
//
// With Far columns the index of a slot has 24 bytes, three for each lane, so that a group reaches 2^24 columns. There
// are then no Diagonal groups and no blocks.
//
// The groups up to one that is Last form a SELL slice. A slice holds the next eight rows, or the remaining rows, or
// the next row alone if it is OneRow.
type SlotPanel struct {
	Block   int // 0 or 1, or the size of the blocks, up to MaxBlock
	Groups  []SlotGroup
	Widths  []byte   // of each slot, in bits, 1 to MaxSlotWidth; 32 or 64 in a Float group
	Far     bool     // columns have 24 bits
	Index   []uint16 // of each slot that is not Diagonal: eight numbers, or twelve if Far
	Offsets []int32
	Values  []byte   // SlotPadding bytes longer than the values
	Odd     int      // where the values of the odd slots of each group begin in Values
	Order   []uint16 // the rows, or block rows, in the order of the slices, not
	// necessarily all; nil: 0, 1, ...
}

// Units are the factors of the rows of a product: 2^(Exp[i]+Shift) for row i, a normal number, or Factor for all rows
// if Exp is nil.
type Units struct {
	Factor float64
	Exp    []int32
	Shift  int
}

func (u *Units) at(i int) float64 {
	if u.Exp == nil {
		return u.Factor
	}
	return math.Float64frombits(uint64(int(u.Exp[i])+u.Shift+1023) << 52)
}

// MulSlots computes dst = D P x, or dst += D P x, for a panel P whose first row is row0 of the matrix (which matters
// to diagonals only) and the units D. The sum of a row has a fixed order, the same in all sets.
func (k *Set) MulSlots(dst []float64, p *SlotPanel, x []float64, row0 int, d Units, add bool) {
	k.slots(dst, p, x, row0, d, add)
}

type slotsKernel = func(dst []float64, p *SlotPanel, x []float64, row0 int, d Units, add bool)

// HasFastSlots reports whether the set has instructions that make slots faster than CSR.
func (k *Set) HasFastSlots() bool { return k.fastSlots }

// mulSlots is MulSlots in portable Go, operation by operation what the assembly does: slots go to two sums
// alternately.
func mulSlots(dst []float64, p *SlotPanel, x []float64, row0 int, d Units, add bool) {
	oneOf{1, 0}.mulSlots(dst, p, x, row0, &d, add)
}

func (o oneOf) mulSlots(dst []float64, p *SlotPanel, x []float64, row0 int, d *Units, add bool) {
	if p.Block > 1 {
		o.mulBlocks(dst, p, x, d)
		return
	}
	var even, odd [Lanes]float64
	row, rows, widths, index := 0, p.rows(len(dst)/o.k), p.Widths, p.Index
	values := [2][]byte{p.Values, p.Values[p.Odd:]}
	for _, g := range p.Groups {
		for k := range int(g.Slots) {
			var m, xs [Lanes]float64
			from := &values[k&1]
			slotValues(&m, *from, int(widths[k]), g.Flags)
			*from = (*from)[widths[k]:]
			if g.Flags&Diagonal != 0 {
				for l := range xs {
					xs[l] = x[o.at(row0+row+int(p.Offsets[int(g.Base)+k])+l)]
				}
			} else {
				var cols [Lanes]int
				index = p.columns(&cols, index)
				for l := range xs {
					xs[l] = x[o.at(int(g.Base)+cols[l])]
				}
			}
			sum := &even
			if k&1 != 0 {
				sum = &odd
			}
			for l := range sum {
				sum[l] = math.FMA(m[l], xs[l], sum[l])
			}
		}
		widths = widths[g.Slots:]
		if g.Flags&Last == 0 {
			continue
		}
		n := min(Lanes, rows-row)
		for l := range even {
			even[l] += odd[l]
		}
		if g.Flags&OneRow != 0 {
			n = 1
			even[0] = addLanes(&even)
		}
		for l := range n {
			i := row + l
			if p.Order != nil {
				i = int(p.Order[i])
			}
			if to := &dst[o.at(i)]; add {
				*to = math.FMA(even[l], d.at(i), *to)
			} else {
				*to = even[l] * d.at(i)
			}
		}
		row += n
		even, odd = [Lanes]float64{}, [Lanes]float64{}
	}
}

// FarIndex is the length of the index of a slot with Far columns.
const FarIndex = 3 * Lanes / 2

// columns reads the columns of the first slot in index, relative to the base of its group, and returns the rest of
// index.
func (p *SlotPanel) columns(cols *[Lanes]int, index []uint16) (rest []uint16) {
	if !p.Far {
		for l := range cols {
			cols[l] = int(index[l])
		}
		return index[Lanes:]
	}
	for l := 0; l < Lanes; l += 2 {
		three := index[l/2*3:]
		cols[l] = int(three[0]) | int(three[1]&0xff)<<16
		cols[l+1] = int(three[1]>>8) | int(three[2])<<8
	}
	return index[FarIndex:]
}

// PackFar appends the index of a slot with Far columns to dst.
func PackFar(dst []uint16, cols *[Lanes]int32) []uint16 {
	for l := 0; l < Lanes; l += 2 {
		a, b := cols[l], cols[l+1]
		dst = append(dst, uint16(a), uint16(a>>16|b<<8), uint16(b>>8))
	}
	return dst
}

// stream returns the length of a stream of values.
func (p *SlotPanel) stream() int { return (len(p.Values) - SlotPadding) / p.Block }

// rows returns the number of rows, or block rows, that have slices, for a panel of n rows.
func (p *SlotPanel) rows(n int) int {
	if p.Order != nil {
		return len(p.Order)
	}
	return n / max(p.Block, 1)
}

// mulBlocks is mulSlots for blocks.
func (o oneOf) mulBlocks(dst []float64, p *SlotPanel, x []float64, d *Units) {
	var sums [MaxBlock][Lanes]float64
	b, row, widths, index, values := p.Block, 0, p.Widths, p.Index, p.Values
	for _, g := range p.Groups {
		for k := range int(g.Slots) {
			w := int(widths[k])
			for i := range b {
				for j := range b {
					var m [Lanes]float64
					slotValues(&m, values[i*p.stream()+j*w:], w, g.Flags)
					for l := range m {
						sums[i][l] = math.FMA(m[l], x[o.at(int(g.Base)+int(index[l])+j)], sums[i][l])
					}
				}
			}
			values = values[b*w:]
			index = index[Lanes:]
		}
		widths = widths[g.Slots:]
		if g.Flags&Last == 0 {
			continue
		}
		n := min(Lanes, p.rows(len(dst)/o.k)-row)
		for l := range n {
			first := row + l
			if p.Order != nil {
				first = int(p.Order[first])
			}
			for i := range b {
				dst[o.at(b*first+i)] = sums[i][l] * d.at(b*first+i)
			}
		}
		row += n
		sums = [MaxBlock][Lanes]float64{}
	}
}

// slotValues decodes eight values.
func slotValues(m *[Lanes]float64, values []byte, w int, flags uint16) {
	if flags&Float != 0 {
		for l := range m {
			if w == 64 {
				m[l] = math.Float64frombits(binary.LittleEndian.Uint64(values[8*l:]))
				continue
			}
			m[l] = float64(math.Float32frombits(binary.LittleEndian.Uint32(values[4*l:])))
		}
		return
	}
	down, flip := uint(64-w)&63, flipped(w)
	for l := range m {
		bit := l * w
		word := binary.LittleEndian.Uint64(values[bit>>3:]) << (down - uint(bit&7))
		m[l] = float64(int64(word^flip<<down) >> down)
	}
}

// flipped returns the sign bit of an integer of w bits if it is stored flipped, otherwise 0.
func flipped(w int) uint64 {
	if ByteWidth(w) {
		return 1 << (w - 1)
	}
	return 0
}

// addLanes sums the lanes as a vector is folded: halves, quarters, the last two.
func addLanes(s *[Lanes]float64) float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}
