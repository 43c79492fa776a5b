package gpu

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
)

// takeDiagonals makes slots of the diagonals that most of n rows from `row` on have; the
// rest stays.
func (w *slotWriter) takeDiagonals(row, n int) {
	w.pending = w.pending[:0]
	var at, kept [warp]int
	for {
		offset := math.MaxInt
		var next [warp]int
		for l, run := range w.rest[:n] {
			next[l] = math.MaxInt
			if at[l] < len(run) {
				next[l] = int(w.ints.Col[run[at[l]]]) - row - l
				offset = min(offset, next[l])
			}
		}
		if offset == math.MaxInt {
			break
		}
		s := slot{offset: int32(offset)}
		have := 0
		for l := range s.item {
			s.item[l] = -1
			if l < n && next[l] == offset {
				s.item[l] = w.rest[l][at[l]]
				at[l]++
				have++
			}
		}
		if have >= fullDiagonal && row+offset >= 0 && row+offset+n <= w.m.Cols {
			w.push(s)
			continue
		}
		for l, e := range s.item {
			if e >= 0 {
				w.rest[l][kept[l]] = e
				kept[l]++
			}
		}
	}
	for l := range n {
		w.rest[l] = w.rest[l][:kept[l]]
	}
	slices.SortStableFunc(w.pending, func(a, b slot) int { return b.width - a.width })
	w.out.onDiagonals += len(w.pending)
	w.group(onDiagonal, 0)
}

// push appends a slot to the group, as wide as its widest item.
func (w *slotWriter) push(s slot) {
	s.width = 1
	for _, e := range s.item {
		if e >= 0 {
			s.width = max(s.width, int(w.ints.Width[e]))
		}
	}
	w.pending = append(w.pending, s)
}

// gather makes slots with columns of the rest: for as long as there are items, a group of
// those within reach of the first column.
func (w *slotWriter) gather() {
	for {
		base := int32(math.MaxInt32)
		for _, run := range w.rest {
			if len(run) > 0 {
				base = min(base, w.ints.Col[run[0]])
			}
		}
		if base == math.MaxInt32 {
			return
		}
		var lanes [warp][]int32
		longest := 0
		for l, run := range w.rest {
			n, _ := slices.BinarySearchFunc(run, int64(base)+int64(slotReach*w.block), func(e int32, end int64) int {
				return int(int64(w.ints.Col[e]) - end)
			})
			lanes[l], w.rest[l] = run[:n], run[n:]
			longest = max(longest, n)
			slices.SortStableFunc(lanes[l], func(a, b int32) int { return int(w.ints.Width[b]) - int(w.ints.Width[a]) })
		}
		w.pending = w.pending[:0]
		for k := range longest {
			var s slot
			for l, run := range lanes {
				s.item[l] = -1
				if k < len(run) {
					s.item[l] = run[k]
				}
			}
			w.push(s)
		}
		w.group(onColumns, base)
	}
}

// group writes the slots that are pending, the widest of which is the first, as runs of
// one width. A run takes slots that are less wide if their bits cost less than a run.
func (w *slotWriter) group(kind, base int32) {
	for len(w.pending) > 0 {
		width := w.pending[0].width
		n := 0
		for n < len(w.pending) {
			same := n
			for same < len(w.pending) && w.pending[same].width == w.pending[n].width {
				same++
			}
			if (width-w.pending[n].width)*(same-n)*w.block*w.block > runBits {
				break
			}
			n = same
		}
		w.run(kind, base, width, w.pending[:n])
		w.pending = w.pending[n:]
	}
}

// begin starts a run of n slots.
func (w *slotWriter) begin(kind, base int32, width, n int) {
	w.runs = append(w.runs, uint32(base), uint32(width)|uint32(kind)<<6|uint32(n)<<8)
}

// run writes a run of slots.
func (w *slotWriter) run(kind, base int32, width int, slots []slot) {
	start := len(w.body)
	w.begin(kind, base, width, len(slots))
	elements := 0
	for _, s := range slots {
		if kind == onDiagonal {
			w.body = append(w.body, uint32(s.offset))
			continue
		}
		var col [warp]uint16
		for l, e := range s.item {
			if e >= 0 {
				col[l] = uint16(int(w.ints.Col[e]-base) / w.block)
			}
		}
		w.columns(&col)
	}
	size := int32(w.block * w.block)
	for _, s := range slots {
		for _, e := range s.item {
			if e >= 0 {
				elements += w.ints.Filled(e)
			}
		}
		for k := range size {
			var m [warp]int64
			for l, e := range s.item {
				if e >= 0 {
					m[l] = w.ints.M[int(e)*int(size)+int(k)]
				}
			}
			w.body = packLanes(w.body, &m, width)
		}
	}
	w.out.tally.Slots(width, elements, 4*int64(len(w.body)-start))
}

func (w *slotWriter) columns(col *[warp]uint16) {
	for l := 0; l < warp; l += 2 {
		w.body = append(w.body, uint32(col[l])|uint32(col[l+1])<<16)
	}
}

// packLanes appends the integers of 32 lanes, of `width` bits each, in as many words.
func packLanes(to []uint32, m *[warp]int64, width int) []uint32 {
	var words [adaptive.MaxWidth + 2]uint32
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

// floats makes slots of the tiny elements.
func (w *slotWriter) floats() {
	b := int32(w.block)
	for {
		base := int32(math.MaxInt32)
		for _, e := range w.tinies {
			if len(e) > 0 {
				base = min(base, e[0].Col/b*b)
			}
		}
		if base == math.MaxInt32 {
			return
		}
		var col [warp]uint16
		values := make([]uint32, warp*w.block*w.block)
		elements := 0
		for l, e := range w.tinies {
			if len(e) == 0 || int(e[0].Col-base)/w.block >= slotReach {
				continue
			}
			i, j := e[0].Row%b, e[0].Col%b
			col[l] = uint16((e[0].Col - base) / b)
			values[warp*(i*b+j)+int32(l)] = math.Float32bits(e[0].Value)
			w.tinies[l] = e[1:]
			elements++
		}
		w.begin(asFloat, base, warp, 1)
		w.columns(&col)
		w.body = append(w.body, values...)
		w.out.tally.Floats(elements, 4*int64(16+len(values)))
	}
}
