package adaptive

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// wayApart says which slots of a group are of whole bytes: the two ways apart meet
// best in long runs.
type wayApart uint8

const (
	byWidth wayApart = iota // those of short widths
	allBits
)

// longGroup is the number of slots, which are sorted by width, from which on a group
// goes both ways.
const longGroup = 16

// wayOf is that of a group with so many slots in the order of their widths, of which
// the widest has w bits.
func (s *slotBuilder) wayOf(slots int, w uint8) wayApart {
	if w > byteWidths && s.items.block == 1 && slots < longGroup {
		return allBits
	}
	return byWidth
}

// byteWidths are the widths that are rounded up to whole bytes, where that saves
// more time than it costs.
const byteWidths = 24

// round is the width that slots of w bits get.
func (way wayApart) round(w uint8) uint8 {
	switch {
	case way == byWidth && w <= byteWidths:
		return (w + 7) / 8 * 8
	case kernels.ByteWidth(int(w)):
		return w + 1
	}
	return w
}

// slot appends the values of slot k of its group, of the given items (-1: none) with
// n elements.
func (s *slotBuilder) slot(k int, which *[lanes]int32, width uint8, n int) {
	width = s.way.round(width)
	size := s.items.block * s.items.block
	s.bytes[width] += int64(1 + size*int(width))
	s.tally.elements[width] += n
	s.Widths = append(s.Widths, width)
	b := s.items.block
	bytes := b * int(width)
	for r := range b {
		for l, e := range which {
			s.index[l] = int64(e)*int64(size) + int64(r*b)
			if e < 0 {
				s.index[l] = -1
			}
		}
		stream := r
		if b == 1 {
			stream = k & 1
		}
		values := slices.Grow(s.streams[stream], bytes+kernels.SlotPadding)
		at := len(values)
		kernels.PackSlot(values[at:at+bytes+kernels.SlotPadding], s.m, &s.index, b, int(width))
		s.streams[stream] = values[:at+bytes]
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

// floats makes slots of the tiny elements of the rows, or block rows, of a chunk.
func (s *slotBuilder) floats(flags uint16, rows []int) {
	if len(s.tinyHere) == 0 {
		return
	}
	b := s.items.block
	var left [lanes][]Tiny
	for l, i := range rows {
		left[l] = tinyOf(s.tinyHere, b*i, b*(i+1))
	}
	for {
		base := int32(math.MaxInt32)
		for _, e := range left {
			if len(e) > 0 {
				base = min(base, e[0].Col-e[0].Col%int32(b))
			}
		}
		if base == math.MaxInt32 {
			return
		}
		var index [lanes]uint16
		at := len(s.streams[0])
		for r := range b {
			s.streams[r] = append(s.streams[r], make([]byte, 4*lanes*b)...)
		}
		for l, e := range left {
			if len(e) == 0 {
				continue
			}
			i, j := int(e[0].Row)%b, e[0].Col%int32(b)
			if column := e[0].Col - j - base; column < reach {
				index[l] = uint16(column)
				binary.LittleEndian.PutUint32(s.streams[i][at+4*(lanes*int(j)+l):], math.Float32bits(e[0].Value))
				left[l] = e[1:]
				s.tally.tiny++
			}
		}
		s.group(int(base), 1, flags|kernels.Float)
		s.Widths = append(s.Widths, 32)
		s.Index = append(s.Index, index[:]...)
		s.tally.floats += int64(1 + (4*b*b+2)*lanes)
	}
}
