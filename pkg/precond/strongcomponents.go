package precond

import (
	"context"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// strongComponents returns an order in which a square matrix with nonzeros on its diagonal is
// block lower triangular, P A P^T, with as many diagonal blocks as possible: the strong
// components of its graph [Tarjan72]. Block b is rows bounds[b] to bounds[b+1]-1 of that
// order; in a block rows stay in the order given. The time is proportional to the number
// of entries. If ctx is done, strongComponents returns its error.
func strongComponents(ctx context.Context, m *csr.Matrix) (order csr.Permutation, bounds []int, err error) {
	n := m.Rows
	t := &tarjan{index: make([]int32, n), low: make([]int32, n), next: make([]int64, n)}
	order = make(csr.Permutation, 0, n)
	var sizes []int
	work := 0
	for i := range int32(n) {
		if t.index[i] != 0 {
			continue
		}
		t.enter(m, i)
		for len(t.path) > 0 {
			v := t.path[len(t.path)-1]
			if w := t.step(m, v); w >= 0 {
				t.enter(m, w)
				continue
			}
			t.path = t.path[:len(t.path)-1]
			if len(t.path) > 0 {
				up := t.path[len(t.path)-1]
				t.low[up] = min(t.low[up], t.low[v])
			}
			if t.low[v] == t.index[v] {
				first := len(order)
				order = t.leave(order, v)
				slices.Sort(order[first:])
				sizes = append(sizes, len(order)-first)
			}
			if work++; work >= workBetweenChecks {
				work = 0
				if err := ctx.Err(); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	bounds = append(bounds, 0)
	for _, size := range sizes { // components come after all that they lead to
		bounds = append(bounds, bounds[len(bounds)-1]+size)
	}
	return order, bounds, nil
}

// tarjan is a depth-first search for strong components.
type tarjan struct {
	index []int32 // of a row in the order in which they are met, from 1; 0: not met
	low   []int32 // the least index that is reached from a row, in its component
	next  []int64 // entry of a row that comes next
	path  []int32
	stack []int32 // rows met whose components are not complete
	count int32
}

// done is above all indices: the index of rows whose component is complete.
const done = 1<<31 - 1

func (t *tarjan) enter(m *csr.Matrix, i int32) {
	t.count++
	t.index[i], t.low[i], t.next[i] = t.count, t.count, m.RowPtr[i]
	t.path, t.stack = append(t.path, i), append(t.stack, i)
}

// step returns the next row that v leads to and that has not been met, -1: none.
func (t *tarjan) step(m *csr.Matrix, v int32) int32 {
	for t.next[v] < m.RowPtr[v+1] {
		w := m.Col[t.next[v]]
		t.next[v]++
		if t.index[w] == 0 {
			return w
		}
		t.low[v] = min(t.low[v], t.index[w])
	}
	return -1
}

// leave appends the component of v, which is complete.
func (t *tarjan) leave(order csr.Permutation, v int32) csr.Permutation {
	for {
		w := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		order = append(order, w)
		t.index[w] = done
		if w == v {
			return order
		}
	}
}
