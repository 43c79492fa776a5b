package order

import (
	"cmp"
	"context"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Partition cuts the vertices of a graph into parts of about equal weight, such that few vertices have neighbours in other parts, and returns the
// part of each vertex; nil if classes of the graph have 2^31 neighbours or more. Parts are halved as by Dissect, and each vertex of the separator joins
// a half. Dense vertices, which have neighbours in every part, come first to the lightest parts. A part may be empty. The result is the same for any
// number of threads. Apart from the result it takes as much memory as Dissect, and 8 bytes a neighbour.
func Partition(ctx context.Context, g *Graph, weight []int64, parts int, pool *parallel.Pool) ([]int32, error) {
	c := Compress(g)
	if c == nil {
		return nil, nil
	}
	of := make([]int32, g.vertices())
	load, total := make([]int64, parts), int64(0)
	for _, w := range weight {
		total += w
	}
	slices.SortStableFunc(c.last, func(v, w int32) int { return cmp.Compare(weight[w], weight[v]) })
	for _, v := range c.last {
		k := slices.Index(load, slices.Min(load))
		of[v] = int32(k)
		load[k] += weight[v]
	}
	b := &bisector{of: make([]int32, c.g.vertices()), room: make([]int64, parts+1)}
	for k := range parts {
		b.room[k+1] = b.room[k] + max(total/int64(parts)-load[k], 0)
	}
	for v := range c.g.weight {
		sum := int64(0)
		for _, member := range c.class(int32(v)) {
			sum += weight[member]
		}
		c.g.weight[v] = int32(sum)
	}
	if err := (&divider{ctx: ctx, split: b.split}).run(c.g, parts, pool); err != nil {
		return nil, err
	}
	for v, k := range b.of {
		for _, member := range c.class(int32(v)) {
			of[member] = k
		}
	}
	return of, nil
}

// A bisector gives each vertex a part.
type bisector struct {
	of   []int32
	room []int64 // the weight that all parts before a part are to have
}

// split halves a part of several parts, in proportion to the weights that they are to have.
func (b *bisector) split(p part, f *finder) []part {
	if p.end-p.at == 1 || len(p.ids) == 0 {
		for _, v := range p.ids {
			b.of[v] = int32(p.at)
		}
		return nil
	}
	mid, total := (p.at+p.end)/2, p.g.total()
	share := 0.5
	if all := b.room[p.end] - b.room[p.at]; all > 0 {
		share = float64(b.room[mid]-b.room[p.at]) / float64(all)
	}
	first := int64(share * float64(total))
	side := f.separated(p.g, aim{first, [2]int64{first, total - first}})
	p.g.join(side, first)
	halves, _ := p.g.parted(side)
	in := marks(len(side))
	return []part{
		{g: p.g.within(halves[0], in), ids: permuted(p.ids, halves[0]), at: p.at, end: mid},
		{g: p.g.within(halves[1], in), ids: permuted(p.ids, halves[1]), at: mid, end: p.end},
	}
}

// join moves the vertices of a separator to the sides, such that side 0 has about the weight first: those with the most neighbours there.
func (g *weighted) join(side []uint8, first int64) {
	var separator, pull []int32
	size := int64(0)
	for v, s := range side {
		switch s {
		case 0:
			size += int64(g.weight[v])
		case middle:
			to := int32(0)
			for e := g.at[v]; e < g.at[v+1]; e++ {
				switch side[g.adj[e]] {
				case 0:
					to += g.edge[e]
				case 1:
					to -= g.edge[e]
				}
			}
			separator, pull = append(separator, int32(v)), append(pull, to)
		}
	}
	by := make([]int32, len(separator))
	for k := range by {
		by[k] = int32(k)
	}
	slices.SortStableFunc(by, func(a, b int32) int { return cmp.Compare(pull[b], pull[a]) })
	for _, k := range by {
		v := separator[k]
		side[v] = 1
		if w := int64(g.weight[v]); size+w/2 <= first {
			side[v] = 0
			size += w
		}
	}
}
