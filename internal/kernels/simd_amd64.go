//go:build !purego

package kernels

import (
	"os"

	"golang.org/x/sys/cpu"
)

// The kernels for this processor; nil where there is none.
var (
	slotsSIMD = choose(addSlotsAVX512, cpu.X86.HasAVX512VBMI)
	csrSIMD   = choose(csrMulVecAVX512, cpu.X86.HasBMI2)
)

// choose returns kernel if the processor has AVX-512 and what else it needs, and
// the environment does not forbid it.
func choose[F any](kernel F, has bool) (f F) {
	x := cpu.X86
	if has && x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL && os.Getenv(TierVariable) != "portable" {
		return kernel
	}
	return f
}

func csrMulVecAVX512(dst []float64, lo, hi int, rowPtr []int64, col []int32, val, x []float64) {
	if rowPtr[lo] == rowPtr[hi] { // no element, perhaps no x
		clear(dst[lo:hi])
		return
	}
	csrAVX512(&dst[lo], hi-lo, &rowPtr[lo], &col[0], &val[0], &x[0])
}

// csrAVX512 is CSRMulVec for n rows.
//
//go:noescape
func csrAVX512(dst *float64, n int, rowPtr *int64, col *int32, val, x *float64)

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
