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
	// taken in the order of their lengths, if that leaves less than sortSaves of it.
	sortRows  = 1.12
	sortSaves = 0.9
	// rowSlots is what a chunk costs besides its slots, in slots.
	rowSlots = 3
)

// slotBuilder makes the slots of one panel after another.
type slotBuilder struct {
	slotPlan
	memory slotMemory
	kernels.SlotPanel
	tally
	ints     integers
	bloc     items // the integers as blocks, or those of a tile
	*items         // what slots are made of: ints or bloc
	tinyHere []tiny
	runRow   []int32 // row, and first element, of the runs of tiles
	runFirst []int32
	places   []int32           // of rows of each length, and the next place
	run      [lanes][]int32    // items of the rows of a chunk
	rest     [lanes][]int32    // of these, those that are not in slots yet
	sort     [lanes][]int32    // those of a group, wide ones first
	streams  [maxBlock][]byte  // values of each row of blocks, or of even and odd slots
	index    [lanes]int64      // of the integers of a slot
	way      wayApart          // of the group
	chunk    kernels.SlotGroup // the last group, until the chunk ends
}

// slotted builds the matrix in slots.
func (b *builder) slotted(c choice) (*Matrix, error) {
	panels, err := slotPanels(b.m, c.plan)
	if err != nil {
		return nil, err
	}
	b.panels = panels
	s := &slotMatrix{plan: c.plan, panels: make([]slotUnit, len(b.panels)-1), perQExp: b.part.perQExp}
	s.units, s.normal = newUnits(b.part.tol, -b.part.perQExp)
	var mu sync.Mutex
	memory := newSlotMemory(b.m.NNZ())
	scratch := sync.Pool{New: func() any { return &slotBuilder{memory: memory} }}
	b.pool.RunRanges(b.panels, func(unit, lo, hi int) {
		p := scratch.Get().(*slotBuilder)
		defer scratch.Put(p)
		p.slotPlan = c.plan
		if c.plan.tiles {
			s.panels[unit] = p.tiles(b, lo, hi, b.old.unit(unit))
		} else {
			s.panels[unit] = []slotPanel{{p.panel(b, lo, hi, b.old.unit(unit).panel(0)), lo, hi}}
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
	return a, nil
}

// panel makes the slots of rows lo to hi-1, in the memory of old if that suffices.
func (s *slotBuilder) panel(b *builder, lo, hi int, old kernels.SlotPanel) kernels.SlotPanel {
	s.ints.quantize(b, lo, hi)
	s.build()
	s.nonzeros = s.ints.nonzeros
	return s.clone(old)
}

// slotMemory is where the slots of a matrix go.
type slotMemory struct {
	bytes *arena[byte]
	index *arena[uint16]
}

func newSlotMemory(nnz int) slotMemory {
	return slotMemory{newArena[byte](4 * nnz), newArena[uint16](nnz)}
}

// clone returns the panel in memory of just its size, or that of an old one.
func (s *slotBuilder) clone(old kernels.SlotPanel) kernels.SlotPanel {
	return kernels.SlotPanel{
		Block: s.Block, Odd: s.Odd, Groups: refill(old.Groups, s.Groups, nil), Widths: refill(old.Widths, s.Widths, s.memory.bytes),
		Index: refill(old.Index, s.Index, s.memory.index), Offsets: refill(old.Offsets, s.Offsets, nil),
		Values: s.values(old.Values), Order: refill(old.Order, s.Order, nil),
	}
}

// refill copies src to the memory of old, if that is large enough and no more than
// twice as large, or to memory of the arena, if there is one; nil stays nil.
func refill[T any](old, src []T, from *arena[T]) []T {
	switch {
	case src == nil:
		return nil
	case cap(old) >= len(src) && cap(old) <= 2*len(src):
	case from != nil:
		old = from.take(len(src))
	default:
		old = make([]T, len(src))
	}
	return append(old[:0], src...)
}

// build makes the slots of the integers.
func (s *slotBuilder) build() {
	s.items, s.tinyHere = &s.ints.items, s.ints.tiny
	if p := s.slotPlan; p.block > 1 {
		diagonal := everything
		if p.symmetric {
			diagonal = s.ints.lo
		}
		s.bloc.blocks(&s.ints.items, p.block, diagonal)
		s.items = &s.bloc
	}
	s.buildItems()
	if s.slotPlan.symmetric {
		s.countBlocks()
	}
}

// buildItems makes the slots of the items.
func (s *slotBuilder) buildItems() {
	s.Groups, s.Widths, s.Index, s.Offsets = s.Groups[:0], s.Widths[:0], s.Index[:0], s.Offsets[:0]
	for r := range s.streams {
		s.streams[r] = s.streams[r][:0]
	}
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
	if s.Odd = 0; s.items.block == 1 {
		s.Odd = len(s.streams[0])
	}
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
	sorted := 0
	for at := 0; at < s.rows; at += lanes {
		sorted += lanes * s.length(s.row(at))
	}
	if float64(sorted) >= sortSaves*float64(padded) {
		s.Order = nil
	}
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
	lo, n := s.first[i], s.length(i)
	for l := range s.rest {
		run := grow(s.run[l], (n-l+lanes-1)/lanes)
		for k := range run {
			run[k] = lo + int32(l+k*lanes)
		}
		s.run[l], s.rest[l] = run, run
	}
	s.begin()
	s.columns(kernels.OneRow)
	s.floats(kernels.OneRow, []int{i})
	s.end(kernels.OneRow)
}

// eightRows makes a chunk of n <= 8 rows.
func (s *slotBuilder) eightRows(at, n int) {
	var rows [lanes]int
	for l := range s.rest {
		s.rest[l] = nil
		if l >= n {
			continue
		}
		rows[l] = s.row(at + l)
		run := grow(s.run[l], s.length(rows[l]))
		for k := range run {
			run[k] = s.first[rows[l]] + int32(k)
		}
		s.run[l], s.rest[l] = run, run
	}
	s.begin()
	if s.slotPlan.diagonals && s.Order == nil && n == lanes {
		s.diagonals(rows[0])
	}
	if s.slotPlan.symmetric {
		s.own(rows[:n])
	}
	s.columns(0)
	s.floats(0, rows[:n])
	s.end(0)
}

// begin starts a chunk, of which begin, group and end make groups: a group is
// appended when it is known whether it is the last.
func (s *slotBuilder) begin() { s.chunk, s.way = kernels.SlotGroup{}, byWidth }

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
		longest, widest := 0, uint8(0)
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
			if n > 0 {
				widest = max(widest, s.width[s.sort[l][0]])
			}
		}
		s.way = s.wayOf(longest, widest)
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
	s.bytes[s.way.round(width)] += 2 * lanes
	s.slot(k, &which, width, n)
}

// wayApart says which slots of a group are of whole bytes: the two ways apart meet
// best in long runs.
type wayApart uint8

const (
	byWidth wayApart = iota // those of short widths
	allBits
)

// longGroup is the number of slots, which are sorted by width, from which on a group
// goes both ways.
const longGroup = 16

// wayOf is that of a group with so many slots in the order of their widths, of which
// the widest has w bits.
func (s *slotBuilder) wayOf(slots int, w uint8) wayApart {
	if w > byteWidths && s.items.block == 1 && slots < longGroup {
		return allBits
	}
	return byWidth
}

// byteWidths are the widths that are rounded up to whole bytes, where that saves
// more time than it costs.
const byteWidths = 24

// round is the width that slots of w bits get.
func (way wayApart) round(w uint8) uint8 {
	switch {
	case way == byWidth && w <= byteWidths:
		return (w + 7) / 8 * 8
	case kernels.ByteWidth(int(w)):
		return w + 1
	}
	return w
}

// slot appends the values of slot k of its group, of the given items (-1: none) with
// n elements.
func (s *slotBuilder) slot(k int, which *[lanes]int32, width uint8, n int) {
	width = s.way.round(width)
	size := s.items.block * s.items.block
	s.bytes[width] += int64(1 + size*int(width))
	s.tally.elements[width] += n
	s.Widths = append(s.Widths, width)
	b := s.items.block
	bytes := b * int(width)
	for r := range b {
		for l, e := range which {
			s.index[l] = int64(e)*int64(size) + int64(r*b)
			if e < 0 {
				s.index[l] = -1
			}
		}
		stream := r
		if b == 1 {
			stream = k & 1
		}
		values := slices.Grow(s.streams[stream], bytes+kernels.SlotPadding)
		at := len(values)
		kernels.PackSlot(values[at:at+bytes+kernels.SlotPadding], s.m, &s.index, b, int(width))
		s.streams[stream] = values[:at+bytes]
	}
}

// values returns the streams one after the other, in the memory of old if it is
// large enough and no more than twice as large.
func (s *slotBuilder) values(old []byte) []byte {
	n := kernels.SlotPadding
	for _, v := range s.streams {
		n += len(v)
	}
	if cap(old) < n || cap(old) > 2*n {
		old = s.memory.bytes.take(n)
	}
	old = old[:0]
	for _, v := range s.streams {
		old = append(old, v...)
	}
	return append(old, make([]byte, kernels.SlotPadding)...)
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
	widest := uint8(0)
	for _, run := range s.rest {
		for _, e := range run {
			widest = max(widest, s.width[e])
		}
	}
	s.way = s.wayOf(0, widest)
	if s.sameDiagonals(row) {
		return
	}
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
		full := len(s.Offsets)-first == math.MaxUint16 // what a group counts
		if n < fullDiagonal || !inside || full {
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
		s.slot(len(s.Offsets)-1-first, &which, width, n)
	}
	for l := range s.rest {
		s.rest[l] = s.rest[l][:kept[l]]
	}
	s.endDiagonals(first)
}

// sameDiagonals makes slots of the eight rows from `row` on if all have the same
// diagonals, and reports whether it did.
func (s *slotBuilder) sameDiagonals(row int) bool {
	n := len(s.rest[0])
	if n == 0 || n > math.MaxUint16 || s.col[s.rest[0][n-1]] > int32(s.ints.cols-lanes) {
		return false
	}
	for l := 1; l < lanes; l++ {
		if len(s.rest[l]) != n {
			return false
		}
	}
	run := s.col[s.rest[0][0]:][:n]
	for l := 1; l < lanes; l++ {
		other := s.col[s.rest[l][0]:][:n]
		for k, j := range run {
			if other[k] != j+int32(l) {
				return false
			}
		}
	}
	first := len(s.Offsets)
	for k, j := range run {
		var which [lanes]int32
		width := uint8(1)
		for l := range which {
			which[l] = s.rest[l][k]
			width = max(width, s.width[which[l]])
		}
		s.Offsets = append(s.Offsets, j-int32(row))
		s.slot(k, &which, width, lanes)
	}
	for l := range s.rest {
		s.rest[l] = s.rest[l][:0]
	}
	s.endDiagonals(first)
	return true
}

// endDiagonals makes a group of the slots of the diagonals from first on.
func (s *slotBuilder) endDiagonals(first int) {
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
		at := len(s.streams[0])
		for r := range b {
			s.streams[r] = append(s.streams[r], make([]byte, 4*lanes*b)...)
		}
		for l, e := range left {
			if len(e) == 0 {
				continue
			}
			i, j := int(e[0].row)%b, e[0].col%int32(b)
			if column := e[0].col - j - base; column < reach {
				index[l] = uint16(column)
				binary.LittleEndian.PutUint32(s.streams[i][at+4*(lanes*int(j)+l):], math.Float32bits(e[0].value))
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
