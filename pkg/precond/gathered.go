package precond

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dist"
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
	var own []byte
	for _, p := range l.Parts {
		for i := p.First(); i < p.End(); i++ {
			cols, vals := h.a.Row(i)
			own = binary.LittleEndian.AppendUint32(own, uint32(len(cols)))
			begins := uint32(0)
			if int(h.nodes.First[h.nodes.Of[i]]) == i {
				begins = 1
			}
			own = binary.LittleEndian.AppendUint32(own, begins)
			for k, j := range cols {
				own = binary.LittleEndian.AppendUint64(own, uint64(l.Global(int(j))))
				own = appendFloats(own, vals[k])
			}
			for _, b := range h.null {
				own = appendFloats(own, b[i])
			}
		}
	}
	g := &hierarchy{setup: h.setup, threshold: h.threshold, anisotropic: h.anisotropic, twice: h.twice, first: h.level(), held: h.held}
	m := rowBuilder{cols: int(n), col: make([]int32, 0, nonzeros), val: make([]float64, 0, nonzeros)}
	g.null = make([][]float64, len(h.null))
	for _, b := range l.Comm.Gather(own) {
		for len(b) > 0 {
			entries := int(binary.LittleEndian.Uint32(b))
			if binary.LittleEndian.Uint32(b[4:]) != 0 {
				g.nodes.First = append(g.nodes.First, int32(len(m.ptr)))
			}
			b = b[8:]
			for range entries {
				m.add(int32(binary.LittleEndian.Uint64(b)), floatOf(b[8:]))
				b = b[16:]
			}
			for k := range g.null {
				g.null[k] = append(g.null[k], floatOf(b))
				b = b[8:]
			}
			g.nodes.Of = append(g.nodes.Of, int32(len(g.nodes.First)-1))
			m.next()
		}
	}
	g.nodes.First = append(g.nodes.First, int32(n))
	g.a = m.matrix(int(n))
	return g, nil
}

func appendFloats(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

func floatOf(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// gather sets dst to the own elements in x of all ranks, in the order of rows. It returns work, in which it puts those that it sends.
func gather[T real](dst, work, x []T, l *dist.Layout) []T {
	work = work[:0]
	for _, p := range l.Parts {
		work = append(work, x[p.First():p.End()]...)
	}
	size := int(unsafe.Sizeof(T(0)))
	for _, b := range l.Comm.Gather(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(work))), size*len(work))) {
		dst = dst[copy(dst, unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size)):]
	}
	return work
}
