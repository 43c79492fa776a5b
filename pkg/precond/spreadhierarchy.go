package precond

import (
	"cmp"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// spreadSizes are numbers of rows that say where levels are.
type spreadSizes struct {
	finest, coarse int64 // of the finest level and of others, up to which a level is gathered: all ranks have it and what is coarser
	domain         int64 // of a domain of a coarse level: those with fewer are joined; 0: none are
}

// usualSizes are about the best of the model of docs/mpi.md with 10^6 rows a rank: its efficiency at 1,000 ranks of LUMI-C is 37 %, and 32 % with domains of
// 10,000 rows, 28 % with 20,000.
var usualSizes = spreadSizes{finest: 100_000, coarse: 10_000, domain: 5_000}

// fewDomains is the number of domains up to which coarse levels are gathered like the finest one: that repeats work of few, and aggregates are those of the
// whole level. G3_circuit takes 25 iterations in 8 domains then, and 40 with coarse levels in domains; in 16 domains 39 either way.
const fewDomains = 8

// mostGathered is the number of rows up to which a level is gathered where domains cannot be coarsened.
const mostGathered = 1_000_000

// spreadHierarchy sets up levels that are spread over ranks. Aggregates lie in one domain each; everything else is as for the
// whole matrix.
type spreadHierarchy struct {
	hierarchy
	sizes spreadSizes
	thin  bool // domains are, until they are joined, and prolongators end at their borders
}

// build makes levels until one is small enough to be gathered, and returns the hierarchy that goes on with that.
func (h *spreadHierarchy) build() (*hierarchy, error) {
	h.inverted = h.coarsest(int(h.rows()))
	for more := true; more && h.rows() > h.gatheredRows() && h.level() < maxLevels; {
		var err error
		if more, err = h.coarsen(); err != nil {
			return nil, err
		}
	}
	return h.gathered()
}

// gatheredRows is the number of rows up to which the current level is gathered.
func (h *spreadHierarchy) gatheredRows() int64 {
	if h.level() == 0 {
		return h.sizes.finest
	}
	return h.sizes.coarse
}

// rows is the number of rows of the current level, of all ranks.
func (h *spreadHierarchy) rows() int64 { return h.over.layout.Domains.Rows() }

// coarsen adds a level and goes on to the next, if that is smaller.
func (h *spreadHierarchy) coarsen() (more bool, err error) {
	m, l, pool := h.a, h.over.layout, h.pool
	if err := h.allowed(h.held + 2*m.Bytes() + int64(8*m.Rows*len(h.null))); err != nil {
		return false, err
	}
	connections, strong := h.connections()
	if h.rule.classical {
		return h.coarsenClassically()
	}
	inner := strong.within(l, h.nodes, pool)
	t := newTentative(h.nodes, aggregate(connections, inner, pool), h.null, pool)
	if h.level() == 0 {
		h.thin = h.mostlyAcross(strong, inner)
	}
	if h.thin {
		strong = inner
	}
	d := h.coarseDomains(t)
	if n := d.Rows(); n == 0 || float64(n) > slowCoarsening*float64(h.rows()) {
		return false, nil
	}
	level := levelMatrices{a: m}
	v := h.magnitudes()
	f := newFiltered(m, h.nodes, v, strong, h.over, pool)
	lambda, err := h.smoother(&level, v, f.bound)
	if err != nil {
		return false, fmt.Errorf("level %d: %w", h.level()+1, err)
	}
	h.over.fill(level.m)
	if err := h.allowed(h.held + 2*csr.Bytes(int64(m.Rows), int64(len(strong.near)+m.Rows)*int64(t.width))); err != nil {
		return false, err
	}
	c := h.fetchTentative(t, d)
	p := t.smooth(m, h.nodes, v, strong, f, h.omega(lambda), pool)
	if h.smoothsTwice() {
		p, c = h.fetched(p, c)
		p = smoothAgain(p, m, strong, f.diagonal, h.omega(lambda), pool)
	}
	h.null = t.null
	return true, h.descend(level, p, c)
}

// mostAcross is the share of strong connections that may lead to other domains where prolongators are smoothed along them.
const mostAcross = 0.25

// mostlyAcross reports whether more do on the finest level. An aggregate as thin as its domain does not get smoother by what lies
// beyond the border: the basis functions of neighbours become nearly equal. Without joined domains, a cube of 100^3 points in domains of one
// plane takes 81 iterations then, and 34 with prolongators that end at the borders; with domains of two planes 18 and 62.
func (h *spreadHierarchy) mostlyAcross(strong, inner *graph) bool {
	all, own := h.ownConnections(strong), h.ownConnections(inner)
	h.over.sum(&all, &own)
	return float64(all-own) > mostAcross*float64(all)
}

// ownConnections is the number of connections of the rank's own nodes.
func (h *spreadHierarchy) ownConnections(g *graph) (n int64) {
	for _, p := range h.over.layout.Parts {
		if p.Own > 0 {
			n += g.count(int(h.nodes.Of[p.First()]), int(h.nodes.Of[p.End()-1])+1)
		}
	}
	return n
}

// allowed agrees on whether to go on, with so many bytes on this rank.
func (h *spreadHierarchy) allowed(bytes int64) error {
	h.over.sum(&bytes)
	return h.over.agree(cmp.Or(h.interrupted(), h.checkMemory(bytes)))
}

// within is the graph without the connections between domains.
func (g *graph) within(l *dist.Layout, nd nodes, pool *parallel.Pool) *graph {
	n := len(g.first) - 1
	domain := func(k int32) (first, end int32) { // the nodes of the domain of node k
		p := &l.Parts[l.Part(int(nd.First[k]))]
		if i := int(nd.First[k]); i < p.First() || i >= p.End() {
			return 0, 0
		}
		return nd.Of[p.First()], nd.Of[p.End()-1] + 1
	}
	w := &graph{first: make([]int64, n+1), end: make([]int64, n), near: g.near, loose: g.loose}
	pool.RunRanges(evenly(n, nodesPerTask), func(_, lo, hi int) {
		for k := int32(lo); k < int32(hi); k++ {
			first, end := domain(k)
			near := g.of(k)
			from, to := 0, len(near)
			for from < to && near[from] < first {
				from++
			}
			for to > from && near[to-1] >= end {
				to--
			}
			w.first[k], w.end[k] = g.first[k]+int64(from), g.first[k]+int64(to)
		}
	})
	return w
}

// coarseDomains returns the unknowns of the coarse level, domain after domain; a domain may have none.
func (h *spreadHierarchy) coarseDomains(t *tentative) dist.Domains {
	l := h.over.layout
	counts := make([]int64, l.Domains.Count()+1)
	last := int32(0)
	for _, p := range l.Parts {
		end := last
		for _, j := range t.first[p.First():p.End()] {
			if j >= 0 {
				end = max(end, t.coarse.First[t.coarse.Of[j]+1])
			}
		}
		counts[p.Domain+1] = int64(end - last)
		last = end
	}
	l.Comm.Sum(counts)
	for k := range l.Domains.Count() {
		counts[k+1] += counts[k]
	}
	return dist.Domains{Start: counts}
}

// fetchTentative gives t the rows of ghosts, in columns that it returns.
func (h *spreadHierarchy) fetchTentative(t *tentative, d dist.Domains) *coarseColumns {
	l := h.over.layout
	lo, _ := l.Domains.Owned(l.Comm.Rank(), l.Comm.Size())
	own := newCoarseColumns(d, d.Start[lo], t.coarse)
	width := func(i int) int {
		j := t.first[i]
		if j < 0 {
			return 0
		}
		return int(t.coarse.First[t.coarse.Of[j]+1] - j)
	}
	ghosts := l.FetchRows(h.pool, width, func(i int, codes []int64, values []float64) {
		if j := t.first[i]; j >= 0 {
			copy(codes, own.codes[j:])
			copy(values, t.value[i*t.width:])
		}
	})
	c, _ := own.extended(ghosts, h.pool)
	t.coarse = c.blocks()
	for i, j := range t.first {
		if j >= 0 {
			t.first[i] += int32(c.below)
		}
	}
	for k, p := range l.Parts {
		r := ghosts[k]
		for g := range p.Ghosts {
			i := p.At + g
			if g >= p.Below {
				i += p.Own
			}
			if lo, hi := r.RowPtr[g], r.RowPtr[g+1]; lo < hi {
				t.first[i] = int32(r.Col[lo])
				copy(t.value[i*t.width:], r.Val[lo:hi])
			}
		}
	}
	return c
}

// fetched returns own rows of p, whose columns are c, and rows of ghosts.
func (h *spreadHierarchy) fetched(p *csr.Matrix, c *coarseColumns) (*csr.Matrix, *coarseColumns) {
	l := h.over.layout
	ghosts := c.fetchRows(l, p, h.pool)
	e, to := c.extended(ghosts, h.pool)
	return e.joined(l, p, to, ghosts, h.pool), e
}
