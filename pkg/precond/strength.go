package precond

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// strength measures connections between nodes: the strength of the connection of i and j is |a_ij| / sqrt|a_ii a_jj|,
// where a_ij is an element of m, the matrix of the norms of blocks ([Vanek96]).
type strength struct {
	m     *csr.Matrix
	root  []float64 // sqrt|a_ii|
	nodes bool      // of several unknowns
	nd    nodes
	over  spreading
}

func newStrength(m *csr.Matrix, nd nodes, over spreading, pool *parallel.Pool) strength {
	s := strength{m: norms(m, nd, pool), nodes: over.several(nd), nd: nd, over: over}
	s.root = s.m.Diagonal(pool)
	for i, d := range s.root {
		s.root[i] = math.Sqrt(math.Abs(d))
	}
	over.fillNodes(nd, s.root)
	return s
}

// norms is the matrix of ||A_IJ||_F of the blocks between nodes, A itself if nodes
// are single unknowns.
func norms(m *csr.Matrix, nd nodes, pool *parallel.Pool) *csr.Matrix {
	n := nd.count()
	if n == m.Rows {
		return m
	}
	squares := byRows(n, equalBlocks(n, 1), evenly(n, nodesPerTask), pool, func(k int, row *accumulator) {
		for i := nd.First[k]; i < nd.First[k+1]; i++ {
			cols, vals := m.Row(int(i))
			for q, j := range cols {
				row.add(nd.Of[j], float64(vals[q]*vals[q]))
			}
		}
	})
	for k, v := range squares.Val {
		squares.Val[k] = math.Sqrt(v)
	}
	return squares
}

// graph holds the strong connections between nodes: node k is connected to
// near[first[k]:first[k+1]], in ascending order, without itself.
type graph struct {
	first []int64
	end   []int64 // of each node's connections; nil: first of the next node
	near  []int32
	loose []bool // of each connection: weak beside another one of either end; nil: none is
}

func (g *graph) of(k int32) (near []int32) {
	if g.end != nil {
		return g.near[g.first[k]:g.end[k]]
	}
	return g.near[g.first[k]:g.first[k+1]]
}

// count is the number of connections of the nodes lo to hi-1.
func (g *graph) count(lo, hi int) (n int64) {
	if g.end == nil {
		return g.first[hi] - g.first[lo]
	}
	for k := lo; k < hi; k++ {
		n += g.end[k] - g.first[k]
	}
	return n
}

// strong is the graph of the connections that are at least as strong as the threshold, and not zero; if the rule is
// signed, of those with negative elements.
func (s strength) strong(rule connecting, pool *parallel.Pool) *graph {
	return newGraph(s.m, pool, func(i int, near []int32) []int32 {
		least := rule.threshold * s.root[i]
		cols, vals := s.m.Row(i)
		vals = vals[:len(cols)]
		for k, j := range cols {
			v := -vals[k]
			if !rule.signed {
				v = math.Abs(v)
			}
			if v >= least*s.root[j] && v > 0 && int(j) != i {
				near = append(near, j)
			}
		}
		return near
	})
}

// newGraph makes a graph of connections of m: connected appends those of node i to near, in ascending order.
func newGraph(m *csr.Matrix, pool *parallel.Pool, connected func(i int, near []int32) []int32) *graph {
	n := m.Rows
	bounds := evenly(n, nodesPerTask)
	found := make([][]int32, len(bounds)-1)
	g := &graph{first: make([]int64, n+1)}
	pool.RunRanges(bounds, func(part, lo, hi int) {
		near := make([]int32, 0, m.RowPtr[hi]-m.RowPtr[lo])
		for i := lo; i < hi; i++ {
			near = connected(i, near)
			g.first[i+1] = int64(len(near))
		}
		found[part] = near
	})
	total := int64(0)
	for part, near := range found {
		g.first[bounds[part]] = total
		total += int64(len(near))
	}
	g.near = make([]int32, total)
	pool.RunRanges(bounds, func(part, lo, hi int) {
		first := g.first[lo]
		copy(g.near[first:], found[part])
		for i := lo + 1; i < hi; i++ {
			g.first[i] += first
		}
	})
	g.first[n] = total
	return g
}

// Thresholds of strong connections on the finest level, between unknowns, between nodes of several,
// and in either case where a sample shows anisotropy. Each coarser level has the threshold of the
// next finer one times coarserThreshold.
const (
	defaultThreshold     = 0.05
	nodeThreshold        = 0.08
	anisotropicThreshold = 0.25

	coarserThreshold = 0.75
	sampledRows      = 10000
)

// connecting is the rule for which connections are strong.
type connecting struct {
	threshold   float64 // 0: not chosen yet
	anisotropic bool    // what the threshold was chosen for

	// Connections by positive elements are not strong: unknowns that push each other apart, as those beyond an obtuse angle of a mesh
	// or across a direction of strong coupling, do not have the same error.
	signed bool

	classical bool // coarsening
}

// mostPositive is the share of the rows whose strongest connection may be positive where the rule is signed. It is at
// most 0.1 in meshes with slivers and 0.9 for discontinuous elements.
const mostPositive = 0.25

// fewStrong is the number of strong connections of a row, in the mean, below which coarsening is classical. Then aggregates are small,
// and the matrices of coarse levels as large as those of classical coarsening, which takes a third of the iterations.
const fewStrong = 3

// rule chooses the rule of the finest level by a sample of rows, with a given threshold or, if that is 0, anisotropicThreshold
// if each row has a connection of that strength, but at most half of the connections have it. Then it tells the
// direction of strong coupling from the others; elsewhere it would leave nodes alone. The rule is signed only if it may be, as
// it is between single unknowns.
func (s strength) rule(o MultigridOptions, signed bool) connecting {
	var rows, positive, connections, near int64
	var strong, lonely [2]int64 // of all connections and of the negative ones
	for i := range s.over.sample(s.nd, sampledRows) {
		var here [2]int64
		var most [2]float64
		cols, vals := s.m.Row(i)
		for k, j := range cols {
			v := vals[k]
			if v == 0 || int(j) == i {
				continue
			}
			connections++
			sign := 0
			if v < 0 {
				v, sign = -v, 1
			}
			most[sign] = max(most[sign], v/s.root[j])
			if v >= anisotropicThreshold*s.root[i]*s.root[j] {
				here[0]++
				here[1] += int64(sign)
			}
			if sign == 1 && v >= defaultThreshold*s.root[i]*s.root[j] {
				near++
			}
		}
		rows++
		if most[0] > most[1] {
			positive++
		}
		for k, n := range here {
			if strong[k] += n; n == 0 {
				lonely[k]++
			}
		}
	}
	s.over.sum(&rows, &positive, &connections, &near, &strong[0], &strong[1], &lonely[0], &lonely[1])
	r, k := connecting{threshold: o.Threshold, signed: signed && float64(positive) <= mostPositive*float64(rows)}, 0
	if r.signed {
		k = 1
	}
	switch {
	case o.Threshold > 0:
	case lonely[k] == 0 && 2*strong[k] <= connections && connections > 0:
		r.threshold, r.anisotropic = anisotropicThreshold, true
	case s.nodes:
		r.threshold = nodeThreshold
	default:
		r.threshold = defaultThreshold
	}
	r.classical = o.Coarsening == coarseningClassical ||
		o.Coarsening == coarseningAuto && r.signed && !r.anisotropic && near < fewStrong*rows
	return r
}

// strongest returns the neighbour of node k among near, a part of its row, that satisfies
// a condition and has the strongest connection, the first of several, or -1.
func (s strength) strongest(k int32, near []int32, is func(j int32) bool) int32 {
	best, most := int32(-1), -1.0
	cols, vals := s.m.Row(int(k))
	for q, j := range cols {
		for len(near) > 0 && near[0] < j {
			near = near[1:]
		}
		if len(near) == 0 {
			break
		}
		if near[0] != j || !is(j) {
			continue
		}
		if w := math.Abs(vals[q]) / s.root[j]; !(w <= most) {
			best, most = j, w
		}
	}
	return best
}

const nodesPerTask = 4096 // of work for one thread

// evenly splits n into ranges of nearly equal length, at most that long.
func evenly(n, length int) []int {
	parts := (n + length - 1) / length
	bounds := make([]int, parts+1)
	for k := range bounds {
		bounds[k] = k * n / max(parts, 1)
	}
	return bounds
}

const (
	// A connection of strength s is loose if s < looseness t^2, where t is the strength of the strongest
	// connection of either end.
	looseness = 0.35
	mostLoose = 0.1 // share of the connections of a graph
)

// loosen marks the loose connections of g, unless these are so many that aggregates would become
// small everywhere rather than in rare places.
//
// Smoothing leaves an error that two nodes share whose connection is nearly as strong as can be, t near
// 1, whatever their neighbours do. An aggregate that has one of them without the other, or more nodes
// that are only loosely connected to them, does not correct that error. Where coefficients vary at random, the
// larger the mesh, the worse is the worst such place.
func (s strength) loosen(g *graph, pool *parallel.Pool) {
	n := s.m.Rows
	bounds := evenly(n, nodesPerTask)
	least := make([]float64, n) // strength of connections of each node that are not loose
	pool.RunRanges(bounds, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			most := 0.0
			cols, vals := s.m.Row(i)
			vals = vals[:len(cols)]
			for k, j := range cols {
				if int(j) != i && s.root[j] > 0 {
					most = max(most, math.Abs(vals[k])/s.root[j])
				}
			}
			if s.root[i] > 0 {
				most /= s.root[i]
				least[i] = looseness * most * most
			}
		}
	})
	s.over.fillNodes(s.nd, least)
	loose := make([]bool, len(g.near))
	counts := make([]int, len(bounds))
	pool.RunRanges(bounds, func(part, lo, hi int) {
		for i := lo; i < hi; i++ {
			at, end := g.first[i], g.first[i+1]
			cols, vals := s.m.Row(i)
			vals = vals[:len(cols)]
			for k, j := range cols {
				if at == end {
					break
				}
				if g.near[at] != j {
					continue
				}
				if math.Abs(vals[k]) < max(least[i], least[j])*s.root[i]*s.root[j] {
					loose[at] = true
					counts[part]++
				}
				at++
			}
		}
	})
	total, all := int64(0), int64(len(loose))
	for _, c := range counts {
		total += int64(c)
	}
	s.over.sum(&total, &all)
	if total > 0 && float64(total) <= mostLoose*float64(all) {
		g.loose = loose
	}
}

// isLoose reports whether the connection to of(k)[q] is.
func (g *graph) isLoose(k int32, q int) bool { return g.loose != nil && g.loose[g.first[k]+int64(q)] }
