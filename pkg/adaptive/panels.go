package adaptive

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// maxItems bounds the elements of a panel, which an int32 numbers.
const maxItems = math.MaxInt32

const (
	leastPanels  = 64 // if there are so many
	leastOfPart  = 8  // in each of many parts
	mostTogether = 8
)

// slotPanels are the ranges of rows of m that are stored and multiplied each by
// itself, none of more than maxItems elements; at least so many, if there are so many of csr.
func slotPanels(m *csr.Matrix, p slotPlan, least int) ([]int, error) {
	var panels []int
	if p.traits().tiled {
		panels = tileUnits(m)
	} else {
		panels = bounded(m, slicePanels(m, p.block, least), p.block)
	}
	for k, hi := range panels[1:] {
		if lo := panels[k]; m.RowPtr[hi]-m.RowPtr[lo] > maxItems {
			return nil, fmt.Errorf("adaptive: rows %d to %d have more than 2^31-1 elements, too many for blocks", lo+1, hi)
		}
	}
	return panels, nil
}

// slicePanels are the panels of m moved to multiples of a slice of rows, or of
// block rows, and several together where there are many: what is stored of them is
// short, and the first lines of a panel are not prefetched.
func slicePanels(m *csr.Matrix, block, least int) []int {
	all := csr.Panels(m)
	together := min(max((len(all)-1)/least, 1), mostTogether)
	var panels []int
	for k := 0; k < len(all)-1; k += together {
		panels = append(panels, all[k])
	}
	panels = append(panels, m.Rows)
	for k := range panels[:len(panels)-1] {
		panels[k] = panels[k] / (block * lanes) * (block * lanes)
	}
	return slices.Compact(panels)
}

// bounded cuts the ranges of rows that have more than maxItems elements into
// multiples of step rows that do not, or of step rows alone.
func bounded(m *csr.Matrix, ranges []int, step int) []int {
	bounds := ranges[:1:1]
	for _, hi := range ranges[1:] {
		for lo := bounds[len(bounds)-1]; lo < hi; {
			most := sort.Search((hi-lo+step-1)/step-1, func(k int) bool {
				return m.RowPtr[min(lo+(k+2)*step, hi)]-m.RowPtr[lo] > maxItems
			})
			lo = min(lo+(most+1)*step, hi)
			bounds = append(bounds, lo)
		}
	}
	return bounds
}

// pieceItems is about the number of elements whose integers are made before their slots are: they
// stay in a core's own cache.
const pieceItems = 1 << 14

// panel makes the slots of rows lo to hi-1, in the memory of old if that suffices.
func (s *slotBuilder) panel(b *builder, lo, hi int, old kernels.SlotPanel) kernels.SlotPanel {
	if s.whole || s.far || !s.pieces(b, lo, hi) {
		s.begin()
		s.quantize(b, lo, hi)
		s.order()
		s.slices()
		s.whole = true
	}
	s.finish()
	return s.clone(old)
}

// quantize makes items of rows lo to hi-1.
func (s *slotBuilder) quantize(b *builder, lo, hi int) {
	s.ints.Quantize(b.m, b.part, lo, hi)
	s.setItems()
	s.tally.NNZ += s.ints.NNZ
	if s.lower {
		s.mirror += b.mirrorOf(b.weights, &s.ints)
	}
}

// pieces makes the slots of rows lo to hi-1 piece by piece. Whether that is the same as all at once
// shows on the way: it returns false if their order may have to be changed, or a row is a slice.
func (s *slotBuilder) pieces(b *builder, lo, hi int) bool {
	s.begin()
	padded, total := 0, 0
	step := lanes * s.plan.block
	for at := lo; at < hi; {
		start := b.m.RowPtr[at]
		steps := sort.Search((hi-at)/step, func(k int) bool { return b.m.RowPtr[at+(k+1)*step]-start >= pieceItems })
		to := min(at+(steps+1)*step, hi)
		s.quantize(b, at, to)
		p, n := s.padded()
		padded, total = padded+p, total+n
		if at == lo && wasteful(padded, total) || !s.slices() {
			return false
		}
		at = to
	}
	return !wasteful(padded, total) || (hi-lo)/s.plan.block > 1<<16
}

// arenaBytes is the size of the pieces of memory that an arena takes at a time.
const arenaBytes = 32 << 20

// arena hands out memory for the panels of a matrix. Its pieces are large, so that
// the system can back them by large pages: touching memory for the first time costs
// as much as storing a matrix otherwise.
type arena[T any] struct {
	mu    sync.Mutex
	piece int // elements to take at a time
	free  []T
}

// newArena is for about so many elements in all.
func newArena[T any](elements int) *arena[T] {
	var zero T
	return &arena[T]{piece: min(arenaBytes/int(unsafe.Sizeof(zero)), elements/8)}
}

// take returns n elements; their values are undefined.
func (a *arena[T]) take(n int) []T {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n > len(a.free) {
		if n >= a.piece {
			return make([]T, n)
		}
		a.free = make([]T, a.piece)
		host.LargePages(a.free)
	}
	s := a.free[:n:n]
	a.free = a.free[n:]
	return s
}

// slotMemory is where the slots of a matrix go.
type slotMemory struct {
	bytes *arena[byte]
	index *arena[uint16]
}

func newSlotMemory(nnz int) slotMemory {
	return slotMemory{newArena[byte](4 * nnz), newArena[uint16](nnz)}
}

// clone returns the panel in memory of just its size, or in the memory of an old panel.
func (s *slotBuilder) clone(old kernels.SlotPanel) kernels.SlotPanel {
	p := &s.out
	return kernels.SlotPanel{
		Block: p.Block, Far: p.Far, Odd: p.Odd, Groups: refill(old.Groups, p.Groups, nil), Widths: refill(old.Widths, p.Widths, s.memory.bytes),
		Index: refill(old.Index, p.Index, s.memory.index), Offsets: refill(old.Offsets, p.Offsets, nil),
		Values: s.values(old.Values), Order: refill(old.Order, p.Order, nil),
	}
}

// reuse returns memory for n elements: the memory of old, if it is large enough and no
// more than twice as large, or of the arena, if there is one.
func reuse[T any](old []T, n int, from *arena[T]) []T {
	switch {
	case cap(old) >= n && cap(old) <= 2*n:
		return old[:n]
	case from != nil:
		return from.take(n)
	}
	return make([]T, n)
}

// refill copies src to such memory; nil stays nil.
func refill[T any](old, src []T, from *arena[T]) []T {
	if src == nil {
		return nil
	}
	return append(reuse(old, len(src), from)[:0], src...)
}
