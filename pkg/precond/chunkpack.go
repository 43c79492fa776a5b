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

// A chunkPacker makes slots of the elements of ChunkRows rows at a time, its lanes. The values are
// 16-bit integers or float32.
type chunkPacker[T int16 | float32] struct {
	kernels.Chunks
	values  []T
	width   int // elements of x that may be loaded
	runless int // chunks without runs so far

	// What is left of the lanes, by ascending columns: lane l is the elements from start[l] to
	// end[l]-1, behind which there is one with the column none.
	col        []int32
	val        []T
	start, end [chunkRows]int

	// Of a panel.
	scaled  []float64
	unit    []float64 // of each row
	rounded []T
}

// elements are a part of a row.
type elements[T int16 | float32] struct {
	col []int32
	val []T
}

// load puts the elements of a row into lane l; the lanes before it are loaded already.
func (p *chunkPacker[T]) load(l int, row elements[T]) {
	if l == 0 {
		p.col, p.val = p.col[:0], p.val[:0]
	}
	p.start[l] = len(p.col)
	p.col, p.val = append(p.col, row.col...), append(p.val, row.val...)
	p.end[l] = len(p.col)
	p.col, p.val = append(p.col, none), append(p.val, 0)
	if !slices.IsSorted(row.col) {
		p.sort(l)
	}
}

// sort sorts lane l, which most rows need not.
func (p *chunkPacker[T]) sort(l int) {
	col, val := p.col[p.start[l]:p.end[l]], p.val[p.start[l]:p.end[l]]
	for k, c := range col {
		v, at := val[k], k
		for ; at > 0 && col[at-1] > c; at-- {
			col[at], val[at] = col[at-1], val[at-1]
		}
		col[at], val[at] = c, v
	}
}

// cut cuts off elements of lane l, up to mostSlots for each lane of a chunk, and leaves most at
// least.
func (p *chunkPacker[T]) cut(l, most int) elements[T] {
	at := p.start[l] + max(most, p.end[l]-p.start[l]-chunkRows*mostSlots)
	e := elements[T]{slices.Clone(p.col[at:p.end[l]]), slices.Clone(p.val[at:p.end[l]])}
	p.finish(l, at)
	return e
}

// finish makes lane l end at an element.
func (p *chunkPacker[T]) finish(l, end int) {
	p.end[l], p.col[end], p.val[end] = end, none, 0
}

// mostElements returns how many elements of a row go to a chunk of the lanes: all, if that takes
// little more memory than the number that takes least, what is left going to chunks of one row.
func (p *chunkPacker[T]) mostElements() int {
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
func (p *chunkPacker[T]) deal(row elements[T]) {
	var dealt [chunkRows]elements[T]
	for k, c := range row.col {
		e := &dealt[k%chunkRows]
		e.col, e.val = append(e.col, c), append(e.val, row.val[k])
	}
	for l := range dealt {
		p.load(l, dealt[l])
	}
}

// take moves the chunks so far, whose rows have these units, to memory of just their size.
func (p *chunkPacker[T]) take(out *kernels.Chunks, units []float64, one bool) {
	out.Heads, out.Base, out.Index = slices.Clone(p.Heads), slices.Clone(p.Base), slices.Clone(p.Index)
	p.Heads, p.Base, p.Index = p.Heads[:0], p.Base[:0], p.Index[:0]
	switch v := any(p.values).(type) {
	case []int16:
		out.Ints = slices.Clone(v)
	case []float32:
		out.Floats = append([]float32{}, v...) // not nil
	}
	p.values = p.values[:0]
	if out.Unit = float32(units[0]); !one {
		out.Units = make([]float32, chunkRows*len(out.Heads))
		for i, u := range units {
			out.Units[i] = float32(u)
		}
	}
}

// pack appends a chunk of the lanes.
func (p *chunkPacker[T]) pack() {
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
