package adaptive

import (
	"math"
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
	tinyHere []Tiny
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
	a.stats = slotStats(b, &s.tally, s.size())
	if s.mirror != nil {
		a.stats.Work = s.mirror.size()
	}
	return a, nil
}

// panel makes the slots of rows lo to hi-1, in the memory of old if that suffices.
func (s *slotBuilder) panel(b *builder, lo, hi int, old kernels.SlotPanel) kernels.SlotPanel {
	s.ints.quantize(b, lo, hi)
	s.build()
	s.nonzeros = s.ints.nonzeros
	return s.clone(old)
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
		s.blockColumns()
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
