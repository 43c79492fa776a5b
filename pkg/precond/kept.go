package precond

import (
	"slices"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/direct/factor"
	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Kept holds results of set-ups that depend on the pattern of nonzeros alone: orders, trees of fronts, and the transfers
// between the levels of multigrid. Orders stay also where factors are refused since they take too much (ErrWork). Options with the same Kept reuse it for matrices of the same pattern, in
// the same scaling and with the same options otherwise. Transfers depend on the values that they were
// made for: cycles stay good as long as strong connections stay strong; the matrices of the
// levels, and smoothers, are always made anew. The zero value is empty. Use it from one goroutine at a time.
type Kept struct {
	orders    []keptOrder
	trees     []keptTree
	transfers []*transfer
	complete  bool // there are transfers of all levels
}

// Bytes returns the memory of the transfers, the largest part of a Kept.
func (k *Kept) Bytes() (n int64) {
	if k == nil {
		return 0
	}
	for _, t := range k.transfers {
		n += t.p.Bytes() + t.r.Bytes()
		if t.coarse != nil { // not of a set-up that failed there
			n += 8*int64(t.coarse.Rows) + 4*int64(len(t.coarse.Col))
		}
		for _, s := range t.shapes {
			n += s.bytes()
		}
	}
	return n
}

// DropTransfers forgets the transfers between levels.
func (k *Kept) DropTransfers() { k.transfers, k.complete = nil, false }

// pattern is the pattern of a matrix.
type pattern struct {
	rowPtr []int64
	col    []int32
}

func patternOf(m *csr.Matrix) (p pattern) {
	if m != nil {
		p = pattern{m.RowPtr, m.Col}
	}
	return p
}

// is reports whether m has the pattern.
func (p pattern) is(m *csr.Matrix) bool {
	o := patternOf(m)
	return sameSlice(p.rowPtr, o.rowPtr) && sameSlice(p.col, o.col)
}

// sameSlice compares two slices, at once where they are the same memory.
func sameSlice[T comparable](a, b []T) bool {
	return len(a) == len(b) && (unsafe.SliceData(a) == unsafe.SliceData(b) || slices.Equal(a, b))
}

// keptOrder is an order of a matrix.
type keptOrder struct {
	of   pattern
	kind ordering
	e    order.Elimination
}

// order returns the order of a kind of m: a kept one, or the result of find.
func (k *Kept) order(m *csr.Matrix, kind ordering, find func() (order.Elimination, error)) (e order.Elimination, err error) {
	if k == nil {
		return find()
	}
	for _, had := range k.orders {
		if had.kind == kind && had.of.is(m) {
			return had.e, nil
		}
	}
	if e, err = find(); err == nil {
		k.orders = append(k.orders, keptOrder{patternOf(m), kind, e})
	}
	return e, err
}

// keptTree is a tree of fronts for an order of the diagonal blocks of a matrix.
type keptTree struct {
	of            pattern
	blockOf       []int32
	order, groups []int32
	tree          *factor.Tree
}

// tree returns the tree of the diagonal blocks of a matrix in an order: a kept one, or the result of find.
func (k *Kept) tree(m factor.Matrix, e order.Elimination, find func() (*factor.Tree, error)) (t *factor.Tree, err error) {
	if k == nil {
		return find()
	}
	for _, had := range k.trees {
		if had.of.is(m.A) && slices.Equal(had.blockOf, m.BlockOf) && sameSlice(had.order, e.Order) && sameSlice(had.groups, e.Groups) {
			return had.tree, nil
		}
	}
	if t, err = find(); err == nil {
		k.trees = append(k.trees, keptTree{patternOf(m.A), m.BlockOf, e.Order, e.Groups, t})
	}
	return t, err
}

// transfer holds the operators between a level of multigrid and the next.
type transfer struct {
	rows int // of the level
	p, r *csr.Matrix

	coarse *csr.Matrix // the pattern of the next level's matrix
	nodes  nodes
	null   [][]float64
	bound  float64 // see hierarchy.smoother

	shapes [transferMatrices]chunkShapes
}

// The matrices of a level that are stored.
const (
	levelMatrix = iota
	prolongation
	restriction
	transferMatrices
)

// shape returns the shapes of one of the matrices, nil where nothing is kept.
func (t *transfer) shape(which int) *chunkShapes {
	if t == nil {
		return nil
	}
	return &t.shapes[which]
}

// transfer returns the transfer from level l with so many rows; nil: there is none.
func (k *Kept) transfer(l, rows int) *transfer {
	if k == nil || !k.complete || l >= len(k.transfers) || k.transfers[l].rows != rows {
		return nil
	}
	return k.transfers[l]
}

// keep adds a transfer. It returns nil where nothing is kept.
func (k *Kept) keep(t *transfer) *transfer {
	if k == nil || k.complete {
		return nil
	}
	k.transfers = append(k.transfers, t)
	return t
}
