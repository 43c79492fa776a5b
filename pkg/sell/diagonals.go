package sell

import "math"

// Diagonals makes a group of the diagonals that at least FullDiagonal of the first n lanes
// have an item on, where lane l is row row+l of a matrix with so many columns, and every
// lane a column. What is left stays in the lanes. ok is false if there is no such diagonal.
func (p *Packer) Diagonals(row, n, cols int) (ok bool) {
	p.begin(0, 0)
	if p.sameDiagonals(row, n, cols) {
		return true
	}
	var at, kept [MaxLanes]int
	rest := p.rest[:n]
	for {
		offset := math.MaxInt
		var next [MaxLanes]int // offset of each lane's next item
		for l, run := range rest {
			next[l] = math.MaxInt
			if at[l] < len(run) {
				next[l] = int(p.Col[run[at[l]]]) - row - l
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
			e := rest[l][at[l]]
			at[l]++
			if whole {
				slot[l] = e
				width = max(width, p.Width[e])
			} else {
				rest[l][kept[l]] = e
				kept[l]++
			}
		}
		if whole {
			p.Widths = append(p.Widths, width)
		}
	}
	for l := range rest {
		rest[l] = rest[l][:kept[l]]
	}
	return len(p.Offsets) > 0
}

// diagonal appends a slot without items.
func (p *Packer) diagonal(offset int) []int32 {
	p.Offsets = append(p.Offsets, int32(offset))
	for range p.Lanes {
		p.items = append(p.items, None)
	}
	return p.Slot(len(p.Offsets) - 1)
}

// sameDiagonals is Diagonals where n lanes have all diagonals in common; otherwise it
// returns false.
func (p *Packer) sameDiagonals(row, n, cols int) bool {
	count := len(p.rest[0])
	if n < p.FullDiagonal || count == 0 || count > p.MostSlots || int(p.Col[p.rest[0][count-1]])+n > cols {
		return false
	}
	for _, run := range p.rest[1:n] {
		if len(run) != count {
			return false
		}
	}
	run := p.Col[p.rest[0][0]:][:count]
	for l := 1; l < n; l++ {
		other := p.Col[p.rest[l][0]:][:count]
		for k, j := range run {
			if other[k] != j+int32(l) {
				return false
			}
		}
	}
	for k, j := range run {
		slot, width := p.diagonal(int(j)-row), uint8(1)
		for l := range n {
			slot[l] = p.rest[l][k]
			width = max(width, p.Width[slot[l]])
		}
		p.Widths = append(p.Widths, width)
	}
	for l := range n {
		p.rest[l] = p.rest[l][:0]
	}
	return true
}
