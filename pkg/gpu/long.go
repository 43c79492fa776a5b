package gpu

// longRows are the rows, or block rows, of a matrix that have more than longRow elements,
// cut into segments of that many: one kernel adds up the segments, spmv_long those of each
// row.
type longRows struct {
	rows, segments uint32
	size           uint32 // of block rows, otherwise 1
	most           uint32 // elements of a row that is not long
	row, start     buffer // the rows, and the first segment of each
	cut            buffer // of CSR: first element of each segment, and the first after it
	sums           buffer // of the segments; for CSR room for two numbers each
}

const (
	longRow = 4096
	// longBlocks is the number of blocks at most that put long rows together: those that
	// rowBlocks leaves.
	longBlocks = productBlocks - 1944
)

// newLongRows finds them in the row offsets.
func newLongRows(d *Device, ptr []uint32) (l longRows) {
	var row, start, cut []uint32
	for i, from := range ptr[:max(len(ptr), 1)-1] {
		if to := ptr[i+1]; to-from > longRow {
			row, start = append(row, uint32(i)), append(start, uint32(len(cut)/2))
			for ; to-from > longRow; from += longRow {
				cut = append(cut, from, from+longRow)
			}
			cut = append(cut, from, to)
		}
	}
	l = longRows{rows: uint32(len(row)), segments: uint32(len(cut) / 2), size: 1, most: longRow}
	if l.rows > 0 {
		l.row, l.start, l.cut = put(d, row), put(d, append(start, l.segments)), put(d, cut)
		l.sums = d.alloc(16 * int64(l.segments))
	}
	return l
}

func (l *longRows) buffers() []*buffer { return []*buffer{&l.row, &l.start, &l.cut, &l.sums} }

// blocks is the number of blocks of spmv_long, which has a warp for each row.
func (l *longRows) blocks() uint32 {
	if l.rows == 0 {
		return 0
	}
	return blocksFor(32*int(l.rows)*int(l.size), longBlocks)
}

// segmentBlocks is the number of blocks of the kernel before it.
func (l *longRows) segmentBlocks() uint32 { return min(l.segments, productBlocks) }

// What the sum of a row is multiplied by, as in source/long.c.
const (
	noUnit   = 0
	oneUnit  = 1
	rowsUnit = 2
)

// finish adds up the segments' sums of each row and finishes it; the unit of row i, if
// there is one, is 2^exps_i. Parts of inner products stand behind `from` others.
func (l *longRows) finish(d *Device, unit uint32, exps buffer, from uint32, p *product) {
	launchParts(d, l.blocks(), spmvLong{
		count: l.rows, size: l.size, row: l.row, start: l.start, sums: l.sums, unit: unit, exps: exps, from: from, product: *p,
	})
}
