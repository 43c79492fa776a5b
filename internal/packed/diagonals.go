package packed

import "math"

// Diagonals makes a group of the diagonals on which at least FullDiagonal of the first n lanes have an item, where
// lane l is row row+l of a matrix with cols columns and every lane has a column there. The other items stay in the
// lanes. ok is false if there is no such diagonal.
func (p *Packer) Diagonals(row, n, cols int) (ok bool) {
	p.begin(0, 0)
	p.Full = 0
	if p.sameDiagonals(row, n, cols) {
		return true
	}
	p.listed(n)
	var at, kept [MaxLanes]int32
	rest := p.rest[:n]
	for {
		offset := math.MaxInt
		var next [MaxLanes]int // offset of each lane's next item
		for l := range rest {
			next[l] = math.MaxInt
			if at[l] < rest[l].end {
				next[l] = int(p.Col[rest[l].list[at[l]]]) - row - l
				offset = min(offset, next[l])
			}
		}
		if offset == math.MaxInt {
			break
		}
		have := 0
		for _, o := range next[:n] {
			if o == offset {
				have++
			}
		}
		inside := row+offset >= 0 && row+offset+n <= cols
		whole := have >= p.FullDiagonal && inside && len(p.Offsets) < p.MostSlots
		var slot []int32
		if whole {
			slot = p.diagonal(offset)
		}
		width := uint8(1)
		for l, o := range next[:n] {
			if o != offset {
				continue
			}
			e := rest[l].list[at[l]]
			at[l]++
			if whole {
				slot[l] = e
				width = max(width, p.Width[e])
			} else {
				rest[l].list[kept[l]] = e
				kept[l]++
			}
		}
		if whole {
			p.Widths = append(p.Widths, width)
		}
	}
	for l := range rest {
		rest[l].end = kept[l]
	}
	return len(p.Offsets) > 0
}

// listed converts the first n lanes to lists.
func (p *Packer) listed(n int) {
	for l := range p.rest[:n] {
		r := &p.rest[l]
		list := Grow(p.list[l], r.length())
		for k := range list {
			list[k] = r.item(r.first + int32(k))
		}
		p.list[l], *r = list, lane{list: list, end: int32(len(list))}
	}
}

// diagonal appends a slot without items.
func (p *Packer) diagonal(offset int) []int32 {
	p.Offsets = append(p.Offsets, int32(offset))
	for range p.Lanes {
		p.items = append(p.items, NoItem)
	}
	return p.Slot(len(p.Offsets) - 1)
}

// sameDiagonals is Diagonals for n lanes of consecutive items that share all their diagonals; otherwise it returns
// false.
func (p *Packer) sameDiagonals(row, n, cols int) bool {
	var first [MaxLanes]int32
	count := p.rest[0].length()
	if n < p.FullDiagonal || count == 0 || count > p.MostSlots || p.rest[0].list != nil || int(p.Col[p.rest[0].end-1])+n > cols {
		return false
	}
	for l := range n {
		r := &p.rest[l]
		if r.list != nil || r.length() != count {
			return false
		}
		first[l] = r.first
	}
	p.first = append(p.first[:0], first[:n]...)
	p.Widths, p.items = Grow(p.Widths, count), Grow(p.items, n*count)
	if !p.Kernels.Or().SameDiagonals(p.items, p.Widths, p.Width, p.Col, p.first) {
		p.begin(0, 0)
		return false
	}
	p.Offsets = Grow(p.Offsets, count)
	for k, j := range p.Col[first[0]:][:count] {
		p.Offsets[k] = j - int32(row)
	}
	if n == p.Lanes {
		p.Full = count
	} else {
		p.widen(count, n)
	}
	for l := range n {
		p.rest[l].first = p.rest[l].end
	}
	return true
}

// widen extends slots of n lanes to all lanes.
func (p *Packer) widen(slots, n int) {
	items := p.items
	p.items = make([]int32, 0, slots*p.Lanes)
	for k := range slots {
		p.items = append(p.items, items[k*n:][:n]...)
		for range p.Lanes - n {
			p.items = append(p.items, NoItem)
		}
	}
}
