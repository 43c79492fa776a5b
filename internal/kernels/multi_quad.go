//go:build !purego && (amd64 || arm64)

package kernels

import (
	"sync"
	"unsafe"
)

// multiWork is memory for the assembly of products with several vectors, struct multi_work of
// c/multi.h, and its other arguments.
type multiWork struct {
	_         [1024]float64                          // values
	_         [64 * Lanes]int                        // places
	_         [MaxBlock * Lanes * MaxVectors]float64 // sums
	_         [MaxBlock * MaxVectors]float64         // zeros
	_         [Lanes]uintptr                         // own
	far       bool
	slots     slotCall
	symmetric symmetricCall
}

// multiWorks keeps what panels that run at the same time need.
var multiWorks = sync.Pool{New: func() any { return new(multiWork) }}

// vectorsIndex is 0, 1, 2 for k = 2, 4, 8 vectors.
func vectorsIndex(k int) int { return k / 4 }

// multiKernels are the kernels for blocks of size 1, or 2, and so on, times 2, 4 and 8 vectors.
type multiKernels struct {
	slots     [MaxBlock][3]func(c *slotCall, w *multiWork)
	symmetric [MaxBlock - 1][3]func(c *symmetricCall, w *multiWork)
	tables    unsafe.Pointer // to decode slots of each width
}

var quadMulti = multiKernels{
	slots: [MaxBlock][3]func(c *slotCall, w *multiWork){
		{slotsMulti2Quad, slotsMulti4Quad, slotsMulti8Quad},
		{blocks2Multi2Quad, blocks2Multi4Quad, blocks2Multi8Quad},
		{blocks3Multi2Quad, blocks3Multi4Quad, blocks3Multi8Quad},
		{blocks4Multi2Quad, blocks4Multi4Quad, blocks4Multi8Quad},
		{blocks5Multi2Quad, blocks5Multi4Quad, blocks5Multi8Quad},
		{blocks6Multi2Quad, blocks6Multi4Quad, blocks6Multi8Quad},
	},
	symmetric: [MaxBlock - 1][3]func(c *symmetricCall, w *multiWork){
		{symmetric2Multi2Quad, symmetric2Multi4Quad, symmetric2Multi8Quad},
		{symmetric3Multi2Quad, symmetric3Multi4Quad, symmetric3Multi8Quad},
		{symmetric4Multi2Quad, symmetric4Multi4Quad, symmetric4Multi8Quad},
		{symmetric5Multi2Quad, symmetric5Multi4Quad, symmetric5Multi8Quad},
		{symmetric6Multi2Quad, symmetric6Multi4Quad, symmetric6Multi8Quad},
	},
	tables: unsafe.Pointer(&pairTables),
}

func (m *multiKernels) mulSlots(dst []float64, k int, p *SlotPanel, x []float64, row0 int, d Units, add bool) {
	if len(p.Groups) == 0 || len(x) == 0 {
		mulSlotsMulti(dst, k, p, x, row0, d, add)
		return
	}
	w := multiWorks.Get().(*multiWork)
	w.slots = newSlotCall(dst, p, x, k*row0, &d, add)
	w.slots.rows = p.rows(len(dst) / k)
	w.slots.tables, w.far = m.tables, p.Far
	m.slots[max(p.Block, 1)-1][vectorsIndex(k)](&w.slots, w)
	w.slots = slotCall{}
	multiWorks.Put(w)
}

func (m *multiKernels) mulSymmetric(sums []float64, k int, p *SlotPanel, x []float64, r SymmetricRange) {
	if len(p.Groups) == 0 || len(x) == 0 {
		mulSymmetricMulti(sums, k, p, x, r)
		return
	}
	w, b := multiWorks.Get().(*multiWork), p.Block
	w.symmetric = newSymmetricCall(sums, p, x, r)
	w.symmetric.xRow, w.symmetric.sumsRow = &x[k*b*r.Row], &sums[k*b*(r.Row-r.Sums)]
	w.symmetric.tables = m.tables
	m.symmetric[b-2][vectorsIndex(k)](&w.symmetric, w)
	w.symmetric = symmetricCall{}
	multiWorks.Put(w)
}
