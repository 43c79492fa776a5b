package adaptive

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

const (
	lanes    = kernels.Lanes
	maxBlock = kernels.MaxBlock
	// reach is the range of 16-bit columns.
	reach = 1 << 16
	// fullDiagonal is the number of lanes, of eight, from which on a slot of a
	// diagonal takes less than a slot with columns.
	fullDiagonal = 5
	// sortRows is the padding, lanes for an element, above which a panel's rows are
	// taken in the order of their lengths.
	sortRows = 1.25
	// rowSlots is what a chunk costs besides its slots, in slots.
	rowSlots = 3
)

// slotBuilder makes the slots of one panel after another.
type slotBuilder struct {
	slotPlan
	kernels.SlotPanel
	tally
	ints     integers
	bloc     items // the integers as blocks, or those of a tile
	*items         // what slots are made of: ints or bloc
	tinyHere []tiny
	rest     [lanes][]int32    // items of a chunk that are not in slots yet
	sort     [lanes][]int32    // those of a group, wide ones first
	chunk    kernels.SlotGroup // the last group, until the chunk ends
}

// slotted builds the matrix in slots.
func (b *builder) slotted(c choice) *Matrix {
	b.panels = chunkPanels(b.m, c.plan.block)
	if c.plan.tiles {
		b.panels = tileUnits(b.m)
	}
	s := &slotMatrix{plan: c.plan, panels: make([][]slotPanel, len(b.panels)-1), perQExp: b.part.perQExp}
	s.units, s.normal = newUnits(b.part.tol, -b.part.perQExp)
	var mu sync.Mutex
	scratch := sync.Pool{New: func() any { return new(slotBuilder) }}
	b.pool.RunRanges(b.panels, func(unit, lo, hi int) {
		p := scratch.Get().(*slotBuilder)
		defer scratch.Put(p)
		p.slotPlan = c.plan
		if c.plan.tiles {
			s.panels[unit] = p.tiles(b, lo, hi)
		} else {
			s.panels[unit] = []slotPanel{{p.panel(b, lo, hi), lo, hi}}
		}
		mu.Lock()
		defer mu.Unlock()
		s.tally.add(&p.tally)
	})
	if c.plan.symmetric {
		s.mirror = b.newSymmetricParts(s.panels, c.plan.block)
	}
	a := newMatrix(b, c)
	a.slots = s
	a.stats = slotStats(b, s)
	return a
}

// panel makes the slots of rows lo to hi-1.
func (s *slotBuilder) panel(b *builder, lo, hi int) kernels.SlotPanel {
	s.ints.quantize(b, lo, hi)
	s.items, s.tinyHere = &s.ints.items, s.ints.tiny
	if s.slotPlan.block > 1 {
		s.bloc.blocks(&s.ints.items, s.slotPlan.block)
		s.items = &s.bloc
	}
	if s.slotPlan.symmetric {
		s.buildLower()
	} else {
		s.build()
	}
	s.nonzeros = s.ints.nonzeros
	return s.clone()
}

// clone returns the panel in memory of just its size.
func (s *slotBuilder) clone() kernels.SlotPanel {
	p := s.SlotPanel
	p.Groups, p.Widths, p.Index = slices.Clone(p.Groups), slices.Clone(p.Widths), slices.Clone(p.Index)
	p.Offsets, p.Values, p.Order = slices.Clone(p.Offsets), slices.Clone(p.Values), slices.Clone(p.Order)
	return p
}

// build makes the slots of the items.
func (s *slotBuilder) build() {
	s.Groups, s.Widths, s.Index, s.Offsets, s.Values = s.Groups[:0], s.Widths[:0], s.Index[:0], s.Offsets[:0], s.Values[:0]
	s.Block = s.items.block
	s.tally = tally{}
	s.order()
	for at := 0; at < s.rows; {
		n := min(lanes, s.rows-at)
		if s.items.block == 1 && s.uneven(at, n) {
			s.oneRow(s.row(at))
			at++
			continue
		}
		s.eightRows(at, n)
		at += n
	}
	s.Values = append(s.Values, make([]byte, kernels.SlotPadding)...)
}

// row is the row at a place in the order.
func (s *slotBuilder) row(at int) int {
	if s.Order == nil {
		return at
	}
	return int(s.Order[at])
}

// order puts the rows in the order of their lengths if that saves many lanes.
func (s *slotBuilder) order() {
	s.Order = nil
	if s.slotPlan.tiles {
		s.longestFirst()
		return
	}
	padded, total := 0, 0
	for at := 0; at < s.rows; at += lanes {
		longest := 0
		for i := at; i < min(at+lanes, s.rows); i++ {
			longest = max(longest, s.length(i))
			total += s.length(i)
		}
		padded += lanes * longest
	}
	if float64(padded) <= sortRows*float64(total) || s.rows > math.MaxUint16+1 {
		return
	}
	s.longestFirst()
}

// uneven tells whether n rows take less one by one than together.
func (s *slotBuilder) uneven(at, n int) bool {
	together, alone := 0, 0
	for k := range n {
		length := s.length(s.row(at + k))
		together = max(together, length)
		alone += rowSlots + (length+lanes-1)/lanes
	}
	return together > alone
}

// oneRow makes a chunk of row i alone: element k is in lane k mod 8.
func (s *slotBuilder) oneRow(i int) {
	for l := range s.rest {
		s.rest[l] = s.rest[l][:0]
	}
	lo := s.first[i]
	for k := range int32(s.length(i)) {
		s.rest[k%lanes] = append(s.rest[k%lanes], lo+k)
	}
	s.begin()
	if s.slotPlan.symmetric {
		s.own(kernels.OneRow, []int{i})
	}
	s.columns(kernels.OneRow)
	s.floats(kernels.OneRow, []int{i})
	s.end(kernels.OneRow)
}

// eightRows makes a chunk of n <= 8 rows.
func (s *slotBuilder) eightRows(at, n int) {
	var rows [lanes]int
	for l := range s.rest {
		s.rest[l] = s.rest[l][:0]
		if l >= n {
			continue
		}
		rows[l] = s.row(at + l)
		for k := s.first[rows[l]]; k < s.first[rows[l]+1]; k++ {
			s.rest[l] = append(s.rest[l], k)
		}
	}
	s.begin()
	if s.slotPlan.diagonals && s.Order == nil && n == lanes {
		s.diagonals(rows[0])
	}
	if s.slotPlan.symmetric {
		s.own(0, rows[:n])
	}
	s.columns(0)
	s.floats(0, rows[:n])
	s.end(0)
}

// begin starts a chunk, of which begin, group and end make groups: a group is
// appended when it is known whether it is the last.
func (s *slotBuilder) begin() { s.chunk = kernels.SlotGroup{} }

func (s *slotBuilder) group(base, slots int, flags uint16) {
	if s.chunk.Slots > 0 {
		s.Groups = append(s.Groups, s.chunk)
	}
	s.chunk = kernels.SlotGroup{Base: uint32(base), Slots: uint16(slots), Flags: flags}
}

func (s *slotBuilder) end(flags uint16) {
	s.chunk.Flags |= flags | kernels.Last
	s.Groups = append(s.Groups, s.chunk)
}

// columns makes slots with columns of the rest: for as long as there are
// elements, a group of those within reach of the first column.
func (s *slotBuilder) columns(flags uint16) {
	for {
		base := int32(math.MaxInt32)
		for _, run := range s.rest {
			if len(run) > 0 {
				base = min(base, s.col[run[0]])
			}
		}
		if base == math.MaxInt32 {
			return
		}
		longest := 0
		for l, run := range s.rest {
			n := len(run)
			if n > 0 && int64(s.col[run[n-1]])-int64(base) >= reach || n > math.MaxUint16 {
				n = 0
				for n < len(run) && n < math.MaxUint16 && int64(s.col[run[n]])-int64(base) < reach {
					n++
				}
			}
			s.rest[l] = run[n:]
			s.sort[l] = s.widestFirst(s.sort[l], run[:n])
			longest = max(longest, n)
		}
		s.group(int(base), longest, flags)
		for k := range longest {
			s.gather(k, base)
		}
	}
}

// gather appends the slot of the k-th items of the sorted runs.
func (s *slotBuilder) gather(k int, base int32) {
	var index [lanes]uint16
	var which [lanes]int32
	width, n := uint8(1), 0
	for l, run := range &s.sort {
		which[l] = -1
		if k < len(run) {
			e := run[k]
			which[l] = e
			width = max(width, s.width[e])
			index[l] = uint16(s.col[e] - base)
			n += s.filled(e)
		}
	}
	if s.slotPlan.symmetric {
		n *= 2
		for l, e := range which { // a column of its own for an empty lane: several of one wait for each other
			if e < 0 && k > 0 {
				index[l] = s.Index[len(s.Index)-lanes+l]
			}
		}
	}
	s.Index = append(s.Index, index[:]...)
	s.bytes[width] += 2 * lanes
	s.slot(&which, width, n)
}

// slot appends the values of a slot of the given items (-1: none) with n elements.
func (s *slotBuilder) slot(which *[lanes]int32, width uint8, n int) {
	size := s.items.block * s.items.block
	s.bytes[width] += int64(1 + size*int(width))
	s.tally.elements[width] += n
	s.Widths = append(s.Widths, width)
	for c := range size {
		var ms [lanes]int64
		for l, e := range which {
			if e >= 0 {
				ms[l] = s.m[int(e)*size+c]
			}
		}
		s.Values = appendSlot(s.Values, &ms, int(width))
	}
}

// appendSlot appends eight integers of so many bits.
func appendSlot(values []byte, ms *[lanes]int64, width int) []byte {
	at := len(values)
	values = slices.Grow(values, width+8)[:at+width+8]
	to := values[at:]
	mask := uint64(1)<<width - 1
	var word uint64
	free := 64
	for _, m := range ms {
		v := uint64(m) & mask
		word |= v << (64 - free)
		if free > width {
			free -= width
			continue
		}
		binary.LittleEndian.PutUint64(to, word)
		to = to[8:]
		word = v >> free // free bits of v are written; a shift by 64 gives 0
		free += 64 - width
	}
	binary.LittleEndian.PutUint64(to, word)
	return values[:at+width]
}

// widestFirst returns the elements in the order of falling widths, in dst.
func (s *slotBuilder) widestFirst(dst, run []int32) []int32 {
	if len(run) <= 16 {
		dst = append(dst[:0], run...)
		for i := 1; i < len(dst); i++ {
			e := dst[i]
			w := s.width[e]
			j := i
			for ; j > 0 && s.width[dst[j-1]] < w; j-- {
				dst[j] = dst[j-1]
			}
			dst[j] = e
		}
		return dst
	}
	var at [kernels.MaxSlotWidth + 2]int32
	for _, e := range run {
		at[s.width[e]]++
	}
	next := int32(0)
	for w := len(at) - 1; w >= 0; w-- {
		at[w], next = next, next+at[w]
	}
	dst = grow(dst, len(run))
	for _, e := range run {
		w := s.width[e]
		dst[at[w]] = e
		at[w]++
	}
	return dst
}

// diagonals makes slots of the diagonals that most of the eight rows from i on
// have; the rest stays.
func (s *slotBuilder) diagonals(i int) {
	row := s.ints.lo + i
	first := len(s.Offsets)
	var at, kept [lanes]int
	for {
		offset := math.MaxInt
		var next [lanes]int
		for l, run := range &s.rest {
			next[l] = math.MaxInt
			if at[l] < len(run) {
				next[l] = int(s.col[run[at[l]]]) - row - l
				offset = min(offset, next[l])
			}
		}
		if offset == math.MaxInt {
			break
		}
		n := 0
		for _, o := range next {
			if o == offset {
				n++
			}
		}
		inside := row+offset >= 0 && row+offset+lanes <= s.ints.cols
		if n < fullDiagonal || !inside {
			for l, o := range next {
				if o == offset {
					s.rest[l][kept[l]] = s.rest[l][at[l]]
					kept[l]++
					at[l]++
				}
			}
			continue
		}
		var which [lanes]int32
		width := uint8(1)
		for l, o := range next {
			which[l] = -1
			if o == offset {
				e := s.rest[l][at[l]]
				which[l] = e
				width = max(width, s.width[e])
				at[l]++
			}
		}
		s.Offsets = append(s.Offsets, int32(offset))
		s.slot(&which, width, n)
	}
	for l := range s.rest {
		s.rest[l] = s.rest[l][:kept[l]]
	}
	n := len(s.Offsets) - first
	if n == 0 {
		return
	}
	if first >= n && slices.Equal(s.Offsets[first-n:first], s.Offsets[first:]) { // as in the last chunk
		s.Offsets = s.Offsets[:first]
		first -= n
	}
	s.group(first, n, kernels.Diagonal)
}

// floats makes slots of the tiny elements of the rows, or block rows, of a chunk.
func (s *slotBuilder) floats(flags uint16, rows []int) {
	if len(s.tinyHere) == 0 {
		return
	}
	b := s.items.block
	var left [lanes][]tiny
	for l, i := range rows {
		left[l] = tinyOf(s.tinyHere, b*i, b*(i+1))
	}
	for {
		base := int32(math.MaxInt32)
		for _, e := range left {
			if len(e) > 0 {
				base = min(base, e[0].col-e[0].col%int32(b))
			}
		}
		if base == math.MaxInt32 {
			return
		}
		var index [lanes]uint16
		at := len(s.Values)
		s.Values = append(s.Values, make([]byte, 4*lanes*b*b)...)
		for l, e := range left {
			if len(e) == 0 {
				continue
			}
			i, j := int(e[0].row)%b, e[0].col%int32(b)
			if column := e[0].col - j - base; column < reach {
				index[l] = uint16(column)
				binary.LittleEndian.PutUint32(s.Values[at+4*(lanes*(i*b+int(j))+l):], math.Float32bits(e[0].value))
				left[l] = e[1:]
				s.tally.tiny++
			}
		}
		s.group(int(base), 1, flags|kernels.Float)
		s.Widths = append(s.Widths, 32)
		s.Index = append(s.Index, index[:]...)
		s.tally.floats += int64(1 + (4*b*b+2)*lanes)
	}
}
