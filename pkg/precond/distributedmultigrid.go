package precond

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/kernels"
)

// newDistributedMultigrid is newMultigrid for a matrix that is spread over ranks. Levels are spread too until they are
// small; then all ranks have them and do the same with them.
func newDistributedMultigrid(s distributed) (Preconditioner, error) {
	return s.multigrid(usualSizes)
}

// multigrid is newDistributedMultigrid for given sizes.
func (s distributed) multigrid(sizes spreadSizes) (Preconditioner, error) {
	if s.Multigrid.KCycle {
		return nil, errors.New("there are no K-cycles over several domains")
	}
	h, err := newSpreadHierarchy(s)
	if err != nil {
		return nil, err
	}
	h.sizes, h.whole = sizes, s.a.NNZ
	if s.a.Domains.Count() <= fewDomains {
		h.sizes.coarse = sizes.finest
	}
	width := len(h.null)
	tail, err := h.build()
	if err != nil {
		return nil, err
	}
	p, g, err := h.cycle(s, tail)
	if err != nil {
		return nil, err
	}
	g.text = tail.describe(g, fmt.Sprintf(", %d of them spread over domains", len(h.levels)), h.BlockSize, width,
		float64(h.nonzeros+tail.nonzeros)/float64(max(s.a.NNZ, 1)))
	return p, nil
}

// cycle builds the levels of tail and stores the matrices of all levels, which it lets go.
func (h *spreadHierarchy) cycle(s distributed, tail *hierarchy) (Preconditioner, *multigrid, error) {
	err := tail.build()
	if err = h.over.agree(err); err != nil {
		return nil, nil, err
	}
	h.connect()
	var finest *dist.Layout
	if len(h.levels) > 0 {
		finest = h.levels[0].layout
	}
	g, err := newCycle(h.setup, h.over, slices.Concat(h.levels, tail.levels), tail.a)
	if err = h.over.agree(err); err != nil {
		return nil, nil, err
	}
	g.cost = h.over.total(g.cost, g.shared())
	if finest == nil {
		return &gatheredCycle{g, s.a.Layout, make(vector, s.a.N), make(vector, s.a.N), nil}, g, nil
	}
	var spans []span
	for k, p := range finest.Parts {
		spans = append(spans, span{p.First(), s.a.Parts[k].First(), p.Own})
	}
	over := spreading{s.a.Layout}
	switch c := g.cycles.(type) {
	case *cycle[float32]:
		c.setSpans(spans...)
		c.greatest = over.greatest
		if finest == s.a.Layout && s.Symmetric {
			space := dist.NewSpace(finest, s.pool)
			kernels.Use(space, s.kernels)
			return newFusedCycle(g, c, space), g, nil
		}
	case *cycle[float64]:
		c.setSpans(spans...)
		c.greatest = over.greatest
	}
	return g, g, nil
}

// gatheredCycle is a cycle on vectors that all ranks have.
type gatheredCycle struct {
	*multigrid
	layout *dist.Layout
	b, x   vector
	own    vector
}

// Apply computes dst = M^-1 src.
func (g *gatheredCycle) Apply(dst, src []float64) {
	g.own = gather(g.b, g.own, src, g.layout)
	g.multigrid.Apply(g.x, g.b)
	for _, p := range g.layout.Parts {
		copy(dst[p.First():p.End()], g.x[p.Row:])
	}
}

// newSpreadHierarchy begins with the finest level.
func newSpreadHierarchy(s distributed) (*spreadHierarchy, error) {
	h := &spreadHierarchy{hierarchy: hierarchy{setup: s.setup, over: spreading{s.a.Layout}, a: s.m}}
	l := s.a.Layout
	size := s.BlockSize
	if size <= 0 {
		size = BlockSizeDistributed(s.a)
	}
	if slices.ContainsFunc(l.Domains.Start, func(row int64) bool { return row%int64(size) != 0 }) {
		s.logf("amg: domains cut nodes of %d unknowns: each unknown is a node", size)
		size = 1
	}
	h.null = slices.Clone(s.Multigrid.NearNull)
	s.Multigrid.NearNull, h.Multigrid.NearNull = nil, nil
	for k, v := range h.null {
		if len(v) != l.Len {
			return nil, fmt.Errorf("vector %d of the near-null space has %d elements, those of the layout have %d", k+1, len(v), l.Len)
		}
		if h.over.any(infiniteOwn(l, v)) {
			return nil, fmt.Errorf("vector %d of the near-null space is not finite", k+1)
		}
	}
	if len(h.null) == 0 {
		h.null = make([][]float64, size)
		for c := range h.null {
			h.null[c] = make([]float64, l.Len)
			for _, p := range l.Parts {
				for i := c; i < p.Own; i += size {
					h.null[c][p.First()+i] = 1
				}
			}
		}
	}
	if err := s.checkCoarsening(size, len(h.null)); err != nil {
		return nil, err
	}
	if size > 1 {
		if err := h.wholeNodes(int64(size)); err != nil {
			return nil, err
		}
	} else {
		h.nodes = equalBlocks(l.Len, 1)
	}
	h.BlockSize = size
	return h, nil
}

// infiniteOwn reports whether the sum of the squares of v's own elements may not be finite.
func infiniteOwn(l *dist.Layout, v []float64) bool {
	for _, p := range l.Parts {
		if slices.ContainsFunc(v[p.First():p.End()], func(v float64) bool { return !(math.Abs(v) < 0x1p500) }) {
			return true
		}
	}
	return false
}

// wholeNodes adds ghosts until nodes, of so many unknowns, are whole, and sets nodes.
func (h *spreadHierarchy) wholeNodes(size int64) error {
	l := h.over.layout
	ghosts := make([][]int64, len(l.Parts))
	more := false
	for k, p := range l.Parts {
		for _, row := range p.Ghosts {
			if n := len(ghosts[k]); n == 0 || ghosts[k][n-1] < row {
				for i := range size {
					ghosts[k] = append(ghosts[k], row/size*size+i)
				}
			}
		}
		more = more || len(ghosts[k]) > len(p.Ghosts)
	}
	if h.over.any(more) {
		wider, err := dist.NewLayout(l.Comm, l.Domains, ghosts)
		if err != nil {
			return err
		}
		h.a = relaid(h.a, l, wider, moved(l, wider), h.pool)
		for k, v := range h.null {
			h.null[k] = relaidVector(v, l, wider)
		}
		h.over.layout, l = wider, wider
	}
	h.nodes = nodesWhere(l, func(at int) bool { return l.Global(at)%size == 0 })
	return nil
}
