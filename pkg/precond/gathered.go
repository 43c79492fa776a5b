package precond

import (
	"fmt"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// gathered returns the hierarchy of the current level, which every rank then has.
func (h *spreadHierarchy) gathered() (*hierarchy, error) {
	l := h.over.layout
	n, nonzeros := h.rows(), int64(h.a.NNZ())
	h.over.sum(&nonzeros)
	if n > mostGathered {
		return nil, fmt.Errorf("coarsening stopped at %d unknowns: their connections are weak", n)
	}
	if err := h.allowed(h.held + csr.Bytes(n, nonzeros) + 8*n*int64(len(h.null))); err != nil {
		return nil, err
	}
	if k := len(h.levels); k > 0 { // what corrects it is known everywhere
		last := &h.levels[k-1]
		last.gather = true
		last.p.Cols = int(n)
		for e, j := range last.p.Col {
			last.p.Col[e] = int32(l.Global(int(j)))
		}
	}
	g := &hierarchy{setup: h.setup, threshold: h.threshold, anisotropic: h.anisotropic, twice: h.twice, first: h.level(), held: h.held}
	g.a = &csr.Matrix{Rows: int(n), Cols: int(n), RowPtr: make([]int64, n+1), Col: make([]int32, nonzeros), Val: make([]float64, nonzeros)}
	heads := make([]int32, 0, l.Own) // of rows: twice the number of entries, and one more if a node begins
	cols, vals := make([]int32, 0, h.a.NNZ()), make([]float64, 0, h.a.NNZ())
	for _, p := range l.Parts {
		for i := p.First(); i < p.End(); i++ {
			head := 2 * int32(h.a.RowPtr[i+1]-h.a.RowPtr[i])
			if int(h.nodes.First[h.nodes.Of[i]]) == i {
				head++
			}
			heads = append(heads, head)
		}
		from, to := h.a.RowPtr[p.First()], h.a.RowPtr[p.End()]
		for _, j := range h.a.Col[from:to] {
			cols = append(cols, int32(l.Global(int(j))))
		}
		vals = append(vals, h.a.Val[from:to]...)
	}
	all := make([]int32, n)
	gatherAll(all, heads, l.Comm)
	gatherAll(g.a.Col, cols, l.Comm)
	gatherAll(g.a.Val, vals, l.Comm)
	g.nodes.Of = make([]int32, n)
	for i, head := range all {
		g.a.RowPtr[i+1] = g.a.RowPtr[i] + int64(head/2)
		if head%2 != 0 {
			g.nodes.First = append(g.nodes.First, int32(i))
		}
		g.nodes.Of[i] = int32(len(g.nodes.First) - 1)
	}
	g.nodes.First = append(g.nodes.First, int32(n))
	for _, b := range h.null {
		v := make([]float64, n)
		gather(v, nil, b, l)
		g.null = append(g.null, v)
	}
	return g, nil
}

// gather sets dst to the own elements in x of all ranks, in the order of rows. It returns work, in which it puts those that it sends.
func gather[T real](dst, work, x []T, l *dist.Layout) []T {
	work = work[:0]
	for _, p := range l.Parts {
		work = append(work, x[p.First():p.End()]...)
	}
	gatherAll(dst, work, l.Comm)
	return work
}

// gatherAll sets dst to what all ranks pass, in their order.
func gatherAll[T any](dst, own []T, c dist.Comm) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	for _, b := range c.Gather(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(own))), size*len(own))) {
		dst = dst[copy(dst, unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size)):]
	}
}
