//go:build !purego && (amd64 || arm64)

package kernels

import "unsafe"

// symmetricCall is the arguments of the assembly, with struct symmetric_call of c/symmetric.c.
type symmetricCall struct {
	groups        *SlotGroup
	count         int
	widths        *byte
	index         *uint16
	values        *byte
	order         *uint16
	x, xRow       *float64       // xRow: that of the first row
	sums, sumsRow *float64       // sumsRow: those of the first row
	from, rows    int            // block row that sums begin with, and the number of block rows
	stream        int            // bytes from one stream of values to the next
	tables        unsafe.Pointer // of constants to decode slots of each width
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
		symmetric2Quad(&c)
	case 3:
		symmetric3Quad(&c)
	case 4:
		symmetric4Quad(&c)
	case 5:
		symmetric5Quad(&c)
	case 6:
		symmetric6Quad(&c)
	}
}
