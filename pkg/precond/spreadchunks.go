package precond

import (
	"slices"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// spreadChunks is a matrix between vectors of float32 that are spread over ranks, as chunks of each domain. Products renew the
// ghosts of the vector that is multiplied, and meanwhile compute the panels that load none; the ghosts of results are stale.
type spreadChunks struct {
	chunkProducts

	halo  *dist.Halo // nil: the vector has none
	parts []spreadPart
	tasks []spreadTask // those that load no ghosts come first
	inner int          // their number; 0 if no ghosts come from other ranks
	rows  int
	pool  *parallel.Pool
	job   spreadJob
}

// spreadPart are the rows of a domain, which begin at a position of results, as their columns do in what is multiplied.
type spreadPart struct {
	*chunked
	row, col int
}

// spreadTask is a panel of a part.
type spreadTask struct{ part, panel int32 }

// spreadJob is a part of a product as a parallel.Job.
type spreadJob struct {
	*spreadChunks
	tasks   []spreadTask
	product kernels.ChunkProduct
}

func (c *spreadChunks) run(p kernels.ChunkProduct) {
	if c.halo == nil {
		c.multiply(c.tasks, p)
		return
	}
	c.halo.Start32(p.X)
	c.multiply(c.tasks[:c.inner], p)
	c.halo.Finish32(p.X)
	c.multiply(c.tasks[c.inner:], p)
}

// multiply computes the rows of some tasks.
func (c *spreadChunks) multiply(tasks []spreadTask, p kernels.ChunkProduct) {
	pool := c.pool
	if c.rows < serialChunks {
		pool = nil
	}
	c.job = spreadJob{c, tasks, p}
	pool.Run(len(tasks), &c.job)
	c.job = spreadJob{}
}

// Do computes the rows of a panel.
func (j *spreadJob) Do(k int) {
	part, p := &j.parts[j.tasks[k].part], j.product
	p.Dst, p.X = p.Dst[part.row:], p.X[part.col:]
	if p.B != nil {
		p.B = p.B[part.row:]
	}
	if p.V != nil {
		p.V = p.V[part.row:]
	}
	part.panelProduct(int(j.tasks[k].panel), 1, p)
}

// partOf returns rows lo to hi-1 of m with the columns from at on, of which there are so many.
func partOf(m *csr.Matrix, lo, hi, at, cols int, pool *parallel.Pool) *csr.Matrix {
	from, to := m.RowPtr[lo], m.RowPtr[hi]
	p := &csr.Matrix{Rows: hi - lo, Cols: cols, RowPtr: make([]int64, hi-lo+1), Col: m.Col[from:to], Val: m.Val[from:to]}
	for i := range p.RowPtr {
		p.RowPtr[i] = m.RowPtr[lo+i] - from
	}
	if at > 0 {
		p.Col = make([]int32, to-from)
		pool.RunRanges(evenly(len(p.Col), nodesPerTask), func(_, lo, hi int) {
			for e, j := range m.Col[from:to][lo:hi] {
				p.Col[lo+e] = j - int32(at)
			}
		})
	}
	return p
}

// storeSpread stores a matrix from vectors of one layout, or nil for vectors that all ranks have, to vectors of another.
func (s chunkStore) storeSpread(m *csr.Matrix, scales chunkScales, from, to *dist.Layout) (*spreadChunks, Cost) {
	c := &spreadChunks{pool: s.pool}
	c.chunkProducts = c.run
	if from != nil {
		c.halo = from.Halo
	}
	cost := Cost{}
	var border []spreadTask
	for k, p := range to.Parts {
		at, end, own := 0, m.Cols, ownColumns{0, m.Cols}
		if from != nil {
			q := &from.Parts[k]
			at, end, own = q.At, q.Next(), ownColumns{q.Below, q.Below + q.Own}
		}
		rows := partOf(m, p.First(), p.End(), at, end-at, s.pool)
		part, more := s.store(rows, chunkScales{scales.left[p.First():p.End()], scales.right[at:end]}, nil)
		for panel := range part.parts {
			list := &c.tasks
			if !own.hold(rows, part.panel[panel], part.panel[panel+1]) {
				list = &border
			}
			*list = append(*list, spreadTask{int32(k), int32(panel)})
		}
		c.parts, cost = append(c.parts, spreadPart{part, p.First(), at}), cost.Add(more)
		c.rows += p.Own
	}
	if c.halo != nil && c.halo.Remote() {
		c.inner = len(c.tasks)
	}
	c.tasks = append(c.tasks, border...)
	return c, cost
}

// ownColumns are the columns from first to end-1 of a segment, which are no ghosts.
type ownColumns struct{ first, end int }

// hold reports whether products with the rows lo to hi-1 of m load no ghosts: a slot loads elements up to a window beside those of its values.
func (o ownColumns) hold(m *csr.Matrix, lo, hi int) bool {
	first, end := o.first, o.end-window
	if first > 0 {
		first += window
	}
	for i := lo; i < hi; i++ {
		if cols, _ := m.Row(i); len(cols) > 0 && (int(slices.Min(cols)) < first || int(slices.Max(cols)) >= end) {
			return false
		}
	}
	return true
}

// ownOf returns what r has to do with of x, a vector of the coarser level: if that is gathered, what belongs to this rank.
func (m *levelMatrices) ownOf(x []float64) []float64 {
	if !m.gather {
		return x
	}
	own := make([]float64, m.below.Len)
	for _, p := range m.below.Parts {
		copy(own[p.First():p.End()], x[p.Row:])
	}
	return own
}

// size is the number of elements of vectors of the level, without those in no segment.
func (m *levelMatrices) size() int64 {
	if m.layout == nil {
		return int64(m.a.Rows)
	}
	return int64(m.layout.Elements())
}

// spreadCost is the cost of so many nonzeros and rows in FP64.
func spreadCost(nonzeros, rows int64) Cost {
	bytes := 12*nonzeros + 8*rows
	return Cost{nonzeros, 8 * nonzeros, bytes, bytes}
}

// count is the number of nonzeros of the level's matrix.
func (m *levelMatrices) count() int {
	if m.layout != nil {
		return m.nonzeros
	}
	return m.a.NNZ()
}

// spreadTransfers is transfers of a spread level.
func (s chunkStore) spreadTransfers(m *levelMatrices, here, below *scaledLevel) (prolong, restrict products[float32], cost Cost) {
	coarse := m.below
	if m.gather {
		coarse = nil
	}
	p, cost := s.storeSpread(m.p, chunkScales{here.inverse, below.root}, coarse, m.layout)
	m.p = nil
	r, costT := s.storeSpread(m.r, chunkScales{m.ownOf(below.left), here.leftInverse}, m.layout, m.below)
	m.r = nil
	prolong, restrict = passing[float32](m, p, r, s.spreadVector)
	return prolong, restrict, cost.Add(costT)
}

// exchanging are products with vectors of float64 that are spread over ranks.
type exchanging struct {
	products[float64]
	halo *dist.Halo // nil: the vector that is multiplied has no ghosts
}

func (e exchanging) fill(x []float64) {
	if e.halo != nil {
		e.halo.Exchange(x)
	}
}

func (e exchanging) Apply(dst, x []float64) {
	e.fill(x)
	e.products.Apply(dst, x)
}

func (e exchanging) Residual(r, b, x []float64) {
	e.fill(x)
	e.products.Residual(r, b, x)
}

func (e exchanging) Plus(dst, b, x []float64) {
	e.fill(x)
	e.products.Plus(dst, b, x)
}

func (e exchanging) Relax(dst, x, b []float64, omega float64) {
	e.fill(x)
	e.products.Relax(dst, x, b, omega)
}
