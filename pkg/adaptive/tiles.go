package adaptive

import (
	"slices"

	"github.com/mpsolve/mpsolve/internal/packed"
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
	s.ints.Quantize(b.m, b.part, lo, hi)
	runs := s.segments((b.m.Cols + columnReach - 1) / columnReach)
	total := packed.Tally{NNZ: s.ints.NNZ}
	for g := range len(runs) - 1 {
		for at := runs[g]; at < runs[g+1]; {
			from := int(s.runRow[at]) / tileWindow * tileWindow
			end := at + 1
			for end < runs[g+1] && int(s.runRow[end]) < from+tileWindow {
				end++
			}
			s.tile(at, end, g, from)
			s.begin()
			s.order()
			s.slices()
			s.finish()
			for k, i := range s.out.Order {
				s.out.Order[k] = uint16(int(s.runRow[at+int32(i)]) - from)
			}
			to := min(from+tileWindow, s.ints.Rows)
			panels = append(panels, slotPanel{s.clone(old.panel(len(panels))), lo + from, lo + to})
			total.Add(&s.tally)
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
		tiny := s.ints.Tiny
		for i := range int32(s.ints.Rows) {
			for ; len(tiny) > 0 && tiny[0].Row == i; tiny = tiny[1:] {
				if g := int(tiny[0].Col) / columnReach; last[g] != i {
					last[g] = i
					row(i, g)
				}
			}
			for k := s.ints.First[i]; k < s.ints.First[i+1]; k++ {
				g := int(s.ints.Col[k]) / columnReach
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
	t := &s.other
	n := len(s.ints.Col)
	t.Block, t.Col, t.M, t.Width = 1, packed.Grow(t.Col, n), packed.Grow(t.M, n), packed.GrowWidths(t.Width, n)
	s.runRow, s.runFirst = packed.Grow(s.runRow, int(runs[count])), packed.Grow(s.runFirst, int(runs[count])+1)
	s.runFirst[runs[count]] = int32(n)
	nextRun := slices.Clone(runs)
	visit(func(i int32, g int) {
		s.runRow[nextRun[g]], s.runFirst[nextRun[g]] = i, elements[g]
		nextRun[g]++
	}, func(k int32, g int) {
		at := elements[g]
		t.Col[at], t.M[at], t.Width[at] = s.ints.Col[k], s.ints.M[k], s.ints.Width[k]
		elements[g]++
	})
	return runs
}

// tile makes items of the runs at..end-1, which are in segment g and a window of
// rows that begins at row from.
func (s *slotBuilder) tile(at, end int32, g, from int) {
	t := &s.other
	t.First, t.Rows = s.runFirst[at:end+1], int(end-at)
	s.Items, s.Tiny = t, s.Tiny[:0]
	k := at
	for _, e := range packed.TinyOf(s.ints.Tiny, from, min(from+tileWindow, s.ints.Rows)) {
		if int(e.Col)/columnReach != g {
			continue
		}
		for s.runRow[k] != e.Row {
			k++
		}
		e.Row = k - at
		s.Tiny = append(s.Tiny, e)
	}
}

// tilesCost is estimated from the first estimate, the estimate of slots: columns and widths are
// about the same, rows have runs in several segments, and x is read once for each unit.
func (s *sample) tilesCost(b *builder, _ estimate) (c cost) {
	if !b.farX() || s.stored == 0 {
		return impossible
	}
	x := float64(b.m.Cols) / 8 * float64(len(tileUnits(b.m))-1) / s.share(b) // lines
	c.work[tileSlotWork] = s.stored / lanes
	c.work[tileWork] = s.segments / lanes
	c.work[missWork] = x
	c.bytes = s.estimates[0].bytes + 2*s.segments + cacheLine*x
	return c
}
