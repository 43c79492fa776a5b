package adaptive

import (
	"math"
	"sync"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

const (
	lanes = kernels.Lanes
	// columnReach is the range of 16-bit columns, farReach the range of 24-bit columns.
	columnReach = 1 << 16
	farReach    = 1 << 24
	// fullDiagonal is the number of lanes, of eight, from which on a slot of a
	// diagonal takes less than a slot with columns.
	fullDiagonal = 5
	// sortRows is the padding, lanes for an element, above which a panel's rows are
	// taken in the order of their lengths, if that leaves less than sortSaves of it.
	sortRows  = 1.12
	sortSaves = 0.9
	// rowSlots is what a SELL slice costs besides its slots, in slots.
	rowSlots = 3
)

// slotBuilder makes the slots of one panel after another: SELL slices of eight rows, or
// block rows, or of one row alone.
type slotBuilder struct {
	packed.Packer // of ints or of other
	plan          slotPlan
	traits        // of its layout
	ints          packed.Integers
	other         packed.Items // the integers as blocks, or the integers of a tile

	out      kernels.SlotPanel        // without its values
	streams  [kernels.MaxBlock][]byte // values of each row of blocks, or of even and odd slots
	blocks   kernels.BlockItems       // of a slot
	to       [kernels.MaxBlock][]byte // where its values go
	mirror   uint64                   // of the panel, see weights
	last     kernels.SlotGroup        // the last group, until its slice ends
	tally    packed.Tally             // of the panel
	memory   slotMemory               // where panels go
	orders   []uint16                 // memory for the order of rows
	whole    bool                     // a panel could not be made in pieces
	runRow   []int32                  // row, and first element, of the runs of tiles
	runFirst []int32
}

func newSlotBuilder(plan slotPlan, k *kernels.Set) *slotBuilder {
	s := &slotBuilder{Packer: packed.Packer{Kernels: k, Lanes: lanes, FullDiagonal: fullDiagonal, MostSlots: math.MaxUint16}}
	s.setPlan(plan)
	return s
}

// setPlan says of which kind the next panels are.
func (s *slotBuilder) setPlan(plan slotPlan) {
	s.plan, s.traits = plan, plan.traits()
	if s.Reach = columnReach; s.far {
		s.Reach = farReach
	}
}

// slotted stores the matrix in slots.
func (b *builder) slotted(c choice) (Matrix, error) {
	s, stats, err := b.packed(c.slotPlan)
	if err != nil {
		return nil, err
	}
	a := newMatrix(b, c, s)
	a.stats = stats
	return a, nil
}

// packed makes the slots of the matrix.
func (b *builder) packed(plan slotPlan) (*slotMatrix, Stats, error) {
	panels, err := slotPanels(b.m, plan, b.spec.panelsOf())
	if err != nil {
		return nil, Stats{}, err
	}
	b.panels = panels
	s := &slotMatrix{
		kernels: b.kernels, rows: b.m.Rows, cols: b.m.Cols, plan: plan, traits: plan.traits(), tol: b.part.Tol,
		panels: make([]slotUnit, len(b.panels)-1), unitQuanta: b.part.UnitQuanta,
	}
	s.units, s.normal = newUnits(b.part.Tol, -b.part.UnitQuanta)
	if s.lower {
		b.weights, b.mirror = newWeights(b.m.Rows, b.pool), 0
	}
	var mu sync.Mutex
	var tally packed.Tally
	threads := b.pool.Threads()
	memory := make([]slotMemory, threads) // of each thread, which will multiply what it stores
	for t := range memory {
		memory[t] = newSlotMemory(b.m.NNZ() / threads)
	}
	scratch := sync.Pool{New: func() any {
		return newSlotBuilder(plan, b.kernels)
	}}
	b.pool.RunRanges(b.panels, func(unit, lo, hi int) {
		p := scratch.Get().(*slotBuilder)
		defer scratch.Put(p)
		p.memory = memory[parallel.Owner(unit, len(s.panels), threads)]
		if p.tiled {
			s.panels[unit] = p.tiles(b, lo, hi, b.old.unit(unit))
		} else {
			s.panels[unit] = []slotPanel{{p.panel(b, lo, hi, b.old.unit(unit).panel(0)), lo, hi}}
		}
		mu.Lock()
		defer mu.Unlock()
		tally.Add(&p.tally)
		b.mirror += p.mirror
	})
	return s, slotStats(b, tally.NNZ, s.bytes(), tally.Stored), nil
}

// build makes the slots of the integers.
func (s *slotBuilder) build() {
	s.begin()
	s.setItems()
	s.order()
	s.slices()
	s.finish()
}

// setItems makes the integers items, or their blocks.
func (s *slotBuilder) setItems() {
	s.Items, s.Tiny = &s.ints.Items, s.ints.Tiny
	if p := s.plan; p.block > 1 {
		diagonal := packed.Everything
		if s.lower {
			diagonal = s.ints.Lo
		}
		s.other.SetBlocks(s.Kernels, &s.ints.Items, p.block, diagonal)
		s.Items = &s.other
	}
}

// begin begins a panel.
func (s *slotBuilder) begin() {
	p := &s.out
	p.Groups, p.Widths, p.Index, p.Offsets, p.Order = p.Groups[:0], p.Widths[:0], p.Index[:0], p.Offsets[:0], nil
	for r := range s.streams {
		s.streams[r] = s.streams[r][:0]
	}
	s.tally, s.mirror = packed.Tally{}, 0
}

// slices makes the slots of the items, and reports whether all slices are of eight rows but the last.
func (s *slotBuilder) slices() (even bool) {
	even = true
	for at := 0; at < s.Rows; {
		n := min(lanes, s.Rows-at)
		if s.Block == 1 && s.uneven(at, n) {
			s.oneRow(s.row(at))
			at++
			even = false
			continue
		}
		s.eightRows(at, n)
		at += n
	}
	return even
}

// finish ends a panel.
func (s *slotBuilder) finish() {
	s.out.Block, s.out.Far, s.out.Odd = s.Block, s.far, 0
	if s.Block == 1 {
		s.out.Odd = len(s.streams[0])
	}
	if s.lower {
		s.blockColumns()
	}
}

// row returns the row at a position in the order.
func (s *slotBuilder) row(at int) int {
	if s.out.Order == nil {
		return at
	}
	return int(s.out.Order[at])
}

// order puts the rows in the order of their lengths if that saves many lanes.
func (s *slotBuilder) order() {
	s.out.Order = nil
	padded, total := s.padded()
	rare := !s.far && !wasteful(padded, total)
	if !s.tiled && (rare || s.Rows > math.MaxUint16+1) {
		return
	}
	s.orders = packed.LongestFirst(s.Items, s.orders)
	s.out.Order = s.orders
	if sorted, _ := s.padded(); !s.tiled && float64(sorted) >= sortSaves*float64(padded) {
		s.out.Order = nil
	}
}

// wasteful reports whether another order of the rows may be worth while.
func wasteful(padded, total int) bool { return float64(padded) > sortRows*float64(total) }

// padded is the number of lanes, and of items, of slices of eight rows.
func (s *slotBuilder) padded() (padded, total int) {
	for at := 0; at < s.Rows; at += lanes {
		longest := 0
		for k := at; k < min(at+lanes, s.Rows); k++ {
			n := s.Length(s.row(k))
			longest = max(longest, n)
			total += n
		}
		padded += lanes * longest
	}
	return padded, total
}

// uneven reports whether n rows take less one by one than together.
func (s *slotBuilder) uneven(at, n int) bool {
	together, alone := 0, 0
	for k := range n {
		length := s.Length(s.row(at + k))
		together = max(together, length)
		alone += rowSlots + (length+lanes-1)/lanes
	}
	return together > alone
}

// oneRow makes a slice of row i alone: element k is in lane k mod 8.
func (s *slotBuilder) oneRow(i int) {
	s.Clear()
	s.Deal(s.First[i], s.First[i+1], 0, lanes)
	s.DealTiny(i, 0, 1)
	s.last = kernels.SlotGroup{}
	s.end(kernels.OneRow)
}

// eightRows makes a slice of n <= 8 rows.
func (s *slotBuilder) eightRows(at, n int) {
	var rows [lanes]int
	s.Clear()
	for l := range n {
		rows[l] = s.row(at + l)
		s.Deal(s.First[rows[l]], s.First[rows[l]+1], l, 1)
		s.DealTiny(rows[l], l, 1)
	}
	s.last = kernels.SlotGroup{}
	if s.diagonal && s.out.Order == nil && n == lanes {
		s.diagonals(s.ints.Lo + rows[0])
	}
	if s.lower {
		s.ownBlocks(rows[:n])
	}
	s.end(0)
}

// group begins a group of the slice: it is appended when it is known whether it is the last.
func (s *slotBuilder) group(base, slots int, flags uint16) {
	if s.last.Slots > 0 {
		s.out.Groups = append(s.out.Groups, s.last)
	}
	if s.ints.Float {
		flags |= kernels.Float
	}
	s.last = kernels.SlotGroup{Base: uint32(base), Slots: uint16(slots), Flags: flags}
}

// end writes slots with columns, and of tiny elements, of what is left, and ends the slice.
func (s *slotBuilder) end(flags uint16) {
	for s.Columns() {
		s.columns(flags)
	}
	for s.floats(flags) {
	}
	s.last.Flags |= flags | kernels.Last
	s.out.Groups = append(s.out.Groups, s.last)
}
