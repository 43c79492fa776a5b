//go:build !purego

package kernels

var slotsSIMD = pick(map[Tier]func(acc []float64, p *SlotPanel, x []float64){AVX512: addSlotsAVX512})

// slotTable is what a slot of one width needs to be taken apart: the bytes of
// lane l move to the top of lane l, and an arithmetic shift extends the sign.
type slotTable struct {
	permutation [64]byte
	shift       [8]uint64
}

var slotTables = newSlotTables()

func newSlotTables() (t [8]slotTable) {
	for w := 1; w < 8; w++ {
		for lane := range Lanes {
			for k := range w {
				t[w].permutation[8*lane+8-w+k] = byte(lane*w + k)
			}
			t[w].shift[lane] = uint64(64 - 8*w)
		}
	}
	return t
}

func addSlotsAVX512(acc []float64, p *SlotPanel, x []float64) {
	slotsAVX512(&acc[0], &p.Groups[0], len(p.Groups), &p.Widths[0], &p.Index[0], &p.Values[0], &x[0], &slotTables[0])
}

// slotsAVX512 is addSlots; a gather fetches x, eight elements at a time.
//
//go:noescape
func slotsAVX512(acc *float64, groups *SlotGroup, n int, widths *byte, index *uint16, values *byte, x *float64, tables *slotTable)
