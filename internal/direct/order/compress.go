package order

import (
	"math"
	"math/bits"
)

// A Compressed graph has a vertex for each class of vertices with the same neighbours, also each other, such as the unknowns of a node of a mesh,
// and none for dense vertices, which have more than 10 sqrt n neighbours.
type Compressed struct {
	g      *weighted
	at     []int32 // where the members of a class begin
	member []int32
	last   []int32 // the dense vertices
}

// Size returns the number of vertices and neighbours.
func (c *Compressed) Size() int { return c.g.vertices() + len(c.g.adj) }

func (c *Compressed) class(v int32) []int32 { return c.member[c.at[v]:c.at[v+1]] }

// Compress returns the graph of classes of vertices; nil if these have 2^31 neighbours or more.
func Compress(g *Graph) *Compressed {
	c := &Compressed{}
	n := g.vertices()
	most := int(dense(n))
	table := marks(1 << bits.Len(uint(n))) // the last leader of a hash
	leader, before, size := marks(n), marks(n), make([]int32, n)
	hash := make([]uint64, n)
	number, count := marks(n), int32(0) // the number of the class of a leader, and of classes
	for v := range int32(n) {
		if len(g.neighbours(v)) > most {
			c.last = append(c.last, v)
			continue
		}
		hash[v] = vertexHash(v)
		for _, w := range g.neighbours(v) {
			hash[v] += vertexHash(w)
		}
		slot := &table[hash[v]&uint64(len(table)-1)]
		l := *slot
		for l >= 0 && (hash[l] != hash[v] || !g.same(l, v)) {
			l = before[l]
		}
		if l < 0 {
			l, before[v], *slot = v, *slot, v
			number[v] = count
			count++
		}
		leader[v] = l
		size[l]++
	}
	out := &weighted{at: make([]int32, 1, count+1), weight: make([]int32, 0, count), adj: make([]int32, 0, len(g.adj))}
	c.g, c.at, c.member = out, make([]int32, 1, count+1), make([]int32, n-len(c.last))
	for v := range int32(n) {
		if leader[v] != v {
			continue
		}
		for _, w := range g.neighbours(v) {
			if leader[w] == w && number[w] >= 0 {
				out.adj = append(out.adj, number[w])
			}
		}
		if len(out.adj) > math.MaxInt32 {
			return nil
		}
		out.at, out.weight = append(out.at, int32(len(out.adj))), append(out.weight, size[v])
		c.at = append(c.at, c.at[len(c.at)-1]+size[v])
	}
	out.edge = make([]int32, len(out.adj))
	for e := range out.edge {
		out.edge[e] = 1
	}
	for v := n - 1; v >= 0; v-- {
		if l := leader[v]; l >= 0 {
			size[l]--
			c.member[c.at[number[l]]+size[l]] = int32(v)
		}
	}
	return c
}

// same reports whether two vertices have the same neighbours, also each other.
func (g *Graph) same(v, w int32) bool {
	a, b := g.neighbours(v), g.neighbours(w)
	if len(a) != len(b) {
		return false
	}
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == w:
			a = a[1:]
		case b[0] == v:
			b = b[1:]
		case a[0] != b[0]:
			return false
		default:
			a, b = a[1:], b[1:]
		}
	}
	return true // w is in a if v is in b
}

// vertexHash is a number whose sums tell sets of vertices apart (SplitMix64).
func vertexHash(v int32) uint64 {
	x := uint64(v)*0x9e3779b97f4a7c15 + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
