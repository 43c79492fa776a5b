package adaptive

import (
	"sync"
	"unsafe"
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
