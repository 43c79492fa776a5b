package order

// coarsened matches each vertex with the neighbour to which its edge is heaviest, and returns the graph of the pairs, and the pair of each
// vertex; nil if few vertices find one. Vertices choose in their own order, those with few neighbours first, and pairs have the order of their first vertices: on grids, separators of
// coarse graphs are straight then, and neighbours are near each other in memory, which is of the finder.
func (f *finder) coarsened(g *weighted, heaviest int32) (coarse *weighted, into []int32) {
	n := g.vertices()
	mate := f.take(n)
	for v := range mate {
		mate[v] = -1
	}
	pairs := n
	mean := int32(len(g.adj) / n)
	for k := range 2 * int32(n) { // vertices with few neighbours first
		v := k % int32(n)
		if few := g.at[v+1]-g.at[v] <= mean; mate[v] >= 0 || few != (k == v) {
			continue
		}
		with, weight := v, int32(0)
		for e := g.at[v]; e < g.at[v+1]; e++ {
			if w := g.adj[e]; g.edge[e] > weight && mate[w] < 0 && g.weight[v]+g.weight[w] <= heaviest {
				with, weight = w, g.edge[e]
			}
		}
		mate[v], mate[with] = with, v
		if with != v {
			pairs--
		}
	}
	if float64(pairs) > leastReduction*float64(n) {
		return nil, nil
	}
	into = f.take(n)
	next := int32(0)
	for v, w := range mate {
		if int(w) < v {
			into[v] = into[w]
			continue
		}
		into[v] = next
		next++
	}
	coarse = &weighted{at: f.take(pairs + 1), weight: f.take(pairs)}
	both := f.take(2 * len(g.adj))
	coarse.adj, coarse.edge = both[:len(g.adj)], both[len(g.adj):]
	place := f.places(pairs) // of an edge to a pair, from the last one seen
	c, count := int32(0), int32(0)
	coarse.at[0] = 0
	for v, w := range mate {
		if int(w) < v {
			continue
		}
		from := count
		coarse.weight[c] = 0
		for u := int32(v); ; u = w {
			coarse.weight[c] += g.weight[u]
			for e := g.at[u]; e < g.at[u+1]; e++ {
				switch to := into[g.adj[e]]; {
				case to == c:
				case place[to] >= from:
					coarse.edge[place[to]] += g.edge[e]
				default:
					place[to] = count
					coarse.adj[count], coarse.edge[count] = to, g.edge[e]
					count++
				}
			}
			if u == w {
				break
			}
		}
		c++
		coarse.at[c] = count
	}
	copy(both[count:], coarse.edge[:count])
	both = f.shortened(both, int(2*count))
	coarse.adj, coarse.edge = both[:count:count], both[count:]
	return coarse, into
}
