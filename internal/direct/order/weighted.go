package order

import "context"

// A weighted graph has weights of vertices, the vertices of the matrix that each stands for, and of edges.
type weighted struct {
	at     []int32 // as in Graph
	adj    []int32
	weight []int32
	edge   []int32 // of each element of adj
}

func (g *weighted) vertices() int              { return len(g.at) - 1 }
func (g *weighted) neighbours(v int32) []int32 { return g.adj[g.at[v]:g.at[v+1]] }

// total returns the weight of all vertices.
func (g *weighted) total() (sum int64) {
	for _, w := range g.weight {
		sum += int64(w)
	}
	return sum
}

// parted returns the vertices of both sides, and those of the separator.
func (g *weighted) parted(side []uint8) (halves [2][]int32, separator []int32) {
	var count [3]int
	for _, s := range side {
		count[s]++
	}
	list := make([]int32, len(side))
	lists := [3][]int32{list[:0:count[0]], list[count[0]:][:0:count[1]], list[count[0]+count[1]:][:0]}
	for v, s := range side {
		lists[s] = append(lists[s], int32(v))
	}
	return [2][]int32{lists[0], lists[1]}, lists[middle]
}

// within returns the subgraph of some vertices, in ascending order; in is -1 for all vertices, and stays so.
func (g *weighted) within(vertices, in []int32) *weighted {
	edges := int32(0)
	for k, v := range vertices {
		in[v] = int32(k)
		edges += g.at[v+1] - g.at[v]
	}
	out := &weighted{at: make([]int32, 1, len(vertices)+1), weight: permuted(g.weight, vertices)}
	adj, edge, count := make([]int32, edges), make([]int32, edges), int32(0)
	for _, v := range vertices {
		for e := g.at[v]; e < g.at[v+1]; e++ {
			if k := in[g.adj[e]]; k >= 0 {
				adj[count], edge[count] = k, g.edge[e]
				count++
			}
		}
		out.at = append(out.at, count)
	}
	out.adj, out.edge = adj[:count], edge[:count]
	for _, v := range vertices {
		in[v] = -1
	}
	return out
}

// minimumDegree returns the order of AMD.
func (g *weighted) minimumDegree(ctx context.Context) []int32 {
	n := g.vertices()
	q := newQuotient(ctx, n, 0, int(g.total()))
	copy(q.weight, g.weight)
	for v := range int32(n) {
		q.at[v], q.length[v] = int(g.at[v]), g.at[v+1]-g.at[v]
		for _, w := range g.neighbours(v) {
			q.degree[v] += g.weight[w]
		}
	}
	q.list = append(make([]int32, 0, len(g.adj)+len(g.adj)/5+n), g.adj...)
	e, err := q.eliminate()
	if err != nil { // ctx is done
		return make([]int32, n)
	}
	return e.Order
}

// marks returns n marks, which nothing has set.
func marks(n int) []int32 {
	in := make([]int32, n)
	for i := range in {
		in[i] = -1
	}
	return in
}

// permuted returns numbers in an order.
func permuted(numbers, order []int32) []int32 {
	out := make([]int32, len(order))
	for k, i := range order {
		out[k] = numbers[i]
	}
	return out
}
