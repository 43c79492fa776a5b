package precond

import (
	"encoding/binary"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// widened returns the layout of the current level with all unknowns that the restriction refers to, or nil if
// there are no more than there were.
func (h *spreadHierarchy) widened(p *csr.Matrix, c *coarseColumns) *dist.Layout {
	l := h.over.layout
	to := make([][]byte, l.Comm.Size())
	for _, q := range l.Parts {
		first, end := c.columnsOf(q.Domain)
		for i := q.First(); i < q.End(); i++ {
			cols, _ := p.Row(i)
			if inside(cols, first, end) {
				continue
			}
			last := q.Domain
			for _, j := range cols { // in the order of domains
				if j >= first && j < end {
					continue
				}
				if d := c.domains.Of(c.global(j)); d != last {
					last = d
					rank := l.Domains.Owner(d, l.Comm.Size())
					to[rank] = binary.LittleEndian.AppendUint64(to[rank], uint64(d))
					to[rank] = binary.LittleEndian.AppendUint64(to[rank], uint64(q.Row+int64(i-q.First())))
				}
			}
		}
	}
	ghosts := make([][]int64, len(l.Parts))
	for k, q := range l.Parts {
		ghosts[k] = slices.Clone(q.Ghosts)
	}
	for _, b := range l.Comm.Alltoall(to) {
		for ; len(b) > 0; b = b[16:] {
			k := int(binary.LittleEndian.Uint64(b)) - l.Parts[0].Domain
			ghosts[k] = append(ghosts[k], int64(binary.LittleEndian.Uint64(b[8:])))
		}
	}
	more := false
	for k, q := range l.Parts {
		slices.Sort(ghosts[k])
		ghosts[k] = slices.Compact(ghosts[k])
		more = more || len(ghosts[k]) > len(q.Ghosts)
	}
	if !h.over.any(more) {
		return nil
	}
	return dist.NewLayout(l.Comm, l.Domains, ghosts)
}

// inside reports whether ascending columns are first to end-1.
func inside(cols []int32, first, end int32) bool {
	return len(cols) == 0 || cols[0] >= first && cols[len(cols)-1] < end
}

// relay gives the coarser level another layout, in which the positions of its segments are to.
func (m *levelMatrices) relay(wider *dist.Layout, to []int32, pool *parallel.Pool) {
	m.p.Cols = wider.Len
	for e, j := range m.p.Col {
		m.p.Col[e] = to[j]
	}
	m.r, m.below = relaid(m.r, m.below, wider, nil, pool), wider
}

// moved returns where the positions of segments of one layout are in another one that has them.
func moved(from, to *dist.Layout) []int32 {
	at := make([]int32, from.Len)
	for k, p := range from.Parts {
		q := to.Parts[k]
		for i := range p.Own {
			at[p.First()+i] = int32(q.First() + i)
		}
		for g, row := range p.Ghosts {
			w, _ := slices.BinarySearch(q.Ghosts, row)
			at[ghostAt(p, g)] = int32(ghostAt(q, w))
		}
	}
	return at
}

// ghostAt is the position of a ghost.
func ghostAt(p dist.Part, g int) int {
	if g >= p.Below {
		g += p.Own
	}
	return p.At + g
}

// relaid returns own rows of m, of one layout, in another one, with columns cols[j] instead of j; nil: as they are.
func relaid(m *csr.Matrix, from, to *dist.Layout, cols []int32, pool *parallel.Pool) *csr.Matrix {
	count := m.Cols
	if cols != nil {
		count = to.Len
	}
	var blocks []rowBlock
	for k, p := range from.Parts {
		blocks = append(blocks, movedBlock(to.Parts[k].First(), m, p.First(), p.End(), cols))
	}
	return stacked(to.Len, count, blocks, pool)
}

// relaidVector returns own elements of x, of one layout, in another one.
func relaidVector(x []float64, from, to *dist.Layout) []float64 {
	y := make([]float64, to.Len)
	for k, p := range from.Parts {
		copy(y[to.Parts[k].First():], x[p.First():p.End()])
	}
	return y
}
