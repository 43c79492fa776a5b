//go:build !purego && (amd64 || arm64)

package kernels

import (
	"math"
	"unsafe"
)

// pairTable holds constants to decode slots of one width four lanes at a time, as struct
// pair_table of c/slots.h says.
type pairTable struct {
	bytes [64]byte
	up    [Lanes]uint64
	down  uint64
	flip  uint64
	minus float64
	_     [5]uint64
}

var pairTables = newPairTables()

func newPairTables() (t [MaxSlotWidth + 1]pairTable) {
	for w := 1; w <= MaxSlotWidth; w++ {
		t[w] = newPairTable(w)
	}
	return t
}

func newPairTable(w int) (t pairTable) {
	for l := range Lanes {
		bit := l*w - l/2*2*w/8*8 // from the byte on that the pair begins in
		for k := range 8 {
			at := bit/8 + k
			if ByteWidth(w) && k >= w/8 {
				at = 0x80 // none
			}
			t.bytes[8*l+k] = byte(at)
		}
		t.up[l] = uint64(64 - w - bit%8)
	}
	t.down = uint64(64 - w)
	t.flip, t.minus = 1<<(w-1), 0x1p52+math.Ldexp(1, w-1)
	switch {
	case ByteWidth(w):
		t.flip = math.Float64bits(0x1p52) // the sign is flipped as it is stored
	case w <= 52:
		t.flip |= math.Float64bits(0x1p52)
	default:
		t.minus += 0x1p84
	}
	return t
}

func mulSlotsQuad(dst []float64, p *SlotPanel, x []float64, row0 int, d Units, add bool) {
	if len(p.Groups) == 0 || len(x) == 0 {
		mulSlots(dst, p, x, row0, d, add)
		return
	}
	c := newSlotCall(dst, p, x, row0, &d, add)
	c.tables = unsafe.Pointer(&pairTables)
	switch max(p.Block, 1) {
	case 1:
		if p.Far {
			farSlotsQuad(&c)
		} else {
			slotsQuad(&c)
		}
	case 2:
		blocks2Quad(&c)
	case 3:
		blocks3Quad(&c)
	case 4:
		blocks4Quad(&c)
	case 5:
		blocks5Quad(&c)
	case 6:
		blocks6Quad(&c)
	}
}
