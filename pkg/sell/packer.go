package sell

import (
	"math"
	"sort"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// MaxLanes is the largest number of lanes of a Packer.
const MaxLanes = 32

// None is the item of a lane without one.
const None = -1

// Packer makes the slots of one SELL slice after another: Clear, Deal and DealTiny put the
// items of a slice into lanes; Diagonals, Columns and Floats take them out again, a group of
// slots at a time.
type Packer struct {
	*Items
	Tiny []Tiny // of the rows of the items

	Lanes        int
	FullDiagonal int // lanes of a slot of a diagonal that hold an item, at least
	Reach        int // columns of a group
	MostSlots    int // of a group

	Group

	run  [MaxLanes][]int32 // items of each lane
	rest [MaxLanes][]int32 // and those that are in no group yet
	tiny [MaxLanes][]Tiny
	sort [MaxLanes][]int32 // items of a group, wide ones first
}

// Group is the slots that a Packer made last. Slots of columns come in the order of falling
// widths, those of diagonals by rising offsets.
type Group struct {
	Base    int32   // first column
	Widths  []uint8 // bits of the widest integer of each slot
	Offsets []int32 // of the diagonals, columns less rows; empty for slots with columns
	items   []int32
	lanes   int
}

// Slot returns the items of slot k, None in lanes without one.
func (g *Group) Slot(k int) []int32 { return g.items[k*g.lanes : (k+1)*g.lanes] }

// SortByWidth puts slots of diagonals in the order of falling widths.
func (g *Group) SortByWidth() { sort.Stable((*byWidth)(g)) }

type byWidth Group

func (g *byWidth) Len() int           { return len(g.Widths) }
func (g *byWidth) Less(i, j int) bool { return g.Widths[i] > g.Widths[j] }

func (g *byWidth) Swap(i, j int) {
	g.Widths[i], g.Widths[j] = g.Widths[j], g.Widths[i]
	g.Offsets[i], g.Offsets[j] = g.Offsets[j], g.Offsets[i]
	a, b := (*Group)(g).Slot(i), (*Group)(g).Slot(j)
	for l := range a {
		a[l], b[l] = b[l], a[l]
	}
}

// Clear begins a slice.
func (p *Packer) Clear() {
	p.lanes = p.Lanes
	for l := range p.Lanes {
		p.rest[l], p.tiny[l] = p.run[l][:0], p.tiny[l][:0]
	}
}

// Deal gives the items from, ..., to-1 in turn to so many lanes from `lane` on.
func (p *Packer) Deal(from, to int32, lane, lanes int) {
	for l := range min(lanes, int(to-from)) {
		run := Grow(p.run[lane+l], (int(to-from)-l+lanes-1)/lanes)
		for k := range run {
			run[k] = from + int32(l+k*lanes)
		}
		p.run[lane+l], p.rest[lane+l] = run, run
	}
}

// DealTiny does so with the tiny elements of row, or block row, i.
func (p *Packer) DealTiny(i, lane, lanes int) {
	if len(p.Tiny) == 0 {
		return
	}
	for k, e := range TinyOf(p.Tiny, i*p.Block, (i+1)*p.Block) {
		l := lane + k%lanes
		p.tiny[l] = append(p.tiny[l], e)
	}
}

// Rest returns the items of a lane that are in no group yet.
func (p *Packer) Rest(lane int) []int32 { return p.rest[lane] }

// Widest is the largest width of the items that are in no group yet.
func (p *Packer) Widest() uint8 {
	widest := uint8(0)
	for _, run := range p.rest[:p.Lanes] {
		for _, e := range run {
			widest = max(widest, p.Width[e])
		}
	}
	return widest
}

// Columns makes a group of the items within reach of the first column that is left; ok is
// false if nothing is left.
func (p *Packer) Columns() (ok bool) {
	base := int32(math.MaxInt32)
	for _, run := range p.rest[:p.Lanes] {
		if len(run) > 0 {
			base = min(base, p.Col[run[0]])
		}
	}
	if base == math.MaxInt32 {
		return false
	}
	longest := 0
	for l, run := range p.rest[:p.Lanes] {
		n := p.within(run, base)
		p.rest[l] = run[n:]
		p.sort[l] = p.widestFirst(p.sort[l], run[:n])
		longest = max(longest, n)
	}
	p.begin(base, longest)
	clear(p.Widths)
	for l, run := range p.sort[:p.Lanes] {
		at := l
		for k, e := range run {
			p.items[at] = e
			p.Widths[k] = max(p.Widths[k], p.Width[e])
			at += p.Lanes
		}
		for ; at < len(p.items); at += p.Lanes {
			p.items[at] = None
		}
	}
	return true
}

// begin makes room for a group of n slots.
func (p *Packer) begin(base int32, n int) {
	p.Base, p.Offsets = base, p.Offsets[:0]
	p.items, p.Widths = Grow(p.items, n*p.Lanes), Grow(p.Widths, n)
}

// within is the number of items of a lane that fit a group.
func (p *Packer) within(run []int32, base int32) int {
	n := min(len(run), p.MostSlots)
	inside := func(e int32) bool { return int64(p.Col[e])-int64(base) < int64(p.Reach) }
	if n == 0 || inside(run[n-1]) {
		return n
	}
	return sort.Search(n, func(k int) bool { return !inside(run[k]) })
}

// widestFirst returns the items in the order of falling widths, in dst.
func (p *Packer) widestFirst(dst, run []int32) []int32 {
	if len(run) <= 16 {
		dst = append(dst[:0], run...)
		for i := 1; i < len(dst); i++ {
			e := dst[i]
			w := p.Width[e]
			j := i
			for ; j > 0 && p.Width[dst[j-1]] < w; j-- {
				dst[j] = dst[j-1]
			}
			dst[j] = e
		}
		return dst
	}
	var at [kernels.MaxSlotWidth + 2]int32
	for _, e := range run {
		at[p.Width[e]]++
	}
	next := int32(0)
	for w := len(at) - 1; w >= 0; w-- {
		at[w], next = next, next+at[w]
	}
	dst = Grow(dst, len(run))
	for _, e := range run {
		w := p.Width[e]
		dst[at[w]] = e
		at[w]++
	}
	return dst
}

// Last makes a group of one slot, of the last item of each lane l < len(cols) if it is in
// column cols[l]; ok is false if there is none.
func (p *Packer) Last(cols []int32) (ok bool) {
	p.begin(0, 1)
	slot := p.Slot(0)
	p.Widths[0] = 0
	for l := range slot {
		slot[l] = None
		run := p.rest[l]
		if last := len(run) - 1; l < len(cols) && last >= 0 && p.Col[run[last]] == cols[l] {
			slot[l], p.rest[l] = run[last], run[:last]
			p.Widths[0] = max(p.Widths[0], p.Width[run[last]])
		}
	}
	return p.Widths[0] > 0
}
