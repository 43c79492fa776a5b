package precond

// aggregates are disjoint sets of nodes, from which the nodes of the next
// coarser level are made.
type aggregates struct {
	of    []int32 // the aggregate of each node; -1: none
	count int
}

// aggregate joins nodes that are strongly connected ([Vanek96], algorithm 2):
// first each node none of whose neighbours belongs to an aggregate yet, with all
// its neighbours, but those of loose connections; then each remaining node with the aggregate of the first pass to which it is
// connected most strongly. Nodes without a connection belong to no aggregate: smoothing alone
// solves for them.
//
// It is serial, which takes a few per cent of setting up.
func aggregate(s strength, g *graph) aggregates {
	const (
		none = -1
		// The second pass marks what it adds as -2 - aggregate, so that nodes do
		// not join chains of nodes that have just joined.
		joined = -2
	)
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
	for k := range int32(n) {
		if of[k] != none {
			continue
		}
		if j := s.strongest(k, g.of(k), func(j int32) bool { return of[j] >= 0 }); j >= 0 {
			of[k] = joined - of[j]
		}
	}
	for k, to := range of {
		if to <= joined {
			of[k] = joined - to
		}
	}
	return aggregates{of, int(count)}
}
