package packed

import (
	"math"
	"sort"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// MaxLanes is the largest number of lanes of a Packer.
const MaxLanes = 32

// NoItem is the item of a lane without one.
const NoItem = -1

// Packer makes the slots of one SELL slice after another: Clear, Deal and DealTiny put the items of a slice into
// lanes; Diagonals, Columns and Floats take them out again, a group of slots at a time.
type Packer struct {
	*Items
	Tiny []Tiny // of the rows of the items

	Kernels      *kernels.Set // nil: the default ones
	Lanes        int
	FullDiagonal int // least number of lanes with an item in a slot of a diagonal
	Reach        int // columns of a group
	MostSlots    int // of a group

	Group

	rest  [MaxLanes]lane // items that are in no group yet
	tiny  [MaxLanes][]Tiny
	list  [MaxLanes][]int32 // memory for the lists of lanes
	sort  []int32           // items of a lane in a group, by decreasing width
	runs  kernels.Runs      // of a group
	first []int32           // items of the lanes of diagonals
}

// lane holds the items first, ..., end-1, or the items at these positions of a list.
type lane struct {
	list       []int32
	first, end int32
}

// item returns the item at position k.
func (r *lane) item(k int32) int32 {
	if r.list != nil {
		return r.list[k]
	}
	return k
}

// length returns the number of items.
func (r *lane) length() int { return int(r.end - r.first) }

// Group is the slots that a Packer made last. Slots of columns come by decreasing widths, slots of diagonals by
// increasing offsets.
type Group struct {
	Base    int32   // first column
	Widths  []uint8 // bits of the widest integer of each slot
	Offsets []int32 // of the diagonals, columns minus rows; empty for slots with columns
	Full    int     // number of leading slots that have an item in every lane, or fewer
	// Index has the columns of slots with columns minus Base, 0 where there is no item; only with kernels.Lanes
	// lanes.
	Index []uint16
	items []int32
	lanes int
}

// Slot returns the items of slot k, NoItem in lanes without one.
func (g *Group) Slot(k int) []int32 { return g.items[k*g.lanes : (k+1)*g.lanes] }

// Slots returns the items of all slots, one slot after the other.
func (g *Group) Slots() []int32 { return g.items }

// SortByWidth sorts slots of diagonals by decreasing widths.
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

// Clear begins a new slice.
func (p *Packer) Clear() {
	p.lanes = p.Lanes
	for l := range p.Lanes {
		p.rest[l], p.tiny[l] = lane{}, p.tiny[l][:0]
	}
}

// Deal deals the items from, ..., to-1 in turn to so many lanes from `first` on.
func (p *Packer) Deal(from, to int32, first, lanes int) {
	if lanes == 1 {
		p.rest[first] = lane{first: from, end: to}
		return
	}
	for l := range min(lanes, int(to-from)) {
		list := Grow(p.list[first+l], (int(to-from)-l+lanes-1)/lanes)
		for k := range list {
			list[k] = from + int32(l+k*lanes)
		}
		p.list[first+l], p.rest[first+l] = list, lane{list: list, end: int32(len(list))}
	}
}

// DealTiny deals the tiny elements of row, or block row, i in the same way.
func (p *Packer) DealTiny(i, lane, lanes int) {
	if len(p.Tiny) == 0 {
		return
	}
	for k, e := range TinyOf(p.Tiny, i*p.Block, (i+1)*p.Block) {
		l := lane + k%lanes
		p.tiny[l] = append(p.tiny[l], e)
	}
}

// Widest returns the largest width of the items that are in no group yet.
func (p *Packer) Widest() uint8 {
	widest := uint8(0)
	for l := range p.rest[:p.Lanes] {
		r := &p.rest[l]
		for k := r.first; k < r.end; k++ {
			widest = max(widest, p.Width[r.item(k)])
		}
	}
	return widest
}

// Columns makes a group of the items within reach of the first remaining column; ok is false if no item remains.
func (p *Packer) Columns() (ok bool) {
	base := int32(math.MaxInt32)
	for l := range p.rest[:p.Lanes] {
		if r := &p.rest[l]; r.length() > 0 {
			base = min(base, p.Col[r.item(r.first)])
		}
	}
	if base == math.MaxInt32 {
		return false
	}
	var part [MaxLanes]lane // of each lane
	longest, shortest, listed := 0, math.MaxInt, false
	for l := range p.rest[:p.Lanes] {
		r := &p.rest[l]
		n := p.within(r, base)
		part[l] = lane{r.list, r.first, r.first + int32(n)}
		r.first += int32(n)
		longest, shortest = max(longest, n), min(shortest, n)
		listed = listed || r.list != nil
	}
	p.begin(base, longest)
	p.Full = shortest
	if p.Lanes == kernels.Lanes && !listed {
		for l := range p.runs.From {
			p.runs.From[l], p.runs.To[l] = part[l].first, part[l].end
		}
		p.Index = Grow(p.Index, len(p.items))
		p.Kernels.Or().ArrangeSlots(p.items, p.Index, p.Widths, &p.runs, p.Width, p.Col, base)
		return true
	}
	p.arrange(part[:p.Lanes])
	return true
}

// arrange puts the items of each lane into the slots of a group.
func (p *Packer) arrange(part []lane) {
	clear(p.Widths)
	for l := range part {
		p.widestFirst(&part[l])
		at := l
		for k, e := range p.sort {
			p.items[at] = e
			p.Widths[k] = max(p.Widths[k], p.Width[e])
			at += p.Lanes
		}
		for ; at < len(p.items); at += p.Lanes {
			p.items[at] = NoItem
		}
	}
	if p.Lanes != kernels.Lanes {
		return
	}
	p.Index = Grow(p.Index, len(p.items))
	for k, e := range p.items {
		if p.Index[k] = 0; e != NoItem {
			p.Index[k] = uint16(p.Col[e] - p.Base)
		}
	}
}

// begin makes room for a group of n slots.
func (p *Packer) begin(base int32, n int) {
	p.Base, p.Offsets = base, p.Offsets[:0]
	p.items, p.Widths = Grow(p.items, n*p.Lanes), Grow(p.Widths, n)
}

// within returns the number of items of a lane that fit in a group.
func (p *Packer) within(r *lane, base int32) int {
	n := min(r.length(), p.MostSlots)
	inside := func(k int) bool { return int64(p.Col[r.item(r.first+int32(k))])-int64(base) < int64(p.Reach) }
	if n == 0 || inside(n-1) {
		return n
	}
	return sort.Search(n, func(k int) bool { return !inside(k) })
}

// widestFirst sorts the items of a lane by decreasing width.
func (p *Packer) widestFirst(r *lane) {
	var place [kernels.FloatItem + 1]int32 // of the next item of each width
	for k := r.first; k < r.end; k++ {
		place[p.Width[r.item(k)]]++
	}
	next := int32(0)
	for w := len(place) - 1; w >= 0; w-- {
		place[w], next = next, next+place[w]
	}
	p.sort = Grow(p.sort, r.length())
	for k := r.first; k < r.end; k++ {
		e := r.item(k)
		w := p.Width[e]
		p.sort[place[w]] = e
		place[w]++
	}
}

// Last makes a group of one slot from the last item of each lane l < len(cols) that is in column cols[l]; ok is false
// if there is none.
func (p *Packer) Last(cols []int32) (ok bool) {
	p.begin(0, 1)
	slot := p.Slot(0)
	p.Widths[0], p.Full = 0, 0
	for l := range slot {
		slot[l] = NoItem
		r := &p.rest[l]
		if l >= len(cols) || r.length() == 0 {
			continue
		}
		if e := r.item(r.end - 1); p.Col[e] == cols[l] {
			slot[l] = e
			r.end--
			p.Widths[0] = max(p.Widths[0], p.Width[e])
		}
	}
	return p.Widths[0] > 0
}
