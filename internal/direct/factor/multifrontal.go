package factor

import (
	"cmp"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// pivoting eliminates the pivots of node j from a front that is assembled, and subtracts
// their contributions to the remaining m rows of the front.
type pivoting[T kernels.Value] func(t *frontal[T], j, m int, rest kernels.Dense[T]) error

// frontal is the work space of one thread in a multifrontal factorisation.
type frontal[T kernels.Value] struct {
	*assembly[T]
	place   []int32 // of a row in the front
	stack   []T     // of what nodes pass to their parents
	depth   int
	scratch []T
	rows    []T         // two rows of the pivots of a front, of the scratch space
	ldl     ldlFront[T] // of the node at hand, or lu
	lu      luFront[T]
	pool    *parallel.Pool // for large fronts; nil: other threads have their own
	watch   Watch
}

// assembly is the state that the threads of a factorisation share.
type assembly[T kernels.Value] struct {
	*fronts[T]
	*Matrix
	inverse   csr.Permutation
	eliminate pivoting[T]
	passed    [][]T
}

// multifrontal factors a matrix by a tree: subtrees on the threads of the pool, then the nodes
// above them one after the other; moves says whether pivots change places within a node. Whatever the number of threads, each front adds up the
// same numbers in the same order. Each work space has a watch of its own.
func multifrontal[T kernels.Value](m *Matrix, tree *Tree, eliminate pivoting[T], moves bool, pool *parallel.Pool, watch func() Watch) (*fronts[T], error) {
	t := &assembly[T]{
		fronts: newFronts[T](tree, m.Symmetric(), moves), Matrix: m, inverse: tree.Order.Inverse(),
		eliminate: eliminate, passed: make([][]T, tree.nodes()),
	}
	subtree, top := tree.peaks(t.cut)
	space := func(numbers int64, pool *parallel.Pool) *frontal[T] {
		f := &frontal[T]{assembly: t, place: make([]int32, len(tree.Order)), stack: make([]T, numbers), pool: pool, watch: watch()}
		host.LargePages(f.stack)
		return f
	}
	errs := make([]error, len(t.cut.subtrees))
	var next, failed atomic.Int64
	pool.Each(min(pool.Threads(), len(errs)), func(int) {
		own := space(subtree, nil)
		for k := int(next.Add(1)) - 1; k < len(errs) && failed.Load() == 0; k = int(next.Add(1)) - 1 {
			if errs[k] = own.subtree(t.cut.subtrees[k]); errs[k] != nil {
				failed.Store(1)
			}
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	above := space(top, pool)
	for _, j := range t.cut.top {
		if err := above.node(int(j)); err != nil {
			return nil, err
		}
	}
	return t.fronts, nil
}

// subtree eliminates the nodes of a subtree and keeps what its root passes on.
func (t *frontal[T]) subtree(s subtree) error {
	for j := s.first; j < s.end; j++ {
		if err := t.node(j); err != nil {
			return err
		}
	}
	root := s.end - 1
	t.passed[root] = append([]T(nil), t.passed[root]...)
	t.depth = 0
	return nil
}

// node assembles the front of node j and eliminates its pivots.
func (t *frontal[T]) node(j int) error {
	k := t.pivots(j)
	m, below := len(t.pattern[j]), t.depth
	t.locate(j)
	rest := t.stack[t.depth : t.depth+m*m]
	for r := range m {
		clear(rest[r*m+t.leftOut(r) : (r+1)*m])
	}
	t.gather(j)
	for c := t.child[j]; c >= 0; c = t.sibling[c] {
		t.add(j, int(c), kernels.Dense[T]{Val: rest, Stride: m})
		if t.cut.above[c] == t.cut.above[j] { // it is on the stack
			below -= len(t.passed[c])
		}
		t.passed[c] = nil
	}
	if err := t.eliminate(t, j, m, kernels.Dense[T]{Val: rest, Stride: m}); err != nil {
		return err
	}
	for r := range m {
		copy(t.stack[below+r*m+t.leftOut(r):], rest[r*m+t.leftOut(r):(r+1)*m])
	}
	t.passed[j], t.depth = t.stack[below:below+m*m], below+m*m
	return t.watch(int(t.multiplications(j)) + (k+m)*frontOverhead)
}

// locate finds the places of rows in the front of node j.
func (t *frontal[T]) locate(j int) {
	lo, k := t.first[j], int32(t.pivots(j))
	for q := range k {
		t.place[lo+q] = q
	}
	for q, p := range t.pattern[j] {
		t.place[p] = k + int32(q)
	}
}

// leftOut is the number of elements at the beginning of row r of the rest of a front that are not used: a symmetric front has its upper
// triangle.
func (t *frontal[T]) leftOut(r int) int {
	if t.symmetric {
		return r
	}
	return 0
}

// gather adds the entries of A in the rows, and in the columns, of the pivots of node j.
func (t *frontal[T]) gather(j int) {
	lo, k := t.first[j], t.pivots(j)
	u, l := t.upper(j), t.lower(j)
	for q := range k {
		i := t.Order[int(lo)+q]
		from := lo
		if t.symmetric {
			from += int32(q)
		}
		row := u.Row(q, 0, u.Stride)
		cols, vals := t.A.Row(int(i))
		for e, c := range cols {
			if p := t.inverse[c]; p >= from && t.same(i, c) {
				row[t.place[p]] += T(vals[e])
			}
		}
		if t.symmetric {
			continue
		}
		cols, vals = t.Transpose.Row(int(i))
		for e, c := range cols {
			if p := t.inverse[c]; p >= lo+int32(k) && t.same(i, c) {
				l.Val[(int(t.place[p])-k)*l.Stride+q] += T(vals[e])
			}
		}
	}
}

// add adds what child c passes on to the front of node j.
func (t *frontal[T]) add(j, c int, rest kernels.Dense[T]) {
	pattern, k := t.pattern[c], t.pivots(j)
	from := kernels.Dense[T]{Val: t.passed[c], Stride: len(pattern)}
	u, l := t.upper(j), t.lower(j)
	own := 0 // rows of the child that are pivots of the node
	for own < len(pattern) && int(t.place[pattern[own]]) < k {
		own++
	}
	for r, p := range pattern {
		row, at := from.Row(r, 0, from.Stride), int(t.place[p])
		begin := 0
		if t.symmetric {
			begin = r
		}
		if at < k {
			to := u.Row(at, 0, u.Stride)
			for s := begin; s < len(row); s++ {
				to[t.place[pattern[s]]] += row[s]
			}
			continue
		}
		if begin < own {
			to := l.Row(at-k, 0, k)
			for s := begin; s < own; s++ {
				to[t.place[pattern[s]]] += row[s]
			}
			begin = own
		}
		to := rest.Row(at-k, 0, rest.Stride)
		for s := begin; s < len(row); s++ {
			to[int(t.place[pattern[s]])-k] += row[s]
		}
	}
}

// share runs the parts of a job on the threads of the pool, if this work space has it.
func (t *frontal[T]) share(parts int, job parallel.Job) {
	if t.pool == nil || parts == 1 {
		for k := range parts {
			job.Do(k)
		}
		return
	}
	var next atomic.Int64
	t.pool.Each(min(t.pool.Threads(), parts), func(int) {
		for k := int(next.Add(1)) - 1; k < parts; k = int(next.Add(1)) - 1 {
			job.Do(k)
		}
	})
}

// room returns that many numbers of the scratch space.
func (t *frontal[T]) room(numbers int) []T {
	if len(t.scratch) < numbers {
		t.scratch = make([]T, numbers)
		host.LargePages(t.scratch)
	}
	return t.scratch[:numbers]
}
