package precond

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// transversal returns the row p[j] that is matched with each column j so that the
// product of the |a_(p[j], j)| is largest, and a scaling to powers of two of which
// these entries become about 1 and all others at most about 1 [Duff01].
//
// Columns are matched one by one along shortest augmenting paths by Dijkstra's
// algorithm, with the lengths c_ij = log max_k |a_kj| - log |a_ij| less the duals
// u_i + v_j. If that takes more than pathWork, the remaining columns are matched without
// regard to the values, by the phases of [HopcroftKarp73]; and the error is ErrWork if
// that takes more than phaseWork. It is ErrInterrupted if ctx is done.
func transversal(ctx context.Context, m *csr.Matrix, pool *parallel.Pool) (p []int32, s csr.Scaling, err error) {
	t := newMatcher(ctx, m, pool)
	if ctx.Err() != nil {
		return nil, s, ErrInterrupted
	}
	size := int64(m.NNZ() + m.Rows)
	t.budget = pathWork*size + freePathWork
	if err := t.shortestPaths(); errors.Is(err, ErrWork) {
		t.meter = meter{ctx: ctx, budget: phaseWork * size}
		err = t.anyPaths()
		if errors.Is(err, ErrWork) {
			return nil, s, fmt.Errorf("%w: matching rows and columns takes more than %d operations an entry", ErrWork, pathWork+phaseWork)
		}
		if err != nil {
			return nil, s, err
		}
	} else if err != nil {
		return nil, s, err
	}
	s = csr.NoScaling(m)
	for i := range s.Row {
		s.Row[i] = int(math.Round(t.u[i]))
		s.Col[i] = int(math.Round(t.v[i] - t.logMax[i]))
	}
	return t.rowOf, s, nil
}

const (
	// pathWork limits the operations in search of shortest paths, as a multiple of the
	// entries and rows of the matrix, besides freePathWork: a second or two for a million
	// of them, and some tenths of a second for small ones.
	pathWork     = 20
	freePathWork = 4 << 20
	// phaseWork limits those in search of any paths, of which there are hardly ever ten
	// phases.
	phaseWork = 100
)

var errNoTransversal = fmt.Errorf("%w: no permutation gives a diagonal without zeros", ErrSingular)

// matcher holds a partial matching and duals with u_i + v_j <= c_ij, and equality
// for matched pairs. All logarithms are binary.
type matcher struct {
	meter
	columns *csr.Matrix // A^T without its zeros: rows of it are columns of A, the values c_ij
	rowOf   []int32     // of each column, -1: none
	colOf   []int32     // of each row
	u, v    []float64   // duals of rows and columns
	logMax  []float64   // of columns

	distance []float64 // to each row, of this search
	from     []int32   // column before a row on its path
	state    []int64   // 2j+1: seen, 2j+2: final in the search of column j
	queue    heap[item]
	final    []int32
}

func newMatcher(ctx context.Context, m *csr.Matrix, pool *parallel.Pool) *matcher {
	n := m.Rows
	t := &matcher{
		meter: meter{ctx: ctx}, columns: withoutZeros(m.Transpose(pool)), rowOf: marks(n), colOf: marks(n),
		u: make([]float64, n), v: make([]float64, n), logMax: make([]float64, n),
		distance: make([]float64, n), from: make([]int32, n), state: make([]int64, n),
	}
	bounds := csr.Panels(t.columns)
	pool.RunRanges(bounds, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			_, vals := t.columns.Row(j)
			most := 0.0
			for _, v := range vals {
				most = max(most, math.Abs(v))
			}
			t.logMax[j] = math.Log2(most)
			for k, v := range vals {
				vals[k] = t.logMax[j] - math.Log2(math.Abs(v))
			}
		}
	})
	for i := range t.u {
		t.u[i] = math.Inf(1)
	}
	for j := range n {
		rows, c := t.columns.Row(j)
		for k, i := range rows {
			t.u[i] = min(t.u[i], c[k])
		}
	}
	for j := range n {
		rows, c := t.columns.Row(j)
		t.v[j] = math.Inf(1)
		for k, i := range rows {
			t.v[j] = min(t.v[j], c[k]-t.u[i])
		}
	}
	return t
}

// withoutZeros removes zeros among the entries of a matrix, and returns it.
func withoutZeros(m *csr.Matrix) *csr.Matrix {
	if !slices.Contains(m.Val, 0) {
		return m
	}
	kept := int64(0)
	for i := range m.Rows {
		cols, vals := m.Row(i)
		m.RowPtr[i] = kept
		for k, v := range vals {
			if v != 0 {
				m.Col[kept], m.Val[kept] = cols[k], v
				kept++
			}
		}
	}
	m.RowPtr[m.Rows] = kept
	m.Col, m.Val = m.Col[:kept], m.Val[:kept]
	return m
}

// shortestPaths matches all columns by paths along which the product is largest.
func (t *matcher) shortestPaths() error {
	if err := t.cheap(); err != nil {
		return err
	}
	for j, i := range t.rowOf {
		if i >= 0 {
			continue
		}
		found, err := t.augment(int32(j))
		if err != nil {
			return err
		}
		if !found {
			return errNoTransversal
		}
	}
	return nil
}

// cheap matches columns with free rows along edges of length zero.
func (t *matcher) cheap() error {
	for j := range t.rowOf {
		rows, c := t.columns.Row(j)
		if err := t.spend(len(rows)); err != nil {
			return err
		}
		for k, i := range rows {
			if t.colOf[i] < 0 && c[k]-t.u[i]-t.v[j] <= 0 {
				t.rowOf[j], t.colOf[i] = i, int32(j)
				break
			}
		}
	}
	return nil
}

// augment finds a shortest path from column root to a free row and changes the matching
// along it. It reports whether there is one. Rows that are farther than a free one need
// not be looked at: so columns with many entries end a search rather than swell it.
func (t *matcher) augment(root int32) (found bool, err error) {
	seen, done := 2*int64(root)+1, 2*int64(root)+2
	t.queue, t.final = t.queue[:0], t.final[:0]
	j, base := root, 0.0
	end, shortest := int32(-1), math.Inf(1)
	for {
		rows, c := t.columns.Row(int(j))
		before := len(t.queue)
		for k, i := range rows {
			length := base + max(c[k]-t.u[i]-t.v[j], 0)
			if length >= shortest || t.state[i] == done || t.state[i] == seen && length >= t.distance[i] {
				continue
			}
			t.state[i], t.distance[i], t.from[i] = seen, length, j
			if t.colOf[i] < 0 {
				end, shortest = i, length
			} else {
				t.queue.push(item{length, i})
			}
		}
		if err := t.spend(len(rows) + queueWork*(len(t.queue)-before)); err != nil {
			return false, err
		}
		next := item{math.Inf(1), -1}
		for len(t.queue) > 0 {
			top := t.queue.pop()
			if t.state[top.row] != done && top.length <= t.distance[top.row] {
				next = top
				break
			}
		}
		if next.length >= shortest || next.row < 0 {
			break
		}
		base, j = next.length, t.colOf[next.row]
		t.state[next.row] = done
		t.final = append(t.final, next.row)
	}
	if end < 0 {
		return false, nil
	}
	for _, i := range t.final {
		t.u[i] += t.distance[i] - shortest
		t.v[t.colOf[i]] -= t.distance[i] - shortest
	}
	t.v[root] += shortest
	t.exchange(root, end)
	return true, nil
}

// queueWork is the cost of a row in the queue, relative to the cost of an entry.
const queueWork = 8

// exchange matches along the path that leads back from row end to column root.
func (t *matcher) exchange(root, end int32) {
	for i := end; ; {
		j := t.from[i]
		before := t.rowOf[j]
		t.rowOf[j], t.colOf[i] = i, j
		if j == root {
			return
		}
		i = before
	}
}

// item is a row that a search has reached.
type item struct {
	length float64
	row    int32
}

func (a item) before(b item) bool {
	return a.length < b.length || a.length == b.length && a.row < b.row
}

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
