package gpu

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/packed"
)

// As in source/slots.c.
const (
	isOrdered  = 1 << 9
	isSegment  = 1 << 10
	onColumns  = 0
	onDiagonal = 1
	asFloat    = 2
)

const (
	// slotReach is the range of 16-bit columns.
	slotReach = 1 << 16
	// segmentItems is the number of elements, or blocks, of a segment; rows of more are
	// cut into such.
	segmentItems = 4096
	// laneSlots is what a lane gets at most, in elements of a row of blocks, if its row
	// can have more lanes.
	laneSlots = 32
	// sliceLanes is what a SELL slice costs besides its slots, in lanes.
	sliceLanes = 64
	// fullDiagonal is the number of lanes of 32 from which on a slot of a diagonal takes
	// less than a slot with columns.
	fullDiagonal = 24
	// runBits is what a run costs besides its slots, in bits a lane.
	runBits = 4
	// sortRows is the padding, lanes for an element, above which a panel's rows are taken
	// in the order of their lengths, if that leaves less than sortSaves of it.
	sortRows  = 1.2
	sortSaves = 0.9
)

// slotPanel is the SELL slices of a range of rows.
type slotPanel struct {
	stream      []uint32
	slices      []uint32 // where they begin
	segments    []int    // words of the stream where the number of a segment goes
	long        []cutRow // rows that are cut into segments
	onDiagonals int      // slots of diagonals
	tally       packed.Tally
}

type cutRow struct{ row, segments uint32 }

// slotWriter converts one panel after another.
type slotWriter struct {
	*slotConverter
	packed.Packer // of ints or of blocks
	ints          packed.Integers
	blocks        packed.Items
	order         []int32 // rows in the order of their lengths, or nil
	lo            int     // first row of the panel

	out  *slotPanel
	runs []uint32 // of the slice: bases and kinds,
	body []uint32 // columns and values
}

// sliceShape is a slice: rows from a place in the order on, of 2^shift lanes each.
type sliceShape struct {
	at, rows int
	shift    uint
}

func (c *slotConverter) newWriter() *slotWriter {
	return &slotWriter{slotConverter: c, Packer: packed.Packer{
		Lanes: warp, FullDiagonal: fullDiagonal, Reach: slotReach * c.block, MostSlots: math.MaxInt32,
	}}
}

// panel converts rows lo to hi-1.
func (w *slotWriter) panel(lo, hi int) *slotPanel {
	w.lo, w.out = lo, &slotPanel{}
	w.q.Rows(lo, hi, &w.ints)
	w.Items, w.Tiny = &w.ints.Items, w.ints.Tiny
	if w.block > 1 {
		w.blocks.SetBlocks(nil, &w.ints.Items, w.block, packed.Everything)
		w.Items = &w.blocks
	}
	w.out.tally.NNZ = w.ints.NNZ
	w.sort()
	for at := 0; at < w.Rows; {
		if i := w.row(at); w.Length(i) > segmentItems {
			w.cut(i)
			at++
			continue
		}
		s, _ := w.shape(at)
		w.slice(s)
		at += s.rows
	}
	return w.out
}

// row returns the row at a position in the order.
func (w *slotWriter) row(at int) int {
	if w.order == nil {
		return at
	}
	return int(w.order[at])
}

// sort puts the rows in the order of falling lengths if that saves many lanes.
func (w *slotWriter) sort() {
	w.order = nil
	natural, items := w.lanes()
	if float64(natural) <= sortRows*float64(items) {
		return
	}
	w.order = packed.LongestFirst[int32](w.Items, nil)
	if sorted, _ := w.lanes(); float64(sorted) >= sortSaves*float64(natural) {
		w.order = nil
	}
}

// lanes is the number of lanes of all slots, and of items, in this order of the rows.
func (w *slotWriter) lanes() (lanes, items int) {
	for at := 0; at < w.Rows; {
		if n := w.Length(w.row(at)); n > segmentItems {
			lanes, items = lanes+n, items+n
			at++
			continue
		}
		s, longest := w.shape(at)
		lanes += warp * longest
		for k := range s.rows {
			items += w.Length(w.row(at + k))
		}
		at += s.rows
	}
	return lanes, items
}

// shape picks the slice that begins at a place, and returns the number of its slots: that
// with the fewest lanes for an item, among those that leave no lane too much to do.
func (w *slotWriter) shape(at int) (best sliceShape, slots int) {
	var longest, items [warp + 1]int // of the first rows
	n := 0
	for ; n < min(warp, w.Rows-at); n++ {
		l := w.Length(w.row(at + n))
		if l > segmentItems {
			break
		}
		longest[n+1], items[n+1] = max(longest[n], l), items[n]+l
	}
	least := math.Inf(1)
	for shift := uint(0); shift <= 5; shift++ {
		rows := min(warp>>shift, n)
		k := (longest[rows] + 1<<shift - 1) >> shift
		if k*w.block > laneSlots && shift < 5 {
			continue
		}
		if cost := float64(warp*k+sliceLanes) / float64(max(items[rows], 1)); cost < least {
			best, slots, least = sliceShape{at, rows, shift}, k, cost
		}
	}
	return best, slots
}

// slice writes a slice of rows.
func (w *slotWriter) slice(s sliceShape) {
	rows := make([]int, s.rows)
	w.clear()
	for k := range rows {
		i := w.row(s.at + k)
		rows[k] = i
		w.Deal(w.First[i], w.First[i+1], k<<s.shift, 1<<s.shift)
		w.DealTiny(i, k<<s.shift, 1<<s.shift)
	}
	first := rows[0]
	if w.order == nil && s.shift == 0 && w.diagonals && w.block == 1 && w.Diagonals(w.lo+first, s.rows, w.m.Cols) {
		w.SortByWidth()
		w.out.onDiagonals += len(w.Widths)
		w.group(onDiagonal)
	}
	w.rest()
	how := uint32(s.shift) | uint32(s.rows)<<3
	if w.order == nil {
		w.end(w.lo/w.block+first, how, nil)
		return
	}
	w.end(w.lo/w.block, how|isOrdered, rows)
}

// cut writes the segments of row i.
func (w *slotWriter) cut(i int) {
	end := w.First[i+1]
	n := uint32(0)
	for at := w.First[i]; at < end; n++ {
		to := min(end-at, segmentItems) + at
		w.clear()
		w.Deal(at, to, 0, warp)
		if to == end {
			w.DealTiny(i, 0, warp)
		}
		w.rest()
		w.out.segments = append(w.out.segments, len(w.out.stream))
		w.end(0, 5|1<<3|isSegment, nil)
		at = to
	}
	w.out.long = append(w.out.long, cutRow{uint32(w.lo/w.block + i), n})
}

// clear begins a slice.
func (w *slotWriter) clear() {
	w.Clear()
	w.runs, w.body = w.runs[:0], w.body[:0]
}

// rest writes slots with columns, and of tiny elements, of what is left in the lanes.
func (w *slotWriter) rest() {
	for w.Columns() {
		w.group(onColumns)
	}
	for w.floats() {
	}
}

// group writes the slots that were made last, the widest of which is the first, as runs of
// one width. A run takes slots that are less wide if their bits cost less than a run.
func (w *slotWriter) group(kind uint32) {
	for first := 0; first < len(w.Widths); {
		width := int(w.Widths[first])
		n := first
		for n < len(w.Widths) {
			same := n
			for same < len(w.Widths) && w.Widths[same] == w.Widths[n] {
				same++
			}
			if (width-int(w.Widths[n]))*(same-n)*w.block*w.block > runBits {
				break
			}
			n = same
		}
		w.run(kind, width, first, n)
		first = n
	}
}

// begin starts a run of n slots.
func (w *slotWriter) begin(kind uint32, base int32, width, n int) {
	w.runs = append(w.runs, uint32(base), uint32(width)|kind<<6|uint32(n)<<8)
}

// run writes the slots from, ..., to-1 of a group.
func (w *slotWriter) run(kind uint32, width, from, to int) {
	start := len(w.body)
	w.begin(kind, w.Base, width, to-from)
	for k := from; k < to; k++ {
		if kind == onDiagonal {
			w.body = append(w.body, uint32(w.Offsets[k]))
			continue
		}
		var col [warp]uint16
		for l, e := range w.Slot(k) {
			if e != packed.NoItem {
				col[l] = uint16(int(w.Col[e]-w.Base) / w.block)
			}
		}
		w.columns(&col)
	}
	size := w.block * w.block
	for k := from; k < to; k++ {
		for part := range size {
			var m [warp]int64
			for l, e := range w.Slot(k) {
				if e != packed.NoItem {
					first, stride := w.Place(e)
					m[l] = w.M[int(first)+part%w.block*int(stride)+part/w.block]
				}
			}
			w.body = packLanes(w.body, &m, width)
		}
		for _, e := range w.Slot(k) {
			if e != packed.NoItem {
				w.out.tally.Elements[width] += w.Filled(e)
			}
		}
	}
	w.out.tally.Bytes[width] += 4 * int64(len(w.body)-start)
}

func (w *slotWriter) columns(col *[warp]uint16) {
	for l := 0; l < warp; l += 2 {
		w.body = append(w.body, uint32(col[l])|uint32(col[l+1])<<16)
	}
}

// packLanes appends the integers of 32 lanes, of `width` bits each, in as many words.
func packLanes(to []uint32, m *[warp]int64, width int) []uint32 {
	var words [packed.MaxWidth + 2]uint32
	for l, v := range m {
		u := uint64(v + 1<<(width-1))
		at, shift := l*width/32, l*width%32
		low := u << shift
		words[at] |= uint32(low)
		words[at+1] |= uint32(low >> 32)
		words[at+2] |= uint32(u >> 32 >> (32 - shift)) // 0 if it has no more than 64-shift bits
	}
	return append(to, words[:width]...)
}

// floats writes a slot of tiny elements, and reports whether there was one.
func (w *slotWriter) floats() bool {
	b := int32(w.block)
	var col [warp]uint16
	var values [warp * packed.MaxBlock * packed.MaxBlock]uint32
	base, ok := w.Floats(func(l int, base int32, e packed.Tiny) {
		col[l] = uint16((e.Col - base) / b)
		values[warp*(e.Col%b*b+e.Row%b)+int32(l)] = math.Float32bits(e.Value)
		w.out.tally.Floats++
	})
	if !ok {
		return false
	}
	w.begin(asFloat, base, warp, 1)
	w.columns(&col)
	w.body = append(w.body, values[:warp*b*b]...)
	w.out.tally.FloatBytes += 4 * int64(16+warp*b*b)
	return true
}

// end writes the slice.
func (w *slotWriter) end(first int, how uint32, order []int) {
	p := w.out
	p.slices = append(p.slices, uint32(len(p.stream)))
	p.stream = append(p.stream, uint32(first), how|uint32(len(w.runs)/2)<<11)
	p.stream = append(p.stream, w.runs...)
	for k, i := range order {
		if k&1 == 0 {
			p.stream = append(p.stream, uint32(i))
		} else {
			p.stream[len(p.stream)-1] |= uint32(i) << 16
		}
	}
	p.stream = append(p.stream, w.body...)
	if len(p.stream)%2 > 0 { // pairs of words are loaded together
		p.stream = append(p.stream, 0)
	}
}
