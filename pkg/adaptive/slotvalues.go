package adaptive

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/packed"
)

// rounding says which slots of a group get a width of whole bytes: the two kinds of
// decoding work best in long runs.
type rounding uint8

const (
	shortWidths rounding = iota // slots of short widths
	noBytes
)

// longGroup is the number of slots, which are sorted by width, from which on a group has
// slots of both kinds.
const longGroup = 16

// roundingOf returns the rounding of a group with so many slots in the order of their widths, of which
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
	if s.far {
		for k := range s.Widths {
			var cols [lanes]int32
			for l, e := range s.Slot(k) {
				if e != packed.NoItem {
					cols[l] = s.Col[e] - s.Base
				}
			}
			s.addIndex(&cols)
		}
		s.slots(r, twice, 2*kernels.FarIndex)
		return
	}
	at := len(s.out.Index)
	s.out.Index = append(s.out.Index, s.Index...)
	if s.lower {
		index := s.out.Index[at:]
		for k, e := range s.Slots()[lanes:] {
			if e == packed.NoItem { // a column of its own: several lanes that add to one wait for each other
				index[lanes+k] = index[k]
			}
		}
	}
	s.slots(r, twice, 2*lanes)
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
	if !s.Diagonals(row, lanes, s.ints.Cols) {
		return
	}
	r := s.roundingOf(s.Block, 0, max(slices.Max(s.Widths), s.Widest()))
	n, first := len(s.Offsets), len(s.out.Offsets)
	if first >= n && slices.Equal(s.out.Offsets[first-n:], s.Offsets) { // as in the last slice
		first -= n
	} else {
		s.out.Offsets = append(s.out.Offsets, s.Offsets...)
	}
	s.group(first, n, kernels.Diagonal)
	s.slots(r, 1, 0)
}

// slots appends the values of the slots of the group; elements count so many times, and a slot
// has so many bytes besides its values and its width.
func (s *slotBuilder) slots(r rounding, times int, besides int64) {
	b := s.Block
	at := len(s.out.Widths)
	var bytes [2]int // of even and odd slots
	for k, w := range s.Widths {
		width := r.round(w)
		bytesOf, elements := &s.tally.FloatBytes, &s.tally.Floats
		if s.ints.Float {
			width = 64
		} else {
			bytesOf, elements = &s.tally.Bytes[width], &s.tally.Elements[width]
		}
		s.out.Widths = append(s.out.Widths, width)
		*bytesOf += besides + int64(1+b*b*int(width))
		*elements += times * s.elements(k)
		bytes[k&1] += int(width)
	}
	widths := s.out.Widths[at:]
	if b == 1 {
		even, odd := room(s.streams[0], bytes[0]), room(s.streams[1], bytes[1])
		s.Kernels.PackSlots(even[len(s.streams[0]):], odd[len(s.streams[1]):], s.M, s.Slots(), widths)
		s.streams[0], s.streams[1] = even[:len(s.streams[0])+bytes[0]], odd[:len(s.streams[1])+bytes[1]]
		return
	}
	for k, width := range widths {
		for l, e := range s.Slot(k) {
			if s.blocks.First[l] = packed.NoItem; e != packed.NoItem {
				s.blocks.First[l], s.blocks.Stride[l] = s.Place(e)
			}
		}
		n := b * int(width)
		for i := range b {
			stream := room(s.streams[i], n)
			s.to[i] = stream[len(s.streams[i]):]
			s.streams[i] = stream[:len(s.streams[i])+n]
		}
		s.Kernels.PackBlocks(&s.to, s.M, &s.blocks, b, int(width))
	}
}

// elements is the number of elements in slot k of the group.
func (s *slotBuilder) elements(k int) (n int) {
	if s.Block == 1 && k < s.Full {
		return lanes
	}
	for _, e := range s.Slot(k) {
		if e != packed.NoItem {
			n += s.Filled(e)
		}
	}
	return n
}

// room makes s longer by n bytes of any value, and by those that a slot is loaded with.
func room(s []byte, n int) []byte {
	n += kernels.SlotPadding
	return slices.Grow(s, n)[:len(s)+n]
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
	base, ok := s.Floats(func(l int, base int32, e packed.Tiny) {
		j := e.Col % b
		cols[l] = e.Col - j - base
		values[lanes*(b*(e.Row%b)+j)+int32(l)] = e.Value
		s.tally.Floats++
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
