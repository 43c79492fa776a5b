package order

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

const (
	// Parts of at most dissectionLeaf vertices are ordered by minimum degree.
	dissectionLeaf = 120
	// Parts are dissected by all threads at once when there are at least so many.
	dissectionParts = 32
)

// Dissect returns an order by nested dissection [George73]: a separator of the graph comes after the two parts that it separates, which are
// ordered in the same way. Vertices that have the same neighbours are one to begin with, and vertices with more than 10 sqrt n neighbours come
// last. The order is the same for any number of threads. If ctx is done, Dissect returns its error.
func Dissect(ctx context.Context, g *Graph, pool *parallel.Pool) (csr.Permutation, error) {
	whole, classes, last := g.compressed()
	d := &dissector{ctx: ctx, order: make([]int32, whole.vertices())}
	ids := make([]int32, whole.vertices())
	for v := range ids {
		ids[v] = int32(v)
	}
	parts := []part{{g: whole, ids: ids}}
	for len(parts) > 0 && len(parts) < dissectionParts {
		parts = d.each(parts, pool, d.split)
	}
	d.each(parts, pool, d.finish)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	order := make(csr.Permutation, 0, g.vertices())
	for _, class := range d.order {
		order = append(order, classes[class]...)
	}
	return append(order, last...), nil
}

// A dissector places the vertices of parts in an order.
type dissector struct {
	ctx   context.Context
	order []int32
}

// A part is a subgraph. Its vertices, which have the numbers ids in the whole, take the places from at on.
type part struct {
	g   *weighted
	ids []int32
	at  int
}

// each calls do for each part, on the threads, and returns the parts that it leaves.
func (d *dissector) each(parts []part, pool *parallel.Pool, do func(part) []part) (left []part) {
	lists := make([][]part, len(parts))
	pool.Each(len(parts), func(k int) { lists[k] = do(parts[k]) })
	return slices.Concat(lists...)
}

// finish dissects a part and the parts that this leaves.
func (d *dissector) finish(p part) []part {
	for rest := []part{p}; len(rest) > 0; {
		last := len(rest) - 1
		next := d.split(rest[last])
		rest = append(rest[:last], next...)
	}
	return nil
}

// split places a separator behind two parts, and returns these, or places all vertices of a small part.
func (d *dissector) split(p part) []part {
	if d.ctx.Err() != nil {
		return nil
	}
	n := p.g.vertices()
	if n > dissectionLeaf {
		side := p.g.separated()
		var halves [2][]int32
		var separator []int32
		for v, s := range side {
			if s == middle {
				separator = append(separator, int32(v))
			} else {
				halves[s] = append(halves[s], int32(v))
			}
		}
		if len(halves[0]) > 0 && len(halves[1]) > 0 {
			for k, v := range separator {
				d.order[p.at+n-len(separator)+k] = p.ids[v]
			}
			in := marks(n)
			return []part{
				{p.g.within(halves[0], in), permuted(p.ids, halves[0]), p.at},
				{p.g.within(halves[1], in), permuted(p.ids, halves[1]), p.at + len(halves[0])},
			}
		}
	}
	copy(d.order[p.at:], permuted(p.ids, p.g.minimumDegree(d.ctx)))
	return nil
}

// minimumDegree returns the order of AMD.
func (g *weighted) minimumDegree(ctx context.Context) []int32 {
	m := &Graph{at: g.at, adj: slices.Clone(g.adj)}
	for v := range int32(g.vertices()) {
		slices.Sort(m.neighbours(v))
	}
	e, err := AMD(ctx, m)
	if err != nil { // ctx is done
		return make([]int32, g.vertices())
	}
	return e.Order
}

// A weighted graph has weights of vertices, the vertices of the matrix that each stands for, and of edges.
type weighted struct {
	Graph
	weight []int32
	edge   []int32 // of each element of adj
}

// total returns the weight of all vertices.
func (g *weighted) total() (sum int64) {
	for _, w := range g.weight {
		sum += int64(w)
	}
	return sum
}

// within returns the subgraph of some vertices, in ascending order; in is -1 for all vertices, and stays so.
func (g *weighted) within(vertices, in []int32) *weighted {
	edges := 0
	for k, v := range vertices {
		in[v] = int32(k)
		edges += g.at[v+1] - g.at[v]
	}
	out := &weighted{
		Graph:  Graph{at: make([]int, 1, len(vertices)+1), adj: make([]int32, 0, edges)},
		weight: permuted(g.weight, vertices), edge: make([]int32, 0, edges),
	}
	for _, v := range vertices {
		for e := g.at[v]; e < g.at[v+1]; e++ {
			if k := in[g.adj[e]]; k >= 0 {
				out.adj, out.edge = append(out.adj, k), append(out.edge, g.edge[e])
			}
		}
		out.at = append(out.at, len(out.adj))
	}
	for _, v := range vertices {
		in[v] = -1
	}
	return out
}

// compressed returns the graph without its dense vertices, of which vertices with the same neighbours, also each other, are one: the
// vertices of each class, and the dense ones.
func (g *Graph) compressed() (out *weighted, classes [][]int32, last []int32) {
	n := g.vertices()
	most := int(max(16, 10*math.Sqrt(float64(n))))
	hash, byHash := make([]uint64, n), make([]int32, 0, n)
	classOf := marks(n)
	for v := range int32(n) {
		if len(g.neighbours(v)) > most {
			last = append(last, v)
			continue
		}
		hash[v] = vertexHash(v)
		for _, w := range g.neighbours(v) {
			hash[v] += vertexHash(w)
		}
		byHash = append(byHash, v)
	}
	slices.SortFunc(byHash, func(a, b int32) int { return cmp.Or(cmp.Compare(hash[a], hash[b]), cmp.Compare(a, b)) })
	leader, in := marks(n), marks(n)
	for k, v := range byHash {
		if leader[v] >= 0 {
			continue
		}
		leader[v], in[v] = v, v
		for _, w := range g.neighbours(v) {
			in[w] = v
		}
		for _, w := range byHash[k+1:] {
			if hash[w] != hash[v] {
				break
			}
			if leader[w] < 0 && in[w] == v && len(g.neighbours(w)) == len(g.neighbours(v)) &&
				!slices.ContainsFunc(g.neighbours(w), func(x int32) bool { return in[x] != v }) {
				leader[w] = v
			}
		}
	}
	for v := range int32(n) {
		switch l := leader[v]; {
		case l == v:
			classOf[v] = int32(len(classes))
			classes = append(classes, []int32{v})
		case l >= 0: // lower than v
			classOf[v] = classOf[l]
			classes[classOf[v]] = append(classes[classOf[v]], v)
		}
	}
	out = &weighted{Graph: Graph{at: make([]int, 1, len(classes)+1)}, weight: make([]int32, len(classes))}
	for c, class := range classes {
		out.weight[c] = int32(len(class))
		for _, w := range g.neighbours(class[0]) {
			if leader[w] == w && classOf[w] != int32(c) {
				out.adj = append(out.adj, classOf[w])
				out.edge = append(out.edge, 1)
			}
		}
		out.at = append(out.at, len(out.adj))
	}
	return out, classes, last
}

// vertexHash is a number whose sums tell sets of vertices apart (SplitMix64).
func vertexHash(v int32) uint64 {
	x := uint64(v)*0x9e3779b97f4a7c15 + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
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
