package precond

import "github.com/mpsolve/mpsolve/pkg/parallel"

// aggregates are disjoint sets of nodes, from which the nodes of the next
// coarser level are made.
type aggregates struct {
	of    []int32 // the aggregate of each node; -1: none
	count int
}

// aggregate joins nodes that are strongly connected ([Vanek96], algorithm 2):
// first each node none of whose neighbours belongs to an aggregate yet, with all
// its neighbours without loose connections to it; then each remaining node with the aggregate of the first pass to which it is
// connected most strongly. Nodes without a connection belong to no aggregate: smoothing alone
// solves for them.
//
// The first pass is serial, which takes a few per cent of setting up.
func aggregate(s strength, g *graph, pool *parallel.Pool) aggregates {
	const none = -1
	n := len(g.first) - 1
	of := make([]int32, n)
	for k := range of {
		of[k] = none
	}
	count := int32(0)
next:
	for k := range int32(n) {
		if of[k] != none {
			continue
		}
		near, alone := g.of(k), true
		for q, j := range near {
			if g.isLoose(k, q) {
				continue
			}
			if alone = false; of[j] != none {
				continue next
			}
		}
		if alone {
			continue
		}
		of[k] = count
		for q, j := range near {
			if !g.isLoose(k, q) {
				of[j] = count
			}
		}
		count++
	}
	// Nodes join when all have chosen, so that none joins a chain of nodes that have just joined.
	type joining struct{ node, aggregate int32 }
	bounds := evenly(n, nodesPerTask)
	joined := make([][]joining, len(bounds)-1)
	pool.RunRanges(bounds, func(part, lo, hi int) {
		for k := int32(lo); k < int32(hi); k++ {
			if of[k] != none {
				continue
			}
			if j := s.strongest(k, g.of(k), func(j int32) bool { return of[j] != none }); j >= 0 {
				joined[part] = append(joined[part], joining{k, of[j]})
			}
		}
	})
	for _, part := range joined {
		for _, j := range part {
			of[j.node] = j.aggregate
		}
	}
	return aggregates{of, int(count)}
}
