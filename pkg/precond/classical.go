package precond

import (
	"fmt"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Values of MultigridOptions.Coarsening.
const (
	coarseningAuto        = ""
	coarseningAggregation = "aggregation"
	coarseningClassical   = "classical"
)

const (
	dependenceThreshold = 0.5 // of dependencies, relative to the strongest of the row
	mostInterpolated    = 4   // coarse points from which another is interpolated
)

// checkCoarsening returns an error if coarsening is unknown, or not defined for nodes of that size and so many near-null vectors.
func (s *setup) checkCoarsening(size, vectors int) error {
	switch s.Multigrid.Coarsening {
	case coarseningAuto, coarseningAggregation:
	case coarseningClassical:
		if size > 1 || vectors > 1 {
			return fmt.Errorf("classical coarsening is for nodes of one unknown and one near-null vector: here are %d and %d", size, vectors)
		}
	default:
		return fmt.Errorf("unknown coarsening %q", s.Multigrid.Coarsening)
	}
	return nil
}

// coarsenClassically is coarsen by classical coarsening ([DeSterck06]): some unknowns, the coarse points, are those of the next
// level, and the others are interpolated from them. Unknowns are measured in the near-null vector, which interpolation preserves.
func (h *hierarchy) coarsenClassically() (more bool, err error) {
	m := h.a
	if err := h.checkMemory(h.held + csr.Bytes(int64(m.Rows), mostInterpolated*int64(m.Rows))); err != nil {
		return false, err
	}
	v := h.magnitudes()
	g := dependencies(m, v, h.pool)
	s := pmis(g, h.over, h.pool)
	if s.count == 0 || float64(s.count) > slowCoarsening*float64(m.Rows) {
		return false, nil
	}
	h.tell(connectedPart)
	l := levelMatrices{a: m}
	if _, err := h.smoother(&l, v, 0); err != nil {
		return false, fmt.Errorf("level %d: %w", h.level()+1, err)
	}
	l.p = s.interpolation(m, v, g, h.pool)
	l.r = l.p.Transpose(h.pool)
	h.tell(smoothedPart)
	h.nodes, h.null = equalBlocks(s.count, 1), [][]float64{s.atCoarse(h.null[0])}
	l.kept = h.Kept.keep(&transfer{rows: m.Rows, p: l.p, r: l.r, nodes: h.nodes, null: h.null})
	return true, h.descend(l)
}

// coarsenClassically is coarsen by classical coarsening. The coarse points are nearly those of the whole matrix, but at the borders of domains
// other points are interpolated from their neighbours alone, since rows of other domains are not known.
func (h *spreadHierarchy) coarsenClassically() (more bool, err error) {
	m := h.a
	v := h.magnitudes()
	g := dependencies(m, v, h.pool)
	s := pmis(g, h.over, h.pool)
	t := &tentative{width: 1, value: slices.Repeat([]float64{1}, m.Rows), first: s.place, coarse: equalBlocks(s.count, 1)}
	d := h.coarseDomains(t)
	if n := d.Rows(); n == 0 || float64(n) > slowCoarsening*float64(h.rows()) {
		return false, nil
	}
	level := levelMatrices{a: m}
	if _, err := h.smoother(&level, v, 0); err != nil {
		return false, fmt.Errorf("level %d: %w", h.level()+1, err)
	}
	h.over.fill(level.m)
	if err := h.allowed(h.held + csr.Bytes(int64(m.Rows), mostInterpolated*int64(m.Rows))); err != nil {
		return false, err
	}
	null := s.atCoarse(h.null[0])
	c := h.fetchTentative(t, d)
	s.count = len(t.coarse.Of)
	p := s.interpolation(m, v, g, h.pool)
	h.null = [][]float64{null}
	return true, h.descend(level, p, c)
}

// dependencies returns the connections of each unknown i with those j on which it depends strongly: those where
// -a_ij v_j is at least dependenceThreshold times the largest of the row, and not zero.
func dependencies(m *csr.Matrix, v []float64, pool *parallel.Pool) *graph {
	return newGraph(m, pool, func(i int, near []int32) []int32 {
		cols, vals := m.Row(i)
		vals = vals[:len(cols)]
		most := 0.0
		for k, j := range cols {
			if int(j) != i {
				most = max(most, -vals[k]*v[j])
			}
		}
		if most == 0 {
			return near
		}
		for k, j := range cols {
			if int(j) != i && -vals[k]*v[j] >= dependenceThreshold*most {
				near = append(near, j)
			}
		}
		return near
	})
}

// turned returns the graph with all connections turned around.
func (g *graph) turned(pool *parallel.Pool) *graph {
	n := len(g.first) - 1
	t := (&csr.Matrix{Rows: n, Cols: n, RowPtr: g.first, Col: g.near, Val: make([]float64, len(g.near))}).Transpose(pool)
	return &graph{first: t.RowPtr, near: t.Col}
}

// A splitting says which unknowns are coarse points.
type splitting struct {
	place []int32 // of coarse points on the next level; fine of the others
	count int
}

const fine = -1

// pmis chooses the coarse points: a maximal independent set of the graph of dependencies, in which unknowns on which many others
// depend come first, and among these some at random ([DeSterck06], section 4). An unknown on which none depends is not a coarse point.
// Unknowns of other domains do not count among those that depend on one.
func pmis(g *graph, over spreading, pool *parallel.Pool) splitting {
	const free, coarse = -3, -2
	n := len(g.first) - 1
	t := g.turned(pool)
	state, weight := make([]float64, n), make([]float64, n) // weight: how many depend on the unknown, and a random fraction
	pool.RunRanges(evenly(n, nodesPerTask), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			state[i] = fine
			if dependent := len(t.of(int32(i))); dependent > 0 && over.has(i) {
				state[i] = free
				weight[i] = float64(dependent) + float64(mixed(uint64(over.row(i)))>>24)*0x1p-40
			}
		}
	})
	var left []int32
	for i := range int32(n) {
		if state[i] == free {
			left = append(left, i)
		}
	}
	over.fill(state)
	over.fill(weight)
	before := func(i int32, near []int32) bool { // whether one of those near, if it is free, is chosen before i
		for _, j := range near {
			if state[j] == free && (weight[j] > weight[i] || weight[j] == weight[i] && over.row(int(j)) < over.row(int(i))) {
				return true
			}
		}
		return false
	}
	is := make([]bool, len(left))
	for {
		total := int64(len(left))
		if over.sum(&total); total == 0 {
			break
		}
		bounds := evenly(len(left), nodesPerTask)
		each := func(do func(i int32) bool) {
			pool.RunRanges(bounds, func(_, lo, hi int) {
				for k := lo; k < hi; k++ {
					is[k] = do(left[k])
				}
			})
		}
		each(func(i int32) bool { return !before(i, g.of(i)) && !before(i, t.of(i)) })
		for k, i := range left {
			if is[k] {
				state[i] = coarse
			}
		}
		over.fill(state)
		each(func(i int32) bool {
			if state[i] == free {
				for _, j := range g.of(i) {
					if state[j] == coarse {
						return true
					}
				}
			}
			return false
		})
		rest := left[:0]
		for k, i := range left {
			switch {
			case is[k]:
				state[i] = fine
			case state[i] == free:
				rest = append(rest, i)
			}
		}
		left = rest
		over.fill(state)
	}
	if over.layout != nil {
		g.insure(state, over, coarse)
	}
	s := splitting{place: make([]int32, n)}
	for i := range s.place {
		s.place[i] = fine
		if state[i] == coarse && over.has(i) {
			s.place[i] = int32(s.count)
			s.count++
		}
	}
	return s
}

// insure makes coarse points of others that depend on points of other domains that are not coarse either: of two such
// points the first, as far as both depend on each other. What these are interpolated from is not known.
func (g *graph) insure(state []float64, over spreading, coarse float64) {
	for _, all := range []bool{false, true} {
		for i := range state {
			if state[i] == fine && over.has(i) && slices.ContainsFunc(g.of(int32(i)), func(j int32) bool {
				return state[j] == fine && !over.has(int(j)) && (all || over.row(i) < over.row(int(j)))
			}) {
				state[i] = coarse
			}
		}
		over.fill(state)
	}
}

// atCoarse returns the elements of v at the coarse points.
func (s splitting) atCoarse(v []float64) []float64 {
	c := make([]float64, 0, s.count)
	for i, p := range s.place {
		if p != fine {
			c = append(c, v[i])
		}
	}
	return c
}
