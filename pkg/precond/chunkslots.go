package precond

import (
	"encoding/binary"
	"math/bits"
)

// slot appends an empty slot and returns the places of its values.
func (p *chunkPacker) slot() *[chunkRows]uint32 {
	n := len(p.places)
	p.places = append(p.places, make([]uint32, chunkRows)...)
	return (*[chunkRows]uint32)(p.places[n:])
}

// sameRuns makes runs of all elements if all rows have the same diagonals, and none otherwise.
func (p *chunkPacker) sameRuns() uint16 {
	n := p.end[0] - p.start[0]
	first := p.col[p.start[0]:p.end[0]]
	if n == 0 || int(first[n-1])+chunkRows > p.width {
		return 0
	}
	for l := 1; l < chunkRows; l++ {
		if p.end[l]-p.start[l] != n {
			return 0
		}
	}
	for l := 1; l < chunkRows; l++ {
		other := p.col[p.start[l]:][:n]
		for k, c := range first {
			if other[k] != c+int32(l) {
				return 0
			}
		}
	}
	p.Base = append(p.Base, first...)
	for k := range n {
		s := p.slot()
		for l := range s {
			s[l] = p.element[p.start[l]+k]
		}
	}
	return uint16(n)
}

// A sweep goes through the lanes and keeps what it does not take.
type sweep struct{ at, kept [chunkRows]int }

// keep keeps the next element of each lane of a set of bits that were taken.
func (p *chunkPacker) keep(w *sweep, lanes uint) {
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros(lanes)
		e, k := w.at[l]-1, w.kept[l]
		p.col[k], p.element[k] = p.col[e], p.element[e]
		w.kept[l]++
	}
}

// rest keeps all that a sweep has not come to.
func (p *chunkPacker) rest(w *sweep) {
	for l, k := range w.kept {
		n := copy(p.col[k:], p.col[w.at[l]:p.end[l]])
		copy(p.element[k:], p.element[w.at[l]:p.end[l]])
		p.finish(l, k+n)
	}
}

// runs makes slots of the diagonals that many rows have.
func (p *chunkPacker) runs() (count uint16) {
	w := sweep{p.start, p.start}
	for failures := 0; failures <= patience; {
		offset := int32(none)
		for l, e := range &w.at {
			offset = min(offset, p.col[e]-int32(l))
		}
		if offset > none-chunkRows {
			break
		}
		n, have, lanes := len(p.places), 0, uint(0)
		s := p.slot()
		for l, e := range &w.at {
			take := 0
			if p.col[e]-int32(l) == offset {
				take = 1
			}
			s[l] = p.element[e] * uint32(take)
			w.at[l] = e + take
			lanes |= uint(take) << l
			have += take
		}
		if have >= leastRun && offset >= 0 && int(offset)+chunkRows <= p.width {
			p.Base = append(p.Base, offset)
			count++
			failures = 0
			continue
		}
		failures++
		p.places = p.places[:n]
		p.keep(&w, lanes)
	}
	p.rest(&w)
	return count
}

// windows makes slots of elements whose columns are below base + reach, at least so many of each:
// windows, or near ones if that is nearReach.
func (p *chunkPacker) windows(reach uint32, least int) (count uint16) {
	w := sweep{p.start, p.start}
	last := none - int32(1)
	if reach == window {
		last = int32(p.width - window)
	}
	var index [chunkRows]uint32
	var heads [chunkRows]int32 // the next column of each lane
	first := int32(none)       // the least of them
	for l, e := range &w.at {
		heads[l] = p.col[e]
		first = min(first, heads[l])
	}
	for failures := 0; failures <= patience && first < none; {
		base := min(first, last)
		first = none
		n, have, lanes := len(p.places), 0, uint(0)
		s := p.slot()
		for l, e := range &w.at {
			take, at := 0, uint32(heads[l]-base)
			if at < reach {
				take = 1
			}
			s[l] = p.element[e] * uint32(take)
			index[l] = at * uint32(take)
			e += take
			w.at[l], heads[l] = e, p.col[e]
			first = min(first, p.col[e])
			lanes |= uint(take) << l
			have += take
		}
		if have < least {
			failures++
			p.places = p.places[:n]
			p.keep(&w, lanes)
			continue
		}
		failures = 0
		count++
		p.Base = append(p.Base, base)
		for _, at := range &index {
			if p.Index = append(p.Index, byte(at)); reach > window {
				p.Index = append(p.Index, byte(at>>8))
			}
		}
	}
	p.rest(&w)
	return count
}

// span returns the first and the last column.
func (p *chunkPacker) span() (first, last int32) {
	first = none
	for l, at := range p.start {
		if end := p.end[l]; end > at {
			first, last = min(first, p.col[at]), max(last, p.col[end-1])
		}
	}
	return first, max(first, last)
}

// gathers makes slots of what is left: near ones if all columns lie within nearReach.
func (p *chunkPacker) gathers() (near, far uint16) {
	first, last := p.span()
	slots := 0
	for l, at := range p.start {
		slots = max(slots, p.end[l]-at)
	}
	if slots == 0 {
		return 0, 0
	}
	isNear := last-first < nearReach
	at := p.start
	for range slots {
		s := p.slot()
		if isNear {
			p.Base = append(p.Base, first)
		}
		for l, e := range &at {
			c := first
			if e < p.end[l] {
				c, s[l] = p.col[e], p.element[e]
				at[l]++
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
