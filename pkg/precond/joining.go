package precond

import (
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// A joining says how a coarser level is in domains that are joined of those of the finer one.
type joining struct {
	layout *dist.Layout // of the coarser level

	// Set when all levels are there:
	down, up *dist.Regroup // of vectors to layout, and back
	scale    scaledLevel   // of the coarser level, in the domains of the finer one
}

// joinedDomains returns the domains of a level whose rows are those of d, or nil if they are to stay: domains with few rows on average are
// joined, so that they are on fewer ranks. That depends on domains alone.
func (h *spreadHierarchy) joinedDomains(d dist.Domains) *dist.Domains {
	if d.Rows() <= h.sizes.coarse || h.sizes.domain == 0 {
		return nil // gathered next, or never joined
	}
	count := max(1, d.Rows()/h.sizes.domain)
	if count > int64(d.Count())/2 {
		return nil
	}
	joined := d.Joined(int(count))
	return &joined
}

// join moves the current level to domains d, given own rows of its matrix, whose columns are c.
func (h *spreadHierarchy) join(own *csr.Matrix, c *coarseColumns, d dist.Domains) error {
	comm := h.over.layout.Comm
	columns := make([]int64, len(c.codes))
	for j := range columns {
		columns[j] = c.global(int32(j))
	}
	rows, err := dist.Move(comm, dist.Slab{Matrix: own, Columns: columns}, c.first, d)
	if err != nil {
		return err
	}
	a, err := rows.Adopt(comm, d)
	if err != nil {
		return err
	}
	have, want := c.domains.Spans(comm.Size()), d.Spans(comm.Size())
	begins := make([]float64, c.own) // 1 where a node begins
	for i, v := range c.codes[c.below:][:c.own] {
		begins[i] = float64(v & 1)
	}
	moved := [][]float64{begins}
	moved = append(moved, h.null...)
	for k, v := range moved {
		moved[k] = dist.Redistribute(comm, v[:c.own], have, want)
	}
	moved = inSegments(moved, a.Layout)
	dist.Copy(a.Halo, moved[0])
	h.a, h.null = a.Local, moved[1:]
	h.nodes = nodesWhere(a.Layout, func(at int) bool { return moved[0][at] != 0 })
	h.over.layout, h.thin = a.Layout, false // joined domains are thicker
	h.levels[len(h.levels)-1].joined = &joining{layout: a.Layout}
	return nil
}

// connect prepares what passes vectors between levels in different domains, once all levels are there. Collective.
func (h *spreadHierarchy) connect() {
	for k := range h.levels {
		l := &h.levels[k]
		j := l.joined
		if j == nil {
			continue
		}
		j.down, j.up = dist.NewRegroup(l.below, j.layout), dist.NewRegroup(j.layout, l.below)
		m, coarser := make(vector, l.below.Len), &h.levels[k+1]
		dist.Pass(j.up, m, coarser.m)
		l.below.Halo.Exchange(m)
		j.scale = scaleOf(m, coarser.steps[0], h.pool)
	}
}

// passing returns the products with the prolongator and the restriction of a spread level for vectors of the coarser level as it is.
func passing[T real](m *levelMatrices, p, r products[T], vector func(n int) []T) (prolong, restrict products[T]) {
	switch {
	case m.gather:
		return p, &gathering[T]{products: r, layout: m.below, own: vector(m.below.Len)}
	case m.joined != nil:
		work := vector(m.below.Len)
		return &regrouping[T]{p, m.joined.up, work}, &regrouping[T]{r, m.joined.down, work}
	}
	return p, r
}

// gathering is the restriction to a level that all ranks have: all get the result.
type gathering[T real] struct {
	products[T] // to the unknowns of this rank
	layout      *dist.Layout
	own, send   []T
}

// Apply computes dst = A x.
func (g *gathering[T]) Apply(dst, x []T) {
	g.products.Apply(g.own, x)
	g.send = gather(dst, g.send, g.own, g.layout)
}

// regrouping is the prolongator or the restriction between levels in different domains.
type regrouping[T real] struct {
	products[T] // from or to vectors in the domains of the finer level
	pass        *dist.Regroup
	work        []T // such a vector
}

// Apply computes dst = A x, A the restriction.
func (r *regrouping[T]) Apply(dst, x []T) {
	r.products.Apply(r.work, x)
	dist.Pass(r.pass, dst, r.work)
}

// Plus computes dst = b + A x, A the prolongator.
func (r *regrouping[T]) Plus(dst, b, x []T) {
	dist.Pass(r.pass, r.work, x)
	r.products.Plus(dst, b, r.work)
}
