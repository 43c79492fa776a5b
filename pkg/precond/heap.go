package precond

// ranked elements are ordered.
type ranked[T any] interface{ before(T) bool }

// heap is a binary heap with the first element on top. It makes no interface calls, unlike
// container/heap, which ILUT would notice.
type heap[T ranked[T]] []T

var (
	_ ranked[column] = column(0)
	_ ranked[item]   = item{}
)

func (h *heap[T]) push(v T) {
	*h = append(*h, v)
	a, k := *h, len(*h)-1
	for k > 0 && v.before(a[(k-1)/2]) {
		a[k] = a[(k-1)/2]
		k = (k - 1) / 2
	}
	a[k] = v
}

func (h *heap[T]) pop() T {
	a := *h
	top, last := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	*h = a
	k := 0
	for {
		child := 2*k + 1
		if child >= len(a) {
			break
		}
		if child+1 < len(a) && a[child+1].before(a[child]) {
			child++
		}
		if !a[child].before(last) {
			break
		}
		a[k] = a[child]
		k = child
	}
	if len(a) > 0 {
		a[k] = last
	}
	return top
}

// column is a column that is still to be eliminated.
type column int32

func (a column) before(b column) bool { return a < b }
