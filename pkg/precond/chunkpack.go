package precond

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

const (
	chunkRows = kernels.ChunkRows
	window    = kernels.ChunkWindow

	leastRun    = 8    // elements of a run: it takes 36 bytes, an element that is gathered 4 and the time of 8
	leastWindow = 4    // elements of a window, which takes 52 bytes
	patience    = 16   // slots that are no runs, or no windows, after which a chunk gets no more of them
	shortRow    = 32   // elements of a row that is never stored apart
	mostSlots   = 4096 // elements of a row in a chunk
)

// none is a column behind all others.
const none = math.MaxInt32

// A chunkPacker makes slots of the elements of ChunkRows rows at a time. The values are
// 16-bit integers or float32.
type chunkPacker[T int16 | float32] struct {
	kernels.Chunks
	values []T
	width  int // elements of x that may be loaded

	lane [chunkRows]lane[T]
	rest [chunkRows]lane[T] // what no run or no window takes
}

// lane is what is left of a row, by ascending columns.
type lane[T int16 | float32] struct {
	col []int32
	val []T
}

func (l *lane[T]) add(col int32, val T) {
	l.col, l.val = append(l.col, col), append(l.val, val)
}

func (l *lane[T]) len() int { return len(l.col) }

func (l *lane[T]) clear() { l.col, l.val = l.col[:0], l.val[:0] }

// split cuts off up to mostSlots elements for each lane of a chunk, and leaves most at least.
func (l *lane[T]) split(most int) (cut lane[T]) {
	at := max(most, l.len()-chunkRows*mostSlots)
	cut = lane[T]{slices.Clone(l.col[at:]), slices.Clone(l.val[at:])}
	l.col, l.val = l.col[:at], l.val[:at]
	return cut
}

// sort sorts a row that is not sorted yet, which most are.
func (l *lane[T]) sort() {
	if slices.IsSorted(l.col) {
		return
	}
	for k, c := range l.col {
		v, at := l.val[k], k
		for ; at > 0 && l.col[at-1] > c; at-- {
			l.col[at], l.val[at] = l.col[at-1], l.val[at-1]
		}
		l.col[at], l.val[at] = c, v
	}
}

// mostElements returns how many elements of a row go to a chunk of the lanes: all, if that takes
// little more memory than the number that takes least, what is left going to chunks of one row.
func (p *chunkPacker[T]) mostElements() int {
	var sorted [chunkRows]int
	total := 0
	for l := range p.lane {
		sorted[l] = p.lane[l].len()
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
func (p *chunkPacker[T]) deal(row *lane[T]) {
	for l := range p.lane {
		p.lane[l].clear()
	}
	for k, c := range row.col {
		p.lane[k%chunkRows].add(c, row.val[k])
	}
}

// take moves all but the values of the chunks so far to memory of just their size.
func (p *chunkPacker[T]) take(out *kernels.Chunks) *kernels.Chunks {
	out.Heads, out.Base, out.Index = slices.Clone(p.Heads), slices.Clone(p.Base), slices.Clone(p.Index)
	p.Heads, p.Base, p.Index = p.Heads[:0], p.Base[:0], p.Index[:0]
	return out
}

// pack appends a chunk of the lanes.
func (p *chunkPacker[T]) pack() {
	var h kernels.Chunk
	if h.Runs = p.sameRuns(); h.Runs == 0 {
		h.Runs = p.runs()
		h.Windows = p.windows()
		h.Near, h.Far = p.gathers()
	}
	p.Heads = append(p.Heads, h)
}

// slot appends a slot of zeros and returns its values.
func (p *chunkPacker[T]) slot() *[chunkRows]T {
	n := len(p.values)
	p.values = append(p.values, make([]T, chunkRows)...)
	return (*[chunkRows]T)(p.values[n:])
}

// sameRuns makes runs of all elements if all rows have the same diagonals, and none otherwise.
func (p *chunkPacker[T]) sameRuns() uint16 {
	first := p.lane[0].col
	if len(first) == 0 || int(first[len(first)-1])+chunkRows > p.width {
		return 0
	}
	for l := 1; l < chunkRows; l++ {
		if len(p.lane[l].col) != len(first) {
			return 0
		}
	}
	for l := 1; l < chunkRows; l++ {
		other := p.lane[l].col[:len(first)]
		for k, c := range first {
			if other[k] != c+int32(l) {
				return 0
			}
		}
	}
	p.Base = append(p.Base, first...)
	for k := range first {
		s := p.slot()
		for l := range s {
			s[l] = p.lane[l].val[k]
		}
	}
	return uint16(len(first))
}

// cursor is the next element of each lane.
type cursor struct {
	at   [chunkRows]int
	next [chunkRows]int32 // its column, none at the end
}

// runs makes slots of the diagonals that many rows have.
func (p *chunkPacker[T]) runs() (count uint16) {
	var c cursor
	for l := range c.next {
		c.next[l] = p.diagonal(l, 0)
	}
	for failures := 0; ; {
		offset, have := c.least()
		if offset == none {
			break
		}
		if failures > patience {
			offset, have = none, 0
		}
		var s *[chunkRows]T
		if have >= leastRun && offset >= 0 && int(offset)+chunkRows <= p.width {
			s = p.slot()
			p.Base = append(p.Base, offset)
			count++
			failures = 0
		} else {
			failures++
		}
		for l, o := range c.next {
			switch {
			case offset == none:
				p.rest[l].col = append(p.rest[l].col, p.lane[l].col[c.at[l]:]...)
				p.rest[l].val = append(p.rest[l].val, p.lane[l].val[c.at[l]:]...)
				continue
			case o != offset:
				continue
			case s != nil:
				s[l] = p.lane[l].val[c.at[l]]
			default:
				p.rest[l].add(p.lane[l].col[c.at[l]], p.lane[l].val[c.at[l]])
			}
			c.at[l]++
			c.next[l] = p.diagonal(l, c.at[l])
		}
		if offset == none {
			break
		}
	}
	p.keepRest()
	return count
}

// diagonal returns the column of element k of lane l relative to the lane.
func (p *chunkPacker[T]) diagonal(l, k int) int32 {
	if k == len(p.lane[l].col) {
		return none
	}
	return p.lane[l].col[k] - int32(l)
}

// least returns the least of the columns and how many lanes have it.
func (c *cursor) least() (col int32, have int) {
	col = none
	for _, o := range c.next {
		col = min(col, o)
	}
	for _, o := range c.next {
		if o == col {
			have++
		}
	}
	return col, have
}

// keepRest makes what was left the lanes.
func (p *chunkPacker[T]) keepRest() {
	p.lane, p.rest = p.rest, p.lane
	for l := range p.rest {
		p.rest[l].col, p.rest[l].val = p.rest[l].col[:0], p.rest[l].val[:0]
	}
}

// windows makes slots of elements whose columns are near each other.
func (p *chunkPacker[T]) windows() (count uint16) {
	var c cursor
	for l := range c.next {
		c.next[l] = p.column(l, 0)
	}
	for failures := 0; failures <= patience; {
		first, _ := c.least()
		if first == none {
			break
		}
		base := min(first, int32(p.width-window))
		have := 0
		for _, o := range c.next {
			if o-base < window {
				have++
			}
		}
		if have < leastWindow {
			failures++
			for l, o := range c.next {
				if o == first {
					p.rest[l].add(o, p.lane[l].val[c.at[l]])
					c.at[l]++
					c.next[l] = p.column(l, c.at[l])
				}
			}
			continue
		}
		failures = 0
		count++
		s := p.slot()
		p.Base = append(p.Base, base)
		n := len(p.Index)
		p.Index = append(p.Index, make([]byte, chunkRows)...)
		for l, o := range c.next {
			if o-base < window {
				s[l], p.Index[n+l] = p.lane[l].val[c.at[l]], byte(o-base)
				c.at[l]++
				c.next[l] = p.column(l, c.at[l])
			}
		}
	}
	for l, at := range c.at {
		p.rest[l].col = append(p.rest[l].col, p.lane[l].col[at:]...)
		p.rest[l].val = append(p.rest[l].val, p.lane[l].val[at:]...)
	}
	p.keepRest()
	return count
}

// column returns the column of element k of lane l.
func (p *chunkPacker[T]) column(l, k int) int32 {
	if k == len(p.lane[l].col) {
		return none
	}
	return p.lane[l].col[k]
}

// gathers makes slots of what is left: near ones if the columns of all lie within 2^16.
func (p *chunkPacker[T]) gathers() (near, far uint16) {
	first, last, slots := int32(none), int32(0), 0
	for l := range p.lane {
		if n := len(p.lane[l].col); n > 0 {
			first, last, slots = min(first, p.lane[l].col[0]), max(last, p.lane[l].col[n-1]), max(slots, n)
		}
	}
	if slots == 0 {
		return 0, 0
	}
	isNear := last-first < 1<<16
	for k := range slots {
		s := p.slot()
		if isNear {
			p.Base = append(p.Base, first)
		}
		for l := range s {
			c := first
			if k < len(p.lane[l].col) {
				c, s[l] = p.lane[l].col[k], p.lane[l].val[k]
			}
			if isNear {
				p.Index = binary.LittleEndian.AppendUint16(p.Index, uint16(c-first))
			} else {
				p.Index = binary.LittleEndian.AppendUint32(p.Index, uint32(c))
			}
		}
	}
	if isNear {
		return uint16(slots), 0
	}
	return 0, uint16(slots)
}
