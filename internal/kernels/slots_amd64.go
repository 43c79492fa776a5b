//go:build !purego

package kernels

import (
	"math"
	"unsafe"

	"github.com/klauspost/cpuid/v2"
	"github.com/mpsolve/mpsolve/internal/kernels/simd"
)

// slotTable holds constants to decode slots of one width. The bytes with the bits of lane l move to lane l; its
// highest bit is shifted to the top and then its lowest to the bottom, which extends the sign. If the width is a
// ByteWidth, the bytes are put into the low bits of 2^52 instead, and what 2^52 and the flipped sign add is
// subtracted.
type slotTable struct {
	permutation [64]byte
	up, down    [Lanes]uint64 // shifts
	bytes       uint64        // the bytes of a lane that form its integer
	minus       float64
	flip        uint64 // of the sign, at the top
	_           [5]uint64
}

var slotTables = newSlotTables()

func newSlotTables() (t [MaxSlotWidth + 1]slotTable) {
	for w := 1; w <= MaxSlotWidth; w++ {
		t[w].flip = flipped(w) << (64 - w)
		t[w].minus = 0x1p52 + math.Ldexp(1, w-1)
		for l := range Lanes {
			bit := l * w
			for k := range 8 {
				t[w].permutation[8*l+k] = byte(min(bit/8+k, 63))
			}
			t[w].up[l] = uint64(64 - w - bit%8)
			t[w].down[l] = uint64(64 - w)
			t[w].bytes |= (1<<(w/8) - 1) << (8 * l)
		}
	}
	return t
}

func mulSlotsAVX512(dst []float64, p *SlotPanel, x []float64, row0 int, d Units, add bool) {
	if len(p.Groups) == 0 || len(x) == 0 {
		mulSlots(dst, p, x, row0, d, add)
		return
	}
	c := newSlotCall(dst, p, x, row0, &d, add)
	c.tables = unsafe.Pointer(&slotTables)
	switch max(p.Block, 1) {
	case 1:
		mulElements(&c, p)
	case 2:
		simd.Blocks2Oct(unsafe.Pointer(&c))
	case 3:
		simd.Blocks3Oct(unsafe.Pointer(&c))
	case 4:
		simd.Blocks4Oct(unsafe.Pointer(&c))
	case 5:
		simd.Blocks5Oct(unsafe.Pointer(&c))
	case 6:
		simd.Blocks6Oct(unsafe.Pointer(&c))
	}
}

// slowGathers says that eight loads take less time than a gather of eight elements: on Zen 5, 0.2 ns an element
// against 0.5 ns with x in the first-level cache.
var slowGathers = cpuid.CPU.VendorID == cpuid.AMD

// mulElements is for slots of single elements. The kernel in assembly gathers x, and takes 0.7 of the time of the C
// kernel for diagonals in the cache.
func mulElements(c *slotCall, p *SlotPanel) {
	switch {
	case p.Far && slowGathers:
		simd.FarSlotsOct(unsafe.Pointer(c))
	case p.Far:
		simd.FarGatherSlotsOct(unsafe.Pointer(c))
	case slowGathers && len(p.Offsets) == 0:
		simd.SlotsOct(unsafe.Pointer(c))
	default:
		slotsAVX512(c)
	}
}

//go:noescape
func slotsAVX512(c *slotCall)

func mulSymmetricAVX512(sums []float64, p *SlotPanel, x []float64, r SymmetricRange) {
	if len(p.Groups) == 0 || len(x) == 0 {
		mulSymmetric(sums, p, x, r)
		return
	}
	c := newSymmetricCall(sums, p, x, r)
	c.tables = unsafe.Pointer(&slotTables)
	switch p.Block {
	case 2:
		simd.Symmetric2Oct(unsafe.Pointer(&c))
	case 3:
		simd.Symmetric3Oct(unsafe.Pointer(&c))
	case 4:
		simd.Symmetric4Oct(unsafe.Pointer(&c))
	case 5:
		simd.Symmetric5Oct(unsafe.Pointer(&c))
	case 6:
		simd.Symmetric6Oct(unsafe.Pointer(&c))
	}
}

var octMulti = multiKernels{
	slots: [MaxBlock][3]func(c, w unsafe.Pointer){
		{simd.SlotsMulti2Oct, simd.SlotsMulti4Oct, simd.SlotsMulti8Oct},
		{simd.Blocks2Multi2Oct, simd.Blocks2Multi4Oct, simd.Blocks2Multi8Oct},
		{simd.Blocks3Multi2Oct, simd.Blocks3Multi4Oct, simd.Blocks3Multi8Oct},
		{simd.Blocks4Multi2Oct, simd.Blocks4Multi4Oct, simd.Blocks4Multi8Oct},
		{simd.Blocks5Multi2Oct, simd.Blocks5Multi4Oct, simd.Blocks5Multi8Oct},
		{simd.Blocks6Multi2Oct, simd.Blocks6Multi4Oct, simd.Blocks6Multi8Oct},
	},
	symmetric: [MaxBlock - 1][3]func(c, w unsafe.Pointer){
		{simd.Symmetric2Multi2Oct, simd.Symmetric2Multi4Oct, simd.Symmetric2Multi8Oct},
		{simd.Symmetric3Multi2Oct, simd.Symmetric3Multi4Oct, simd.Symmetric3Multi8Oct},
		{simd.Symmetric4Multi2Oct, simd.Symmetric4Multi4Oct, simd.Symmetric4Multi8Oct},
		{simd.Symmetric5Multi2Oct, simd.Symmetric5Multi4Oct, simd.Symmetric5Multi8Oct},
		{simd.Symmetric6Multi2Oct, simd.Symmetric6Multi4Oct, simd.Symmetric6Multi8Oct},
	},
	tables: unsafe.Pointer(&slotTables),
}
