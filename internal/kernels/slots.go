package kernels

import "encoding/binary"

// Lanes is the number of rows that a chunk of slots serves at once.
const Lanes = 8

// SlotPadding is the number of bytes that must follow the values of a panel,
// since a slot is loaded as 64 bytes whatever its width.
const SlotPadding = 64

// SlotGroup is a run of slots that belong to one chunk of rows and whose columns
// lie within 2^16 of a base.
type SlotGroup struct {
	Base  uint32 // first column
	Slots uint16
	Chunk uint16
}

// SlotPanel is a range of rows in fixed-point slots. Slot s holds one element for
// each of eight rows: its width w in bytes (1 to 7), eight columns relative to
// the base of its group, and eight two's complement integers of w bytes, lane by
// lane. Lanes without an element hold a zero.
type SlotPanel struct {
	Groups []SlotGroup
	Widths []byte
	Index  []uint16
	Values []byte // SlotPadding bytes longer than the values
}

// AddSlots adds the products of a panel with x: acc[8 c + l] is the row of lane l
// of chunk c.
func AddSlots(acc []float64, p *SlotPanel, x []float64) {
	if slotsSIMD != nil && len(p.Groups) > 0 { // chosen once for this processor
		slotsSIMD(acc, p, x)
		return
	}
	addSlots(acc, p, x)
}

// HasFastSlots reports whether this processor has the instructions that make
// slots faster than CSR: AVX-512 with VBMI.
func HasFastSlots() bool { return slotsSIMD != nil }

// addSlots is AddSlots in portable Go, operation by operation what the assembly
// does.
func addSlots(acc []float64, p *SlotPanel, x []float64) {
	slot, at := 0, 0
	for _, g := range p.Groups {
		rows := acc[Lanes*int(g.Chunk):][:Lanes]
		near := x[g.Base:]
		for range g.Slots {
			w := int(p.Widths[slot])
			shift := uint(64 - 8*w)
			index := p.Index[Lanes*slot:][:Lanes]
			for l, j := range index {
				word := binary.LittleEndian.Uint64(p.Values[at+l*w:])
				m := int64(word<<(shift&63)) >> (shift & 63)
				rows[l] += float64(float64(m) * near[j])
			}
			at += Lanes * w
			slot++
		}
	}
}
