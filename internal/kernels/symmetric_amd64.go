//go:build !purego

package kernels

func init() { symmetric.from(AVX512, mulSymmetricAVX512) }

// symmetricCall is the arguments of the assembly.
type symmetricCall struct {
	groups        *SlotGroup
	count         int
	widths        *byte
	index         *uint16
	values        *byte
	order         *uint16
	x, xRow       *float64 // xRow: that of the first row
	sums, sumsRow *float64 // sumsRow: those of the first row
	from, rows    int      // block row that sums begin with, and the number of block rows
	stream        int      // bytes from one stream of values to the next
	tables        *[MaxSlotWidth + 1]slotTable
}

func mulSymmetricAVX512(sums []float64, p *SlotPanel, x []float64, r SymmetricRange) {
	if len(p.Groups) == 0 || len(x) == 0 {
		mulSymmetric(sums, p, x, r)
		return
	}
	b := p.Block
	c := symmetricCall{
		groups: &p.Groups[0], count: len(p.Groups), widths: first(p.Widths), index: first(p.Index), values: first(p.Values), order: first(p.Order),
		x: &x[0], xRow: &x[b*r.Row], sums: &sums[0], sumsRow: &sums[SumStride(b)*(r.Row-r.Sums)],
		from: r.Sums, rows: r.Rows, stream: p.stream(), tables: &slotTables,
	}
	switch b {
	case 2:
		symmetric2AVX512(&c)
	case 3:
		symmetric3AVX512(&c)
	case 4:
		symmetric4AVX512(&c)
	case 5:
		symmetric5AVX512(&c)
	case 6:
		symmetric6AVX512(&c)
	}
}

//go:noescape
func symmetric2AVX512(c *symmetricCall)

//go:noescape
func symmetric3AVX512(c *symmetricCall)

//go:noescape
func symmetric4AVX512(c *symmetricCall)

//go:noescape
func symmetric5AVX512(c *symmetricCall)

//go:noescape
func symmetric6AVX512(c *symmetricCall)
