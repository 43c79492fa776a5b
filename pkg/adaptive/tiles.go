package adaptive

import (
	"cmp"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Column tiles: where the columns of a row are all over x, and x is larger than
// the second-level cache, the product of tileRows rows goes segment by segment of
// x. A segment (half a megabyte) and the sums of the rows (the same) stay in the
// cache; within a segment rows go by windows, short enough for the first level, in
// the order of the lengths that they have there.
const (
	tileRows = 1 << 16 // at most
	// tileElements is how many elements a window should have in a segment, about.
	tileElements = 4096
	leastWindow  = 4096
)

// tileUnits are the ranges of rows that go segment by segment: at least 32, if
// there are so many windows, since they are the units of parallel work, and more
// where there are more than maxItems elements.
func tileUnits(m *csr.Matrix) []int {
	rows := min(max(m.Rows/32, leastWindow)/leastWindow*leastWindow, tileRows)
	var bounds []int
	for lo := 0; lo < m.Rows; lo += rows {
		bounds = append(bounds, lo)
	}
	return bounded(m, append(bounds, m.Rows), 1)
}

// tileWindow is the number of rows of a window.
func tileWindow(m *csr.Matrix) int {
	segments := (m.Cols + reach - 1) / reach
	window := leastWindow
	for window < tileRows && m.NNZ()/segments*window/max(m.Rows, 1) < tileElements {
		window *= 2
	}
	return window
}

// tiles makes the panels of the rows lo to hi-1, segment by segment.
func (s *slotBuilder) tiles(b *builder, lo, hi int) (panels []slotPanel) {
	s.ints.quantize(b, lo, hi)
	window := tileWindow(b.m)
	next := slices.Clone(s.ints.first[:s.ints.rows]) // the first element of a row from this segment on
	total := tally{nonzeros: s.ints.nonzeros}
	for segment := 0; segment < b.m.Cols; segment += reach {
		for from := 0; from < s.ints.rows; from += window {
			to := min(from+window, s.ints.rows)
			rows := s.tile(next, from, to, segment)
			if len(rows) == 0 {
				continue
			}
			s.items = &s.bloc
			s.build()
			for k, i := range s.Order {
				s.Order[k] = rows[i]
			}
			panels = append(panels, slotPanel{s.clone(), lo + from, lo + to})
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
	for i := from; i < to; i++ {
		k, end := next[i], s.ints.first[i+1]
		start := k
		for k < end && s.ints.col[k] <= limit {
			k++
		}
		next[i] = k
		tiny := false
		for _, e := range tinyOf(s.ints.tiny, i, i+1) {
			if int(e.col) >= segment && e.col <= limit {
				e.row = int32(len(rows))
				s.tinyHere = append(s.tinyHere, e)
				tiny = true
			}
		}
		if k == start && !tiny {
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
	s.Order = make([]uint16, s.rows)
	for i := range s.Order {
		s.Order[i] = uint16(i)
	}
	slices.SortStableFunc(s.Order, func(i, j uint16) int { return cmp.Compare(s.length(int(j)), s.length(int(i))) })
}

// slotPanel is a panel with its rows.
type slotPanel struct {
	kernels.SlotPanel
	lo, hi int
}
