package precond

import (
	"encoding/binary"
	"iter"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// spreading is how the unknowns of a level lie over ranks. The zero value is a level that is here as a whole.
//
// A spread level is set up by the same code, on the rows of a rank in the positions of its vectors: rows of ghosts
// are empty, and what is known of a ghost is fetched. Rows know nothing of the others of their rank, and what is found out
// about all rows is a maximum or a number of integers, so nothing depends on which rows are on a rank.
type spreading struct{ layout *dist.Layout }

// fill renews the ghosts of x.
func (s spreading) fill(x []float64) {
	if s.layout != nil {
		s.layout.Halo.Exchange(x)
	}
}

// fillNodes renews the ghosts of x, which has an element for each node.
func (s spreading) fillNodes(nd nodes, x []float64) {
	if s.layout == nil {
		return
	}
	if len(x) == len(nd.Of) {
		s.fill(x)
		return
	}
	y := make([]float64, len(nd.Of))
	for k, v := range x {
		y[nd.First[k]] = v
	}
	s.fill(y)
	for k := range x {
		x[k] = y[nd.First[k]]
	}
}

// fillAll renews the ghosts of x and sets the elements that are in no segment to v.
func (s spreading) fillAll(x []float64, v float64) {
	if s.layout == nil {
		return
	}
	at := 0
	for _, p := range s.layout.Parts {
		for ; at < p.At; at++ {
			x[at] = v
		}
		at = p.Next()
	}
	s.fill(x)
}

// own returns the number of unknowns of this rank, of the n elements of a vector.
func (s spreading) own(n int) int {
	if s.layout == nil {
		return n
	}
	return s.layout.Own
}

// row returns the row of the whole matrix that is row i here.
func (s spreading) row(i int) int {
	if s.layout == nil {
		return i
	}
	return int(s.layout.Global(i))
}

// given returns the number that was given to the row of the whole matrix that is row i here.
func (s spreading) given(i int) int {
	if s.layout == nil {
		return i
	}
	return int(s.layout.Given(i))
}

// has reports whether unknown i is one of this rank, not a ghost.
func (s spreading) has(i int) bool {
	if s.layout == nil {
		return true
	}
	p := s.layout.Parts[s.layout.Part(i)]
	return i >= p.First() && i < p.End()
}

// sum replaces counts by their sums over all ranks.
func (s spreading) sum(counts ...*int64) {
	if s.layout == nil {
		return
	}
	all := make([]int64, len(counts))
	for k, c := range counts {
		all[k] = *c
	}
	s.layout.Comm.Sum(all)
	for k, c := range counts {
		*c = all[k]
	}
}

// any reports whether is holds on any rank.
func (s spreading) any(is bool) bool {
	n := int64(0)
	if is {
		n = 1
	}
	s.sum(&n)
	return n > 0
}

// several reports whether any node has several unknowns.
func (s spreading) several(nd nodes) bool { return s.any(nd.count() < len(nd.Of)) }

// greatest returns the greatest x of all ranks, none of which is negative, or NaN if one is that.
func (s spreading) greatest(x float64) float64 {
	if s.layout == nil {
		return x
	}
	most := []int64{int64(math.Float64bits(x))} // in the order of the numbers
	s.layout.Comm.Max(most)
	return math.Float64frombits(uint64(most[0]))
}

// agree returns the error of the first rank that has one.
func (s spreading) agree(err error) error {
	if s.layout == nil {
		return err
	}
	return agree(s.layout.Comm, err)
}

// sample yields about most of the nodes of the finest level, which are of the same size.
func (s spreading) sample(nd nodes, most int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if s.layout == nil {
			n := nd.count()
			for k := 0; k < n; k += (n-1)/most + 1 {
				if !yield(k) {
					return
				}
			}
			return
		}
		for _, p := range s.layout.Parts {
			first, end := int(nd.Of[p.First()]), int(nd.Of[p.End()-1])+1
			size := int64(nd.First[first+1] - nd.First[first])
			step := int((s.layout.Domains.Rows()/size-1)/int64(most)) + 1
			before := int(p.Row / size)
			for k := (before+step-1)/step*step - before + first; k < end; k += step {
				if !yield(k) {
					return
				}
			}
		}
	}
}

// total is the sum of the costs of all ranks, of which each contains the same one that counts once.
func (s spreading) total(c, once Cost) Cost {
	if s.layout.Comm.Rank() > 0 {
		c = Cost{c.Values - once.Values, c.ValueBytes - once.ValueBytes, c.Bytes - once.Bytes, c.FP64Bytes - once.FP64Bytes}
	}
	s.sum(&c.Values, &c.ValueBytes, &c.Bytes, &c.FP64Bytes)
	return c
}

// largestEigenvalue estimates the largest eigenvalue of diag(w) a.
func (s spreading) largestEigenvalue(a *csr.Matrix, w vector, pool *parallel.Pool) (float64, error) {
	if s.layout == nil {
		return largestEigenvalue(linop.NewCSR(a, pool), w, pool)
	}
	m := &dist.Matrix{Layout: s.layout, N: s.layout.Domains.Rows(), Local: a}
	_, largest, err := distributedEigenvalues(s.layout, dist.NewCSR(m, a, pool), w, quick, pool)
	return largest, err
}

// widened returns the layout of the current level with all unknowns that the restriction refers to, or nil if
// there are no more than there were.
func (h *spreadHierarchy) widened(p *csr.Matrix, c *coarseColumns) (*dist.Layout, error) {
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
		return nil, nil
	}
	return dist.NewLayout(l.Comm, l.Domains, ghosts)
}

// inside reports whether ascending columns are first to end-1.
func inside(cols []int32, first, end int32) bool {
	return len(cols) == 0 || cols[0] >= first && cols[len(cols)-1] < end
}

// relay gives the coarser level another layout, in which the positions of its segments are to.
func (m *levelMatrices) relay(wider *dist.Layout, to []int32, pool *parallel.Pool) {
	if m.joined != nil {
		m.joined.layout = wider
		return
	}
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
	var blocks []dist.RowBlock
	for k, p := range from.Parts {
		blocks = append(blocks, dist.MovedBlock(to.Parts[k].First(), m, p.First(), p.End(), cols))
	}
	return dist.Stacked(to.Len, count, blocks, pool)
}

// relaidVector returns own elements of x, of one layout, in another one.
func relaidVector(x []float64, from, to *dist.Layout) []float64 {
	y := make([]float64, to.Len)
	for k, p := range from.Parts {
		copy(y[to.Parts[k].First():], x[p.First():p.End()])
	}
	return y
}
