package adaptive

import (
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Column tiles: where the columns of a row are all over x, and x is larger than
// the second-level cache, the product of many rows, a unit, goes segment by segment
// of x. A segment (half a megabyte) stays in the cache while a window of rows, whose
// sums are no more, goes through it in the order of the lengths that the rows have
// there. Units are the larger the less often x is read.
const (
	tileRows    = 1 << 17 // of a unit, at most
	leastTile   = 1 << 12 // and at least
	tileUnitsOf = 16      // units that a matrix has, if they are not too large or small
	tileWindow  = 1 << 16 // rows that 16 bits number
)

// tileUnits are the ranges of rows that go segment by segment, the units of
// parallel work, none of more than maxItems elements.
func tileUnits(m *csr.Matrix) []int {
	rows := min(max(m.Rows/tileUnitsOf, leastTile), tileRows)
	var bounds []int
	for lo := 0; lo < m.Rows; lo += rows {
		bounds = append(bounds, lo)
	}
	return bounded(m, append(bounds, m.Rows), 1)
}

// tiles makes the panels of the rows lo to hi-1, segment by segment, in the memory
// of the old ones if that suffices.
func (s *slotBuilder) tiles(b *builder, lo, hi int, old slotUnit) (panels slotUnit) {
	s.ints.quantize(b, lo, hi)
	next := slices.Clone(s.ints.first[:s.ints.rows]) // the first element of a row from this segment on
	total := tally{nonzeros: s.ints.nonzeros}
	for segment := 0; segment < b.m.Cols; segment += reach {
		for from := 0; from < s.ints.rows; from += tileWindow {
			to := min(from+tileWindow, s.ints.rows)
			rows := s.tile(next, from, to, segment)
			if len(rows) == 0 {
				continue
			}
			s.items = &s.bloc
			s.buildItems()
			for k, i := range s.Order {
				s.Order[k] = rows[i]
			}
			panels = append(panels, slotPanel{s.clone(old.panel(len(panels))), lo + from, lo + to})
			total.add(&s.tally)
		}
	}
	s.tally = total
	return panels
}

// tile collects the elements of the rows from..to-1 in a segment of columns, and
// returns the rows that have some, relative to from, in the order of the items. The
// first rows are the longest.
func (s *slotBuilder) tile(next []int32, from, to, segment int) (rows []uint16) {
	t := &s.bloc
	t.block, t.first = 1, append(t.first[:0], 0)
	t.col, t.m, t.width = t.col[:0], t.m[:0], t.width[:0]
	s.tinyHere = s.tinyHere[:0]
	limit := int32(min(segment+reach, s.ints.cols) - 1)
	tiny := tinyOf(s.ints.tiny, from, to)
	for i := from; i < to; i++ {
		k, end := next[i], s.ints.first[i+1]
		start := k
		for k < end && s.ints.col[k] <= limit {
			k++
		}
		next[i] = k
		before := len(s.tinyHere)
		for ; len(tiny) > 0 && int(tiny[0].row) == i; tiny = tiny[1:] {
			if e := tiny[0]; int(e.col) >= segment && e.col <= limit {
				e.row = int32(len(rows))
				s.tinyHere = append(s.tinyHere, e)
			}
		}
		if k == start && len(s.tinyHere) == before {
			continue
		}
		t.col = append(t.col, s.ints.col[start:k]...)
		t.m = append(t.m, s.ints.m[start:k]...)
		t.width = append(t.width, s.ints.width[start:k]...)
		t.first = append(t.first, int32(len(t.col)))
		rows = append(rows, uint16(i-from))
	}
	t.rows = len(rows)
	return rows
}

// longestFirst puts the rows in the order of falling lengths.
func (s *slotBuilder) longestFirst() {
	longest := 0
	for i := range s.rows {
		longest = max(longest, s.length(i))
	}
	s.places = grow(s.places, longest+1)
	clear(s.places)
	for i := range s.rows {
		s.places[s.length(i)]++
	}
	next := int32(0)
	for n := longest; n >= 0; n-- {
		s.places[n], next = next, next+s.places[n]
	}
	s.Order = grow(s.Order, s.rows)
	for i := range s.rows {
		n := s.length(i)
		s.Order[s.places[n]] = uint16(i)
		s.places[n]++
	}
}
