package precond

import (
	"cmp"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// descend adds a level, with the own rows of its prolongator p, whose columns are c, and goes on to the next matrix. The near-null
// space of that is there, without ghosts.
func (h *spreadHierarchy) descend(level levelMatrices, p *csr.Matrix, c *coarseColumns) error {
	l := h.over.layout
	wider, err := h.widened(p, c)
	if err != nil {
		return err
	}
	if wider != nil {
		to := moved(l, wider)
		level.a, level.m = relaid(level.a, l, wider, to, h.pool), relaidVector(level.m, l, wider)
		p = relaid(p, l, wider, nil, h.pool)
		wider.Halo.Exchange(level.m)
		if k := len(h.levels); k > 0 {
			h.levels[k-1].relay(wider, to, h.pool)
		}
		l, h.over.layout = wider, wider
	}
	level.layout = l
	p, c = h.fetched(p, c)
	r := c.restriction(l, p, h.pool)

	sources := slices.DeleteFunc(l.Sources(), func(i int32) bool { // those that restrictions of other domains do not refer to
		cols, _ := p.Row(int(i))
		first, end := c.columnsOf(l.Parts[l.Part(int(i))].Domain)
		return inside(cols, first, end)
	})
	product, err := productOf(rowsOf(level.a, sources, h.pool), p, c.blocks(), h.pool)
	if err = h.over.agree(err); err != nil {
		return err
	}
	product = scattered(product, sources, l.Len)
	given, p, c := h.fetchedProduct(product, p, c)
	agreed, multiplications := false, int64(0)
	coarse, err := galerkinRows(r, level.a, p, given, c.blocks(), h.pool, func(n int64, _ int, count func() int64) error {
		switch {
		case count == nil:
			return nil
		case agreed:
			multiplications = n
			return nil
		}
		agreed = true
		h.over.sum(&n)
		return h.over.agree(cmp.Or(h.interrupted(), h.checkWork(n)))
	})
	h.over.sum(&multiplications)
	if err = h.over.agree(cmp.Or(err, h.checkWork(multiplications))); err != nil {
		return err
	}
	joined := h.joinedDomains(c.domains)
	var own *csr.Matrix // whose ghosts are needed in the domains of this level
	if joined == nil {
		own = coarse
	}
	below, err := h.coarseLayout(own, p, c)
	if err != nil {
		return err
	}
	level.below = below
	level.p = c.placed(p, below, func(k int) (lo, hi, at int) { return l.Parts[k].First(), l.Parts[k].End(), l.Parts[k].First() }, l.Len, h.pool)
	rowOf := func(k int) (lo, hi, at int) {
		q := below.Parts[k]
		lo = int(q.Row - c.first)
		return lo, lo + q.Own, q.First()
	}
	level.r = withRows(r, below, rowOf)
	nonzeros := int64(h.a.NNZ())
	h.over.sum(&nonzeros)
	level.nonzeros = int(nonzeros)
	h.levels = append(h.levels, level)
	h.held += level.a.Bytes() + 2*level.p.Bytes()
	h.nonzeros += int(nonzeros)
	h.rule.threshold *= coarserThreshold
	if joined != nil {
		err = h.join(coarse, c, *joined)
	} else {
		h.a, h.over.layout = c.placed(coarse, below, rowOf, below.Len, h.pool), below
		h.null = inSegments(h.null, below)
		h.nodes = nodesWhere(below, func(at int) bool { return c.codes[c.column(below.Global(at))]&1 != 0 })
	}
	if err != nil {
		return err
	}
	return h.allowed(h.held + h.a.Bytes())
}

// inSegments returns vectors of a layout, without ghosts, given their own elements one after the other.
func inSegments(own [][]float64, l *dist.Layout) [][]float64 {
	all := make([][]float64, len(own))
	for q, v := range own {
		all[q] = make([]float64, l.Len)
		for _, p := range l.Parts {
			v = v[copy(all[q][p.First():p.End()], v):]
		}
	}
	return all
}

// restriction returns the matrix that restricts to own unknowns: to the unknowns of a domain, from its segment.
func (c *coarseColumns) restriction(l *dist.Layout, p *csr.Matrix, pool *parallel.Pool) *csr.Matrix {
	return p.TransposePart(c.below, c.own, func(i int) (from, to int64) {
		q := &l.Parts[l.Part(i)]
		if i >= q.Next() {
			return 0, 0
		}
		first, end := c.columnsOf(q.Domain)
		from, to = p.RowPtr[i], p.RowPtr[i+1]
		for from < to && p.Col[from] < first {
			from++
		}
		for to > from && p.Col[to-1] >= end {
			to--
		}
		return from, to
	}, pool)
}

// scattered returns m with its rows where they belong, of so many.
func scattered(m *csr.Matrix, at []int32, rows int) *csr.Matrix {
	s := &csr.Matrix{Rows: rows, Cols: m.Cols, RowPtr: make([]int64, rows+1), Col: m.Col, Val: m.Val}
	k := 0
	for i := range rows {
		if k < len(at) && int(at[k]) == i {
			k++
		}
		s.RowPtr[i+1] = m.RowPtr[k]
	}
	return s
}

// rowsOf returns some rows of m.
func rowsOf(m *csr.Matrix, rows []int32, pool *parallel.Pool) *csr.Matrix {
	return assembled(len(rows), m.Cols, pool, func(k int) int {
		return int(m.RowPtr[rows[k]+1] - m.RowPtr[rows[k]])
	}, func(k int, col []int32, val []float64) {
		cols, vals := m.Row(int(rows[k]))
		copy(col, cols)
		copy(val, vals)
	})
}

// fetchedProduct returns rows of A P of ghosts, given the rows of own unknowns that are ghosts elsewhere. There may be more
// columns then.
func (h *spreadHierarchy) fetchedProduct(product, p *csr.Matrix, c *coarseColumns) (given, wider *csr.Matrix, e *coarseColumns) {
	l := h.over.layout
	rows := c.fetchRows(l, product, h.pool)
	e, to := c.extended(rows, h.pool)
	var blocks []dist.RowBlock
	for k, q := range l.Parts {
		below, above := dist.GhostBlocks(q.At, q, rows[k])
		blocks = append(blocks, below, above)
	}
	if len(e.codes) > len(c.codes) {
		h.pool.RunRanges(evenly(len(p.Col), nodesPerTask), func(_, lo, hi int) {
			for at, j := range p.Col[lo:hi] {
				p.Col[lo+at] = to[j]
			}
		})
		p.Cols = len(e.codes)
	}
	return dist.Stacked(l.Len, len(e.codes), blocks, h.pool), p, e
}

// coarseLayout returns the layout of the coarse level: each domain has the ghosts that its rows of the prolongator and of the coarse matrix, unless
// that is nil, refer to.
func (h *spreadHierarchy) coarseLayout(coarse, p *csr.Matrix, c *coarseColumns) (*dist.Layout, error) {
	l := h.over.layout
	ghosts := make([][]int64, len(l.Parts))
	seen := make([]int, len(c.codes)) // the domain that a column was met in last, from 1
	for k, q := range l.Parts {
		lo, hi := c.domains.Start[q.Domain], c.domains.Start[q.Domain+1]
		first, end := c.columnsOf(q.Domain)
		meet := func(cols []int32) {
			for _, j := range cols {
				if j >= first && j < end || seen[j] == q.Domain+1 {
					continue
				}
				seen[j] = q.Domain + 1
				ghosts[k] = append(ghosts[k], c.global(j))
			}
		}
		meet(p.Col[p.RowPtr[q.First()]:p.RowPtr[q.End()]])
		if coarse != nil {
			meet(coarse.Col[coarse.RowPtr[lo-c.first]:coarse.RowPtr[hi-c.first]])
		}
		slices.Sort(ghosts[k])
	}
	return dist.NewLayout(l.Comm, c.domains, ghosts)
}

// placed returns a matrix of so many rows whose rows of part k, from at on, are lo to hi-1 of m, given by rows. Columns are positions
// in the segment of the part below.
func (c *coarseColumns) placed(m *csr.Matrix, below *dist.Layout, rows func(k int) (lo, hi, at int), count int, pool *parallel.Pool) *csr.Matrix {
	out := &csr.Matrix{Rows: count, Cols: below.Len, RowPtr: make([]int64, count+1)}
	done, nnz := 0, int64(0) // rows so far
	for k := range below.Parts {
		lo, hi, at := rows(k)
		for ; done < at; done++ {
			out.RowPtr[done+1] = nnz
		}
		for i := lo; i < hi; i++ {
			nnz += m.RowPtr[i+1] - m.RowPtr[i]
			done++
			out.RowPtr[done] = nnz
		}
	}
	for ; done < count; done++ {
		out.RowPtr[done+1] = nnz
	}
	out.Col, out.Val = make([]int32, nnz), make([]float64, nnz)
	to := make([]int32, len(c.codes))
	for k, q := range below.Parts {
		first := c.below + int(q.Row-c.first)
		for i := range q.Own {
			to[first+i] = int32(q.First() + i)
		}
		for g, index := range q.Ghosts {
			to[c.column(index)] = int32(ghostAt(q, g))
		}
		lo, hi, at := rows(k)
		bounds := evenly(hi-lo, nodesPerTask)
		pool.RunRanges(bounds, func(_, from, end int) {
			start := out.RowPtr[at+from]
			a, b := m.RowPtr[lo+from], m.RowPtr[lo+end]
			copy(out.Val[start:], m.Val[a:b])
			for e, j := range m.Col[a:b] {
				out.Col[start+int64(e)] = to[j]
			}
		})
	}
	return out
}

// withRows returns r with its rows where own elements of a layout are.
func withRows(r *csr.Matrix, below *dist.Layout, rows func(k int) (lo, hi, at int)) *csr.Matrix {
	m := &csr.Matrix{Rows: below.Len, Cols: r.Cols, RowPtr: make([]int64, 1, below.Len+1), Col: r.Col, Val: r.Val}
	for k := range below.Parts {
		lo, hi, at := rows(k)
		for len(m.RowPtr) <= at {
			m.RowPtr = append(m.RowPtr, r.RowPtr[lo])
		}
		m.RowPtr = append(m.RowPtr, r.RowPtr[lo+1:hi+1]...)
	}
	for len(m.RowPtr) <= below.Len {
		m.RowPtr = append(m.RowPtr, r.RowPtr[r.Rows])
	}
	return m
}

// nodesWhere returns the nodes of vectors of a layout that begin at the given unknowns; an unknown in no segment is a node.
func nodesWhere(l *dist.Layout, begins func(at int) bool) nodes {
	nd := nodes{Of: make([]int32, l.Len)}
	at := 0
	set := func(end int, begins func(at int) bool) {
		for ; at < end; at++ {
			if begins(at) {
				nd.First = append(nd.First, int32(at))
			}
			nd.Of[at] = int32(len(nd.First) - 1)
		}
	}
	between := func(int) bool { return true }
	for _, p := range l.Parts {
		set(p.At, between)
		set(p.Next(), begins)
	}
	set(l.Len, between)
	nd.First = append(nd.First, int32(l.Len))
	return nd
}
