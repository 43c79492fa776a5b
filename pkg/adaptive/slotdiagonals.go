package adaptive

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// diagonals makes slots of the diagonals that most of the eight rows from i on
// have; the rest stays.
func (s *slotBuilder) diagonals(i int) {
	row := s.ints.lo + i
	widest := uint8(0)
	for _, run := range s.rest {
		for _, e := range run {
			widest = max(widest, s.width[e])
		}
	}
	s.way = s.wayOf(0, widest)
	if s.sameDiagonals(row) {
		return
	}
	first := len(s.Offsets)
	var at, kept [lanes]int
	for {
		offset := math.MaxInt
		var next [lanes]int
		for l, run := range &s.rest {
			next[l] = math.MaxInt
			if at[l] < len(run) {
				next[l] = int(s.col[run[at[l]]]) - row - l
				offset = min(offset, next[l])
			}
		}
		if offset == math.MaxInt {
			break
		}
		n := 0
		for _, o := range next {
			if o == offset {
				n++
			}
		}
		inside := row+offset >= 0 && row+offset+lanes <= s.ints.cols
		full := len(s.Offsets)-first == math.MaxUint16 // what a group counts
		if n < fullDiagonal || !inside || full {
			for l, o := range next {
				if o == offset {
					s.rest[l][kept[l]] = s.rest[l][at[l]]
					kept[l]++
					at[l]++
				}
			}
			continue
		}
		var which [lanes]int32
		width := uint8(1)
		for l, o := range next {
			which[l] = -1
			if o == offset {
				e := s.rest[l][at[l]]
				which[l] = e
				width = max(width, s.width[e])
				at[l]++
			}
		}
		s.Offsets = append(s.Offsets, int32(offset))
		s.slot(len(s.Offsets)-1-first, &which, width, n)
	}
	for l := range s.rest {
		s.rest[l] = s.rest[l][:kept[l]]
	}
	s.endDiagonals(first)
}

// sameDiagonals makes slots of the eight rows from `row` on if all have the same
// diagonals, and reports whether it did.
func (s *slotBuilder) sameDiagonals(row int) bool {
	n := len(s.rest[0])
	if n == 0 || n > math.MaxUint16 || s.col[s.rest[0][n-1]] > int32(s.ints.cols-lanes) {
		return false
	}
	for l := 1; l < lanes; l++ {
		if len(s.rest[l]) != n {
			return false
		}
	}
	run := s.col[s.rest[0][0]:][:n]
	for l := 1; l < lanes; l++ {
		other := s.col[s.rest[l][0]:][:n]
		for k, j := range run {
			if other[k] != j+int32(l) {
				return false
			}
		}
	}
	first := len(s.Offsets)
	for k, j := range run {
		var which [lanes]int32
		width := uint8(1)
		for l := range which {
			which[l] = s.rest[l][k]
			width = max(width, s.width[which[l]])
		}
		s.Offsets = append(s.Offsets, j-int32(row))
		s.slot(k, &which, width, lanes)
	}
	for l := range s.rest {
		s.rest[l] = s.rest[l][:0]
	}
	s.endDiagonals(first)
	return true
}

// endDiagonals makes a group of the slots of the diagonals from first on.
func (s *slotBuilder) endDiagonals(first int) {
	n := len(s.Offsets) - first
	if n == 0 {
		return
	}
	if first >= n && slices.Equal(s.Offsets[first-n:first], s.Offsets[first:]) { // as in the last chunk
		s.Offsets = s.Offsets[:first]
		first -= n
	}
	s.group(first, n, kernels.Diagonal)
}
