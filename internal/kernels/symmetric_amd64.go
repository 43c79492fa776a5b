//go:build !purego

package kernels

import "unsafe"

func mulSymmetricAVX512(sums []float64, p *SlotPanel, x []float64, r SymmetricRange) {
	if len(p.Groups) == 0 || len(x) == 0 {
		mulSymmetric(sums, p, x, r)
		return
	}
	c := newSymmetricCall(sums, p, x, r)
	c.tables = unsafe.Pointer(&slotTables)
	switch p.Block {
	case 2:
		symmetric2Oct(&c)
	case 3:
		symmetric3Oct(&c)
	case 4:
		symmetric4Oct(&c)
	case 5:
		symmetric5Oct(&c)
	case 6:
		symmetric6Oct(&c)
	}
}
