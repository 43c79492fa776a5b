package gpu

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
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
	// chunkLanes is what a chunk costs besides its slots, in lanes.
	chunkLanes = 64
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

// slotPanel is the chunks of a range of rows.
type slotPanel struct {
	stream      []uint32
	chunks      []uint32 // where they begin
	segments    []int    // words of the stream where the number of a segment goes
	long        []cutRow // rows that are cut into segments
	onDiagonals int      // slots of diagonals
	tally       adaptive.Tally
}

type cutRow struct{ row, segments uint32 }

// slotWriter converts one panel after another.
type slotWriter struct {
	*slotConverter
	ints  adaptive.Integers
	order []int32 // rows in the order of their lengths, or nil
	lo    int     // first row of the panel
	rows  int     // rows, or block rows

	out     *slotPanel
	rest    [warp][]int32 // items of each lane that are not in slots yet
	runs    []uint32      // of the chunk: bases and kinds,
	body    []uint32      // columns and values
	pending []slot        // of a group
	tinies  [warp][]adaptive.Tiny
}

// slot is an item, or -1, for each lane.
type slot struct {
	item   [warp]int32
	width  int
	offset int32 // of a diagonal
}

// chunkShape is a chunk: rows from a place in the order on, of 2^shift lanes each.
type chunkShape struct {
	at, rows int
	shift    uint
}

// panel converts rows lo to hi-1.
func (w *slotWriter) panel(c *slotConverter, lo, hi int) *slotPanel {
	w.slotConverter, w.lo = c, lo
	w.out = &slotPanel{}
	c.q.Rows(lo, hi, c.block, &w.ints)
	w.rows = len(w.ints.First) - 1
	w.out.tally.Rows(w.ints.NNZ)
	w.sort()
	for at := 0; at < w.rows; {
		if i := w.row(at); w.length(i) > segmentItems {
			w.cut(i)
			at++
			continue
		}
		s, _ := w.shape(at)
		w.chunk(s)
		at += s.rows
	}
	return w.out
}

func (w *slotWriter) length(i int) int { return int(w.ints.First[i+1] - w.ints.First[i]) }

// row is the row at a place in the order.
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
	w.order = make([]int32, w.rows)
	for i := range w.order {
		w.order[i] = int32(i)
	}
	slices.SortStableFunc(w.order, func(i, j int32) int { return w.length(int(j)) - w.length(int(i)) })
	if sorted, _ := w.lanes(); float64(sorted) >= sortSaves*float64(natural) {
		w.order = nil
	}
}

// lanes is the number of lanes of all slots, and of items, in this order of the rows.
func (w *slotWriter) lanes() (lanes, items int) {
	for at := 0; at < w.rows; {
		if n := w.length(w.row(at)); n > segmentItems {
			lanes, items = lanes+n, items+n
			at++
			continue
		}
		s, longest := w.shape(at)
		lanes += warp * longest
		for k := range s.rows {
			items += w.length(w.row(at + k))
		}
		at += s.rows
	}
	return lanes, items
}

// shape picks the chunk that begins at a place, and returns the number of its slots: that
// with the fewest lanes for an item, among those that leave no lane too much to do.
func (w *slotWriter) shape(at int) (best chunkShape, slots int) {
	var longest, items [warp + 1]int // of the first rows
	n := 0
	for ; n < min(warp, w.rows-at); n++ {
		l := w.length(w.row(at + n))
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
		if cost := float64(warp*k+chunkLanes) / float64(max(items[rows], 1)); cost < least {
			best, slots, least = chunkShape{at, rows, shift}, k, cost
		}
	}
	return best, slots
}

// chunk writes a chunk of rows.
func (w *slotWriter) chunk(s chunkShape) {
	rows := make([]int, s.rows)
	for k := range rows {
		rows[k] = w.row(s.at + k)
	}
	w.clear()
	for k, i := range rows {
		w.deal(w.ints.First[i], w.ints.First[i+1], k<<s.shift, 1<<s.shift)
		w.dealTiny(i, k<<s.shift, 1<<s.shift)
	}
	first := rows[0]
	if w.order == nil && s.shift == 0 && w.diagonals && w.block == 1 {
		w.takeDiagonals(w.lo+first, s.rows)
	}
	w.gather()
	w.floats()
	how := uint32(s.shift) | uint32(s.rows)<<3
	if w.order == nil {
		w.end(w.lo/w.block+first, how, nil)
		return
	}
	w.end(w.lo/w.block, how|isOrdered, rows)
}

// cut writes the segments of row i.
func (w *slotWriter) cut(i int) {
	end := w.ints.First[i+1]
	n := uint32(0)
	for at := w.ints.First[i]; at < end; n++ {
		to := min(end-at, segmentItems) + at
		w.clear()
		w.deal(at, to, 0, warp)
		if to == end {
			w.dealTiny(i, 0, warp)
		}
		w.gather()
		w.floats()
		w.out.segments = append(w.out.segments, len(w.out.stream))
		w.end(0, 5|1<<3|isSegment, nil)
		at = to
	}
	w.out.long = append(w.out.long, cutRow{uint32(w.lo/w.block + i), n})
}

func (w *slotWriter) clear() {
	w.runs, w.body = w.runs[:0], w.body[:0]
	for l := range w.rest {
		w.rest[l], w.tinies[l] = w.rest[l][:0], w.tinies[l][:0]
	}
}

// deal gives items from..to-1 to lanes in turn.
func (w *slotWriter) deal(from, to int32, lane, lanes int) {
	for e := from; e < to; e++ {
		l := lane + int(e-from)%lanes
		w.rest[l] = append(w.rest[l], e)
	}
}

// dealTiny does so with the tiny elements of row i.
func (w *slotWriter) dealTiny(i, lane, lanes int) {
	if len(w.ints.Tiny) == 0 {
		return
	}
	for k, e := range w.ints.TinyOf(i*w.block, (i+1)*w.block) {
		l := lane + k%lanes
		w.tinies[l] = append(w.tinies[l], e)
	}
}

// end writes the chunk.
func (w *slotWriter) end(first int, how uint32, order []int) {
	p := w.out
	p.chunks = append(p.chunks, uint32(len(p.stream)))
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
}
