package precond

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

const (
	chunkRows = kernels.ChunkRows
	window    = kernels.ChunkWindow

	leastRun    = 8 // elements of a run: it takes 36 bytes, an element that is gathered 4 and the time of 8
	nearReach   = 1 << 16
	leastNear   = 6    // elements of a near slot, where the columns of a chunk are far from each other
	leastWindow = 4    // elements of a window, which takes 52 bytes
	patience    = 16   // slots that are no runs, or no windows, after which a chunk gets no more of them
	hopeless    = 8    // chunks without runs, one after the other, after which a panel gets no more of them
	shortRow    = 32   // elements of a row that is never stored apart
	mostSlots   = 4096 // elements of a row in a chunk
)

// none is a column behind all others.
const none = math.MaxInt32

// A chunkPacker makes slots of the elements of ChunkRows rows at a time, its lanes. What it makes depends on the columns alone.
type chunkPacker struct {
	kernels.Chunks          // without values
	places         []uint32 // of each value among the elements of the panel, from 1; 0: a zero
	width          int      // elements of x that may be loaded
	runless        int      // chunks without runs so far

	// What is left of the lanes, by ascending columns: lane l is the elements from start[l] to
	// end[l]-1, behind which there is one with the column none.
	col        []int32
	element    []uint32 // of the panel, from 1
	start, end [chunkRows]int
}

// elements are a part of a row.
type elements struct {
	col     []int32
	element []uint32
}

// load puts the elements of a row, of which the first is that element of the panel, into lane l; the lanes before it are loaded already.
func (p *chunkPacker) load(l int, col []int32, first uint32) {
	p.begin(l)
	p.col = append(p.col, col...)
	for k := range col {
		p.element = append(p.element, first+uint32(k))
	}
	p.close(l)
	if !slices.IsSorted(col) {
		p.sort(l)
	}
}

// begin begins lane l.
func (p *chunkPacker) begin(l int) {
	if l == 0 {
		p.col, p.element = p.col[:0], p.element[:0]
	}
	p.start[l] = len(p.col)
}

// close ends lane l.
func (p *chunkPacker) close(l int) {
	p.end[l] = len(p.col)
	p.col, p.element = append(p.col, none), append(p.element, 0)
}

// sort sorts lane l, which most rows need not.
func (p *chunkPacker) sort(l int) {
	col, element := p.col[p.start[l]:p.end[l]], p.element[p.start[l]:p.end[l]]
	for k, c := range col {
		e, at := element[k], k
		for ; at > 0 && col[at-1] > c; at-- {
			col[at], element[at] = col[at-1], element[at-1]
		}
		col[at], element[at] = c, e
	}
}

// cut cuts off elements of lane l, up to mostSlots for each lane of a chunk, and leaves most at
// least.
func (p *chunkPacker) cut(l, most int) elements {
	at := p.start[l] + max(most, p.end[l]-p.start[l]-chunkRows*mostSlots)
	e := elements{slices.Clone(p.col[at:p.end[l]]), slices.Clone(p.element[at:p.end[l]])}
	p.finish(l, at)
	return e
}

// finish makes lane l end at an element.
func (p *chunkPacker) finish(l, end int) {
	p.end[l], p.col[end], p.element[end] = end, none, 0
}

// mostElements returns how many elements of a row go to a chunk of the lanes: all, if that takes
// little more memory than the number that takes least, what is left going to chunks of one row.
func (p *chunkPacker) mostElements() int {
	var sorted [chunkRows]int
	total := 0
	for l := range sorted {
		sorted[l] = p.end[l] - p.start[l]
		total += sorted[l]
	}
	longest := slices.Max(sorted[:])
	if longest <= shortRow || chunkRows*longest <= 4*total && longest <= mostSlots {
		return longest
	}
	slices.Sort(sorted[:])
	best, least := 0, total+chunkRows*chunkRows
	above := total // elements beyond the first n of their rows
	for l, n := range sorted {
		if l == 0 {
			above -= chunkRows * n
		} else {
			above -= (chunkRows - l) * (n - sorted[l-1])
		}
		if cost := chunkRows*n + above + (chunkRows-1-l)*chunkRows; cost < least && n <= mostSlots {
			best, least = n, cost
		}
	}
	return best
}

// deal makes the elements of one row the lanes, one after the other.
func (p *chunkPacker) deal(row elements) {
	for l := range chunkRows {
		p.begin(l)
		for k := l; k < len(row.col); k += chunkRows {
			p.col, p.element = append(p.col, row.col[k]), append(p.element, row.element[k])
		}
		p.close(l)
	}
}

// take returns the slots so far in memory of just their size, and begins with others. Their places stay until then.
func (p *chunkPacker) take() kernels.Chunks {
	c := kernels.Chunks{Heads: slices.Clone(p.Heads), Base: slices.Clone(p.Base), Index: slices.Clone(p.Index)}
	p.Heads, p.Base, p.Index = p.Heads[:0], p.Base[:0], p.Index[:0]
	return c
}

// chunk appends a chunk of the lanes.
func (p *chunkPacker) chunk() {
	var h kernels.Chunk
	if h.Runs = p.sameRuns(); h.Runs == 0 {
		if p.runless <= hopeless {
			if h.Runs = p.runs(); h.Runs > 0 {
				p.runless = 0
			} else {
				p.runless++
			}
		}
		h.Windows = p.windows(window, leastWindow)
		if first, last := p.span(); last-first >= nearReach {
			h.Near = p.windows(nearReach, leastNear)
		}
		near, far := p.gathers()
		h.Near, h.Far = h.Near+near, far
	}
	p.Heads = append(p.Heads, h)
}
