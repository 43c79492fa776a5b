//go:build !purego && (amd64 || arm64)

package kernels

import (
	"math"
	"sync"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels/simd"
)

// pairTable holds constants to decode slots of one width, four lanes at a time, see struct pair_table of c/slots.h.
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
		bit := l*w - l/2*2*w/8*8 // from the byte in which the pair begins
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
		t.flip = math.Float64bits(0x1p52) // the sign is stored flipped
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
			simd.FarSlotsQuad(unsafe.Pointer(&c))
		} else {
			simd.SlotsQuad(unsafe.Pointer(&c))
		}
	case 2:
		simd.Blocks2Quad(unsafe.Pointer(&c))
	case 3:
		simd.Blocks3Quad(unsafe.Pointer(&c))
	case 4:
		simd.Blocks4Quad(unsafe.Pointer(&c))
	case 5:
		simd.Blocks5Quad(unsafe.Pointer(&c))
	case 6:
		simd.Blocks6Quad(unsafe.Pointer(&c))
	}
}

// slotCall holds the arguments of the assembly, with struct slot_call of c/slots.h. It is flat since the assembly of
// slots_amd64.s refers to its fields by name.
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
	bias    int // added to get the biased exponent of a unit
	factor  float64
	add     bool
	tables  unsafe.Pointer // constants to decode slots of each width
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
func mulSlotsDDSIMD(tables unsafe.Pointer, near, far func(unsafe.Pointer)) slotsDDKernel {
	return func(dst dd.Vec, p *SlotPanel, x dd.Vec, row0 int, d Units, add bool) {
		if len(p.Groups) == 0 || x.Len() == 0 {
			mulSlotsDD(dst, p, x, row0, d, add)
			return
		}
		c := newSlotCall(dst.Hi, p, x.Hi, row0, &d, add)
		c.tables, c.dstLo, c.xLo = tables, first(dst.Lo), &x.Lo[0]
		if p.Far {
			far(unsafe.Pointer(hide(&c)))
		} else {
			near(unsafe.Pointer(hide(&c)))
		}
	}
}

// first returns the address of the first element, nil if there is none.
func first[T any](s []T) *T {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}

// symmetricCall holds the arguments of the assembly, with struct symmetric_call of c/symmetric.c.
type symmetricCall struct {
	groups        *SlotGroup
	count         int
	widths        *byte
	index         *uint16
	values        *byte
	order         *uint16
	x, xRow       *float64       // xRow: the element of the first row
	sums, sumsRow *float64       // sumsRow: the sums of the first row
	from, rows    int            // block row of the first sums, and the number of block rows
	stream        int            // bytes from one stream of values to the next
	tables        unsafe.Pointer // constants to decode slots of each width
}

// newSymmetricCall is for a panel with groups and an x with elements.
func newSymmetricCall(sums []float64, p *SlotPanel, x []float64, r SymmetricRange) symmetricCall {
	b := p.Block
	return symmetricCall{
		groups: &p.Groups[0], count: len(p.Groups), widths: first(p.Widths), index: first(p.Index), values: first(p.Values), order: first(p.Order),
		x: &x[0], xRow: &x[b*r.Row], sums: &sums[0], sumsRow: &sums[SumStride(b)*(r.Row-r.Sums)],
		from: r.Sums, rows: r.Rows, stream: p.stream(),
	}
}

func mulSymmetricQuad(sums []float64, p *SlotPanel, x []float64, r SymmetricRange) {
	if len(p.Groups) == 0 || len(x) == 0 {
		mulSymmetric(sums, p, x, r)
		return
	}
	c := newSymmetricCall(sums, p, x, r)
	c.tables = unsafe.Pointer(&pairTables)
	switch p.Block {
	case 2:
		simd.Symmetric2Quad(unsafe.Pointer(&c))
	case 3:
		simd.Symmetric3Quad(unsafe.Pointer(&c))
	case 4:
		simd.Symmetric4Quad(unsafe.Pointer(&c))
	case 5:
		simd.Symmetric5Quad(unsafe.Pointer(&c))
	case 6:
		simd.Symmetric6Quad(unsafe.Pointer(&c))
	}
}

// multiWork is memory for the assembly of products with several vectors, struct multi_work of c/multi.h, and its
// other arguments.
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

// multiWorks keeps the memory of panels that run at the same time.
var multiWorks = sync.Pool{New: func() any { return new(multiWork) }}

// vectorsIndex returns 0, 1, 2 for k = 2, 4, 8 vectors.
func vectorsIndex(k int) int { return k / 4 }

// multiKernels are the kernels for blocks of size 1, 2, and so on, times 2, 4 and 8 vectors.
type multiKernels struct {
	slots     [MaxBlock][3]func(c, w unsafe.Pointer)
	symmetric [MaxBlock - 1][3]func(c, w unsafe.Pointer)
	tables    unsafe.Pointer // to decode slots of each width
}

var quadMulti = multiKernels{
	slots: [MaxBlock][3]func(c, w unsafe.Pointer){
		{simd.SlotsMulti2Quad, simd.SlotsMulti4Quad, simd.SlotsMulti8Quad},
		{simd.Blocks2Multi2Quad, simd.Blocks2Multi4Quad, simd.Blocks2Multi8Quad},
		{simd.Blocks3Multi2Quad, simd.Blocks3Multi4Quad, simd.Blocks3Multi8Quad},
		{simd.Blocks4Multi2Quad, simd.Blocks4Multi4Quad, simd.Blocks4Multi8Quad},
		{simd.Blocks5Multi2Quad, simd.Blocks5Multi4Quad, simd.Blocks5Multi8Quad},
		{simd.Blocks6Multi2Quad, simd.Blocks6Multi4Quad, simd.Blocks6Multi8Quad},
	},
	symmetric: [MaxBlock - 1][3]func(c, w unsafe.Pointer){
		{simd.Symmetric2Multi2Quad, simd.Symmetric2Multi4Quad, simd.Symmetric2Multi8Quad},
		{simd.Symmetric3Multi2Quad, simd.Symmetric3Multi4Quad, simd.Symmetric3Multi8Quad},
		{simd.Symmetric4Multi2Quad, simd.Symmetric4Multi4Quad, simd.Symmetric4Multi8Quad},
		{simd.Symmetric5Multi2Quad, simd.Symmetric5Multi4Quad, simd.Symmetric5Multi8Quad},
		{simd.Symmetric6Multi2Quad, simd.Symmetric6Multi4Quad, simd.Symmetric6Multi8Quad},
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
	m.slots[max(p.Block, 1)-1][vectorsIndex(k)](unsafe.Pointer(&w.slots), unsafe.Pointer(w))
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
	m.symmetric[b-2][vectorsIndex(k)](unsafe.Pointer(&w.symmetric), unsafe.Pointer(w))
	w.symmetric = symmetricCall{}
	multiWorks.Put(w)
}
