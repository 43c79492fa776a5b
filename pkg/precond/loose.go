package precond

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/parallel"
)

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
