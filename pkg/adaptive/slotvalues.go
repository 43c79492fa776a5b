package adaptive

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/sell"
)

// rounding says which slots of a group get a width of whole bytes: the two kinds of
// decoding work best in long runs.
type rounding uint8

const (
	shortWidths rounding = iota // those of short widths
	noBytes
)

// longGroup is the number of slots, which are sorted by width, from which on a group has
// slots of both kinds.
const longGroup = 16

// roundingOf is that of a group with so many slots in the order of their widths, of which
// the widest has w bits. With 24-bit columns x takes longer than decoding, so that bytes do not pay.
func (t traits) roundingOf(block, slots int, w uint8) rounding {
	if t.far || w > byteWidths && block == 1 && slots < longGroup {
		return noBytes
	}
	return shortWidths
}

// byteWidths are the widths that are rounded up to whole bytes, where that saves
// more time than it costs.
const byteWidths = 24

// round is the width that slots of w bits get.
func (r rounding) round(w uint8) uint8 {
	switch {
	case r == shortWidths && w <= byteWidths:
		return (w + 7) / 8 * 8
	case kernels.ByteWidth(int(w)):
		return w + 1
	}
	return w
}

// columns writes the group of slots with columns that was made last.
func (s *slotBuilder) columns(flags uint16) {
	r := s.roundingOf(s.Block, len(s.Widths), s.Widths[0])
	s.group(int(s.Base), len(s.Widths), flags)
	twice := 1
	if s.lower {
		twice = 2
	}
	for k, w := range s.Widths {
		var cols [lanes]int32
		for l, e := range s.Slot(k) {
			switch {
			case e != sell.None:
				cols[l] = s.Col[e] - s.Base
			case s.lower && k > 0: // a column of its own: several lanes that add to one wait for each other
				cols[l] = int32(s.out.Index[len(s.out.Index)-lanes+l])
			}
		}
		s.tally.Bytes[r.round(w)] += s.addIndex(&cols)
		s.slot(k, r, twice)
	}
}

// addIndex writes the columns of a slot relative to the base of its group, and returns their bytes.
func (s *slotBuilder) addIndex(cols *[lanes]int32) int64 {
	if s.far {
		s.out.Index = kernels.PackFar(s.out.Index, cols)
		return 2 * kernels.FarIndex
	}
	for _, c := range cols {
		s.out.Index = append(s.out.Index, uint16(c))
	}
	return 2 * lanes
}

// diagonals writes a group of the diagonals that most of the eight rows from `row` on have.
func (s *slotBuilder) diagonals(row int) {
	r := s.roundingOf(s.Block, 0, s.Widest())
	if !s.Diagonals(row, lanes, s.ints.Cols) {
		return
	}
	n, first := len(s.Offsets), len(s.out.Offsets)
	if first >= n && slices.Equal(s.out.Offsets[first-n:], s.Offsets) { // as in the last slice
		first -= n
	} else {
		s.out.Offsets = append(s.out.Offsets, s.Offsets...)
	}
	s.group(first, n, kernels.Diagonal)
	for k := range n {
		s.slot(k, r, 1)
	}
}

// slot appends the values of slot k of its group; elements count so many times.
func (s *slotBuilder) slot(k int, r rounding, times int) {
	b, width := s.Block, r.round(s.Widths[k])
	s.out.Widths = append(s.out.Widths, width)
	s.tally.Bytes[width] += int64(1 + b*b*int(width))
	n := 0
	for l, e := range s.Slot(k) {
		s.index[l] = -1
		if e != sell.None {
			s.index[l] = int64(e) * int64(b*b)
			n += s.Filled(e)
		}
	}
	s.tally.Elements[width] += n * times
	bytes := b * int(width)
	for row := range b {
		stream := row
		if b == 1 {
			stream = k & 1
		}
		values := slices.Grow(s.streams[stream], bytes+kernels.SlotPadding)
		at := len(values)
		s.kernels.PackSlot(values[at:at+bytes+kernels.SlotPadding], s.M, &s.index, b, int(width))
		s.streams[stream] = values[:at+bytes]
		for l := range s.index { // to the next row of the blocks
			if s.index[l] >= 0 {
				s.index[l] += int64(b)
			}
		}
	}
}

// values returns the streams one after the other, in the memory of old if that
// suffices.
func (s *slotBuilder) values(old []byte) []byte {
	n := kernels.SlotPadding
	for _, v := range s.streams {
		n += len(v)
	}
	values := reuse(old, n, s.memory.bytes)[:0]
	for _, v := range s.streams {
		values = append(values, v...)
	}
	return append(values, make([]byte, kernels.SlotPadding)...)
}

// floats writes a slot of tiny elements of the slice, and reports whether there was one.
func (s *slotBuilder) floats(flags uint16) bool {
	if len(s.Tiny) == 0 {
		return false
	}
	b := int32(s.Block)
	var cols [lanes]int32
	var values [kernels.MaxBlock * kernels.MaxBlock * lanes]float32
	base, ok := s.Floats(func(l int, base int32, e sell.Tiny) {
		j := e.Col % b
		cols[l] = e.Col - j - base
		values[lanes*(b*(e.Row%b)+j)+int32(l)] = e.Value
		s.tally.Tiny++
	})
	if !ok {
		return false
	}
	row := int(lanes * b)
	for r := range s.Block {
		for _, v := range values[r*row : (r+1)*row] {
			s.streams[r] = binary.LittleEndian.AppendUint32(s.streams[r], math.Float32bits(v))
		}
	}
	s.group(int(base), 1, flags|kernels.Float)
	s.out.Widths = append(s.out.Widths, 32)
	s.tally.FloatBytes += int64(1+4*s.Block*s.Block*lanes) + s.addIndex(&cols)
	return true
}
