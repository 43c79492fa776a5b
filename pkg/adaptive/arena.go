package adaptive

import (
	"sync"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

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
		adviseLargePages(a.free)
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
