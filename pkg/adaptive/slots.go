package adaptive

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/formats"
)

// Layout is the order in which a stored matrix lies in memory.
type Layout string

const (
	// LayoutAuto takes slots for AFX where the processor has fast kernels for
	// them, and bucketed CSR otherwise.
	LayoutAuto Layout = ""
	// Bucketed is the papers' layout: one CSR for each format.
	Bucketed Layout = "bucketed"
	// Slots serves eight rows at once, see kernels.SlotPanel: 16-bit column
	// indices, and AFX values of the bytes that the widest of eight needs. Rows
	// that do not go together with their neighbours stay in buckets. For AFX only.
	Slots Layout = "slots"
)

// Layouts lists the layouts.
var Layouts = []Layout{LayoutAuto, Bucketed, Slots}

// layout is the one that a spec gets.
func (s Spec) layout() Layout {
	switch {
	case s.Set.kind() != fixedPoint || s.Set.Uniform:
		return Bucketed
	case s.Layout == LayoutAuto && kernels.HasFastSlots():
		return Slots
	case s.Layout == LayoutAuto:
		return Bucketed
	}
	return s.Layout
}

const (
	// reach is the range of 16-bit columns.
	reach = 1 << 16
	// maxPadding bounds the lanes of a chunk, with and without an element, to
	// this many times its elements, but for a few; else it goes to the buckets,
	// whose elements take about so many times longer.
	maxPadding  = 3
	freePadding = 2 * kernels.Lanes
)

// lane is an element on its way into a slot.
type lane struct {
	col   int32
	width uint8
	m     int64
}

// chunkPlace is where the elements of a chunk are.
type chunkPlace uint8

const (
	inBuckets chunkPlace = iota
	inSlots
	inBoth // those that are not fixed-point numbers in buckets
)

// slotBuilder makes the slots of one panel.
type slotBuilder struct {
	kernels.SlotPanel
	rows   [kernels.Lanes][]lane
	sorted [kernels.Lanes][]lane
	count  [8]int // elements in slots of each width
	slots  [8]int // slots of each width
}

// chunk adds the given rows, at most eight, as chunk number c, unless they are
// not worth being slots. Elements that are not fixed-point numbers are left out.
func (s *slotBuilder) chunk(b *builder, c int, rows []int32) chunkPlace {
	place := inSlots
	before := s.SlotPanel
	count, slots := s.count, s.slots
	elements := 0
	for l := range s.rows {
		row := s.rows[l][:0]
		if l < len(rows) {
			b.row(int(rows[l]), func(col int32, value float64, bucket int) {
				switch {
				case bucket == none:
				case b.codecs[bucket].Kind == formats.Fixed:
					row = append(row, lane{col, uint8(b.codecs[bucket].Bytes), int64(math.RoundToEven(value * b.part.perQ))})
				default:
					place = inBoth
				}
			})
		}
		s.rows[l] = row
		elements += len(row)
	}
	first := len(s.Widths)
	for rest := s.rows; ; {
		base := int32(math.MaxInt32)
		for _, row := range rest {
			if len(row) > 0 {
				base = min(base, row[0].col)
			}
		}
		if base == math.MaxInt32 {
			break
		}
		s.group(&rest, c, base)
	}
	if lanes := kernels.Lanes * (len(s.Widths) - first); lanes > maxPadding*elements+freePadding {
		s.SlotPanel, s.count, s.slots = before, count, slots
		return inBuckets
	}
	return place
}

// group takes the elements within reach of base off the rows and makes slots of
// them, wide ones first so that lanes of about the same width meet.
func (s *slotBuilder) group(rest *[kernels.Lanes][]lane, c int, base int32) {
	var run [kernels.Lanes][]lane
	longest := 0
	for l, row := range rest {
		n := 0
		for n < len(row) && n < math.MaxUint16 && int64(row[n].col)-int64(base) < reach {
			n++
		}
		rest[l] = row[n:]
		s.sorted[l] = widestFirst(s.sorted[l][:0], row[:n])
		run[l] = s.sorted[l]
		longest = max(longest, n)
	}
	s.Groups = append(s.Groups, kernels.SlotGroup{Base: uint32(base), Slots: uint16(longest), Chunk: uint16(c)})
	for k := range longest {
		width := 1
		for _, row := range run {
			if k < len(row) {
				width = max(width, int(row[k].width))
			}
		}
		s.slot(&run, k, width, base)
	}
}

// slot appends the k-th elements of the rows.
func (s *slotBuilder) slot(run *[kernels.Lanes][]lane, k, width int, base int32) {
	s.Widths = append(s.Widths, byte(width))
	s.slots[width]++
	at := len(s.Values)
	s.Values = slices.Grow(s.Values, kernels.Lanes*width+8)
	values := s.Values[at : at+kernels.Lanes*width+8]
	for l, row := range run {
		e := lane{col: base}
		if k < len(row) {
			e = row[k]
			s.count[width]++
		}
		s.Index = append(s.Index, uint16(e.col-base))
		binary.LittleEndian.PutUint64(values[l*width:], uint64(e.m)) // the next one overwrites the excess
	}
	s.Values = s.Values[:at+kernels.Lanes*width]
}

// widestFirst appends a row to dst in the order of falling widths.
func widestFirst(dst, row []lane) []lane {
	for w, left := uint8(7), len(row); w > 0 && left > 0; w-- {
		for _, e := range row {
			if e.width == w {
				dst = append(dst, e)
				left--
			}
		}
	}
	return dst
}

// slotMatrix is the part of a matrix that is in slots.
type slotMatrix struct {
	panels []slotPanel
	exp    int          // of the quantum
	place  []chunkPlace // of each row
	count  [8]int
	slots  [8]int
}

// slotPanel is a panel with its sums where these cannot go to the result at
// once: rows that do not fill the last chunk, or rows that are not in order.
type slotPanel struct {
	kernels.SlotPanel
	order []uint16  // row, less the panel's first, of each lane; nil: in order
	acc   []float64 // nil: the result itself
}

// sortRows is the padding, lanes for an element, above which a panel's rows are
// tried in the order of their lengths.
const sortRows = 1.25

// buildSlots makes slots of all chunks that are worth it.
func (b *builder) buildSlots() *slotMatrix {
	s := &slotMatrix{
		panels: make([]slotPanel, len(b.panels)-1),
		exp:    1 - b.part.spec.unitBits() - b.part.spec.GuardBits,
		place:  make([]chunkPlace, b.m.Rows),
	}
	var mu sync.Mutex
	scratch := sync.Pool{New: func() any { return new(slotBuilder) }}
	b.pool.RunRanges(b.panels, func(panel, lo, hi int) {
		p := scratch.Get().(*slotBuilder)
		defer scratch.Put(p)
		rows := make([]int32, hi-lo)
		for k := range rows {
			rows[k] = int32(lo + k)
		}
		cost := p.panel(b, rows, s.place)
		if nnz := b.m.RowPtr[hi] - b.m.RowPtr[lo]; float64(cost) > sortRows*float64(nnz) && hi-lo <= math.MaxUint16 {
			length := func(i int32) int64 { return b.m.RowPtr[i+1] - b.m.RowPtr[i] }
			slices.SortStableFunc(rows, func(i, j int32) int { return cmp.Compare(length(j), length(i)) })
			p.panel(b, rows, s.place)
			s.panels[panel].order = make([]uint16, len(rows))
			for k, i := range rows {
				s.panels[panel].order[k] = uint16(int(i) - lo)
			}
		}
		to := &s.panels[panel]
		if to.order != nil || len(rows)%kernels.Lanes != 0 {
			to.acc = make([]float64, (len(rows)+kernels.Lanes-1)/kernels.Lanes*kernels.Lanes)
		}
		to.SlotPanel = kernels.SlotPanel{
			Groups: slices.Clone(p.Groups), Widths: slices.Clone(p.Widths),
			Index: slices.Clone(p.Index), Values: slices.Clone(p.Values),
		}
		mu.Lock()
		defer mu.Unlock()
		for w := range s.count {
			s.count[w] += p.count[w]
			s.slots[w] += p.slots[w]
		}
	})
	return s
}

// panel makes the slots of the rows in the order given, says where each row is,
// and returns the lanes that were taken, elements in buckets counting as many
// times as these are slower.
func (s *slotBuilder) panel(b *builder, rows []int32, place []chunkPlace) (cost int) {
	s.Groups, s.Widths, s.Index, s.Values = s.Groups[:0], s.Widths[:0], s.Index[:0], s.Values[:0]
	s.count, s.slots = [8]int{}, [8]int{}
	for c := 0; c*kernels.Lanes < len(rows); c++ {
		chunk := rows[c*kernels.Lanes : min((c+1)*kernels.Lanes, len(rows))]
		at := s.chunk(b, c, chunk)
		for _, i := range chunk {
			place[i] = at
			if at == inBuckets {
				cost += maxPadding * int(b.m.RowPtr[i+1]-b.m.RowPtr[i])
			}
		}
	}
	s.Values = append(s.Values, make([]byte, kernels.SlotPadding)...)
	return cost + len(s.Index)
}

// bytes is the memory that the slots take.
func (s *slotMatrix) bytes() int64 {
	if s == nil {
		return 0
	}
	var n int64
	for _, p := range s.panels {
		n += int64(8*len(p.Groups) + len(p.Widths) + 2*len(p.Index) + len(p.Values) + 2*len(p.order) + 8*len(p.acc))
	}
	return n
}

// multiply returns the products of the rows of a panel with x in units of the
// quantum, and the order that they are in; dst, as long as the panel, may be
// where they are.
func (s *slotMatrix) multiply(dst []float64, panel int, x []float64) (sums []float64, order []uint16) {
	p := &s.panels[panel]
	sums = p.acc
	if sums == nil {
		sums = dst
	}
	clear(sums)
	kernels.AddSlots(sums, &p.SlotPanel, x)
	return sums, p.order
}
