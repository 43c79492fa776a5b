//go:build !purego && (amd64 || arm64)

package kernels

import (
	"unsafe"

	"github.com/mpsolve/mpsolve/pkg/dd"
)

// slotCall is the arguments of the assembly, with struct slot_call of c/slots.h.
type slotCall struct {
	groups  *SlotGroup
	count   int // of groups
	widths  *byte
	index   *uint16
	offsets *int32
	values  *byte
	order   *uint16
	x       *float64
	xRow    uintptr // address of the element of the first row, which tall matrices do not have
	dst     *float64
	rows    int
	stream  int // bytes from one stream of values to the next, or to the odd slots
	exp     *int32
	bias    int // to the biased exponent of a unit
	factor  float64
	add     bool
	tables  unsafe.Pointer // of constants to decode slots of each width
	dstLo   *float64       // of double-double products
	xLo     *float64
}

// newSlotCall is for a panel with groups and an x with elements.
func newSlotCall(dst []float64, p *SlotPanel, x []float64, row0 int, d *Units, add bool) slotCall {
	c := slotCall{
		groups: &p.Groups[0], count: len(p.Groups), widths: first(p.Widths), index: first(p.Index), offsets: first(p.Offsets),
		values: first(p.Values), order: first(p.Order), x: &x[0],
		dst: first(dst), rows: p.rows(len(dst)), stream: p.Odd, exp: first(d.Exp), bias: d.Shift + 1023, factor: d.Factor, add: add,
	}
	if len(p.Offsets) > 0 {
		c.xRow = uintptr(unsafe.Pointer(&x[0])) + 8*uintptr(row0)
	}
	if p.Block > 1 {
		c.stream = p.stream()
	}
	return c
}

// mulSlotsDDSIMD is MulSlotsDD by two kernels: for 16-bit columns and for far ones.
func mulSlotsDDSIMD(tables unsafe.Pointer, near, far func(*slotCall)) slotsDDKernel {
	return func(dst dd.Vec, p *SlotPanel, x dd.Vec, row0 int, d Units, add bool) {
		if len(p.Groups) == 0 || x.Len() == 0 {
			mulSlotsDD(dst, p, x, row0, d, add)
			return
		}
		c := newSlotCall(dst.Hi, p, x.Hi, row0, &d, add)
		c.tables, c.dstLo, c.xLo = tables, first(dst.Lo), &x.Lo[0]
		if p.Far {
			far(hide(&c))
		} else {
			near(hide(&c))
		}
	}
}

// first is the address of the first element, nil if there is none.
func first[T any](s []T) *T {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}
