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
	tileRows    = 1 << 18 // of a unit, at most
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
	runs := s.segments((b.m.Cols + reach - 1) / reach)
	total := tally{nonzeros: s.ints.nonzeros}
	for g := range len(runs) - 1 {
		for at := runs[g]; at < runs[g+1]; {
			from := int(s.runRow[at]) / tileWindow * tileWindow
			end := at + 1
			for end < runs[g+1] && int(s.runRow[end]) < from+tileWindow {
				end++
			}
			s.tile(at, end, g, from)
			s.buildItems()
			for k, i := range s.Order {
				s.Order[k] = uint16(int(s.runRow[at+int32(i)]) - from)
			}
			to := min(from+tileWindow, s.ints.rows)
			panels = append(panels, slotPanel{s.clone(old.panel(len(panels))), lo + from, lo + to})
			total.add(&s.tally)
			at = end
		}
	}
	s.tally = total
	return panels
}

// segments puts the elements in the order of their segments of columns: in each
// there is a run of elements for each row that has some, or that has a tiny one. It
// returns where the runs of each segment begin.
func (s *slotBuilder) segments(count int) (runs []int32) {
	runs, elements := make([]int32, count+1), make([]int32, count+1)
	last := make([]int32, count) // row of the last run of each segment
	visit := func(row func(i int32, g int), element func(k int32, g int)) {
		for g := range last {
			last[g] = -1
		}
		tiny := s.ints.tiny
		for i := range int32(s.ints.rows) {
			for ; len(tiny) > 0 && tiny[0].Row == i; tiny = tiny[1:] {
				if g := int(tiny[0].Col) / reach; last[g] != i {
					last[g] = i
					row(i, g)
				}
			}
			for k := s.ints.first[i]; k < s.ints.first[i+1]; k++ {
				g := int(s.ints.col[k]) / reach
				if last[g] != i {
					last[g] = i
					row(i, g)
				}
				element(k, g)
			}
		}
	}
	visit(func(_ int32, g int) { runs[g+1]++ }, func(_ int32, g int) { elements[g+1]++ })
	for g := range count {
		runs[g+1] += runs[g]
		elements[g+1] += elements[g]
	}
	t := &s.bloc
	n := len(s.ints.col)
	t.block, t.col, t.m, t.width = 1, grow(t.col, n), grow(t.m, n), grow(t.width, n)
	s.runRow, s.runFirst = grow(s.runRow, int(runs[count])), grow(s.runFirst, int(runs[count])+1)
	s.runFirst[runs[count]] = int32(n)
	nextRun := slices.Clone(runs)
	visit(func(i int32, g int) {
		s.runRow[nextRun[g]], s.runFirst[nextRun[g]] = i, elements[g]
		nextRun[g]++
	}, func(k int32, g int) {
		at := elements[g]
		t.col[at], t.m[at], t.width[at] = s.ints.col[k], s.ints.m[k], s.ints.width[k]
		elements[g]++
	})
	return runs
}

// tile makes items of the runs at..end-1, which are in segment g and a window of
// rows that begins at row from.
func (s *slotBuilder) tile(at, end int32, g, from int) {
	t := &s.bloc
	t.first, t.rows = s.runFirst[at:end+1], int(end-at)
	s.items = t
	s.tinyHere = s.tinyHere[:0]
	k := at
	for _, e := range tinyOf(s.ints.tiny, from, min(from+tileWindow, s.ints.rows)) {
		if int(e.Col)/reach != g {
			continue
		}
		for s.runRow[k] != e.Row {
			k++
		}
		e.Row = k - at
		s.tinyHere = append(s.tinyHere, e)
	}
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
