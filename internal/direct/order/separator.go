package order

import (
	"math/rand/v2"
	"slices"
)

const (
	coarsestGraph  = 100  // vertices that a graph is coarsened to
	leastReduction = 0.95 // coarsening ends if it leaves a larger share of the vertices
	separatorTries = 8    // separators of the coarsest graph of which the best is kept
	largestSide    = 0.6  // of the weight
	refinements    = 16   // passes at each level
)

// middle is the side of the vertices of a separator; the others are on sides 0 and 1.
const middle = 2

// separated returns the side of each vertex: no edge joins sides 0 and 1, and the separator between them is small. It is found by the multilevel
// method [KarypisKumar98]: pairs of neighbours become one vertex until the graph is small, a separator of the small graph is found, and is
// refined in each larger graph.
func (g *weighted) separated() []uint8 {
	r := rand.New(rand.NewPCG(uint64(g.vertices()), uint64(len(g.adj))))
	if g.vertices() <= coarsestGraph {
		return g.smallSeparator(r)
	}
	coarse, into := g.coarsened(r)
	if float64(coarse.vertices()) > leastReduction*float64(g.vertices()) {
		return g.smallSeparator(r)
	}
	small := coarse.separated()
	side := make([]uint8, g.vertices())
	for v, c := range into {
		side[v] = small[c]
	}
	g.newCutter(side).refine()
	return side
}

// coarsened matches each vertex with the neighbour to which its edge is heaviest, and returns the graph of the pairs, and the pair of each vertex.
func (g *weighted) coarsened(r *rand.Rand) (coarse *weighted, into []int32) {
	n := g.vertices()
	order := g.byDegree(r)
	heaviest := int32(max(2, 3*g.total()/(2*coarsestGraph)))
	into = marks(n)
	var pairs [][2]int32
	for _, v := range order {
		if into[v] >= 0 {
			continue
		}
		mate, weight := v, int32(0)
		for e := g.at[v]; e < g.at[v+1]; e++ {
			if w := g.adj[e]; into[w] < 0 && g.edge[e] > weight && g.weight[v]+g.weight[w] <= heaviest {
				mate, weight = w, g.edge[e]
			}
		}
		into[v], into[mate] = int32(len(pairs)), int32(len(pairs))
		pairs = append(pairs, [2]int32{v, mate})
	}
	coarse = &weighted{
		Graph:  Graph{at: make([]int, 1, len(pairs)+1), adj: make([]int32, 0, len(g.adj))},
		weight: make([]int32, len(pairs)), edge: make([]int32, 0, len(g.adj)),
	}
	place := make([]int, len(pairs)) // of an edge to a pair, from the last one seen
	for c, pair := range pairs {
		from := len(coarse.adj)
		for k, v := range pair {
			if k == 1 && v == pair[0] {
				break
			}
			coarse.weight[c] += g.weight[v]
			for e := g.at[v]; e < g.at[v+1]; e++ {
				w := into[g.adj[e]]
				if at := place[w]; w != int32(c) && at >= from && at < len(coarse.adj) && coarse.adj[at] == w {
					coarse.edge[at] += g.edge[e]
				} else if w != int32(c) {
					place[w] = len(coarse.adj)
					coarse.adj, coarse.edge = append(coarse.adj, w), append(coarse.edge, g.edge[e])
				}
			}
		}
		coarse.at = append(coarse.at, len(coarse.adj))
	}
	return coarse, into
}

// byDegree returns the vertices by their numbers of neighbours, vertices with as many neighbours in random order.
func (g *weighted) byDegree(r *rand.Rand) []int32 {
	n := g.vertices()
	shuffled, order := make([]int32, n), make([]int32, n)
	most := 0
	for k := range shuffled {
		other := r.IntN(k + 1)
		shuffled[k], shuffled[other] = shuffled[other], int32(k)
		most = max(most, g.at[k+1]-g.at[k])
	}
	place := make([]int, most+2)
	for v := range n {
		place[g.at[v+1]-g.at[v]+1]++
	}
	for d := range most {
		place[d+1] += place[d]
	}
	for _, v := range shuffled {
		d := g.at[v+1] - g.at[v]
		order[place[d]] = v
		place[d]++
	}
	return order
}

// smallSeparator returns the best of several separators: each begins as the boundary of the first vertices that a search from a random one meets,
// half of the weight.
func (g *weighted) smallSeparator(r *rand.Rand) []uint8 {
	n, half := g.vertices(), g.total()/2
	var best *cutter
	for range separatorTries {
		side := make([]uint8, n)
		for v := range side {
			side[v] = 1
		}
		met := int64(0)
		var queue []int32
		for first := r.IntN(n); met < half; first = (first + 1) % n {
			if side[first] == 0 {
				continue
			}
			side[first] = 0
			for queue = append(queue[:0], int32(first)); len(queue) > 0 && met < half; queue = queue[1:] {
				met += int64(g.weight[queue[0]])
				for _, w := range g.neighbours(queue[0]) {
					if side[w] == 1 {
						side[w] = 0
						queue = append(queue, w)
					}
				}
			}
			for _, v := range queue { // met too late
				side[v] = 1
			}
		}
		for v := range int32(n) {
			if side[v] == 0 && slices.ContainsFunc(g.neighbours(v), func(w int32) bool { return side[w] == 1 }) {
				side[v] = middle
			}
		}
		c := g.newCutter(side)
		c.refine()
		if best == nil || c.better(c.size, best.size) {
			best = c
		}
	}
	return best.side
}
