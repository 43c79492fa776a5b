package order

import (
	"context"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Parts of at most dissectionLeaf vertices are ordered by minimum degree.
const dissectionLeaf = 200

// Dissect returns an order by nested dissection [George73]: a separator of the graph comes after the two parts that it separates, which are
// ordered in the same way. Dense vertices come last. The order is the same for any number of threads. Apart from the result it takes 60 to 100 bytes
// a neighbour on a thread, and up to half as many on each other. If ctx is done, Dissect returns its error.
func Dissect(ctx context.Context, g *Compressed, pool *parallel.Pool) (csr.Permutation, error) {
	return dissected(ctx, g, pool, dissectionLeaf)
}

// dissected is Dissect with leaves of at most so many vertices.
func dissected(ctx context.Context, g *Compressed, pool *parallel.Pool, leaf int) (csr.Permutation, error) {
	d := &dissector{ctx: ctx, leaf: leaf, order: make([]int32, g.g.vertices())}
	if err := (&divider{ctx: ctx, split: d.split}).run(g.g, 0, pool); err != nil {
		return nil, err
	}
	order := make(csr.Permutation, 0, len(g.member)+len(g.last))
	for _, class := range d.order {
		order = append(order, g.class(class)...)
	}
	return append(order, g.last...), nil
}

// A dissector places the vertices of parts in an order: those of a part take the places from its at on.
type dissector struct {
	ctx   context.Context
	leaf  int
	order []int32
}

// split places a separator behind two parts, and returns these, or places all vertices of a small part.
func (d *dissector) split(p part, f *finder) []part {
	n := p.g.vertices()
	if n > d.leaf {
		halves, separator := p.g.parted(f.separated(p.g, evenly(p.g.total())))
		if len(halves[0]) > 0 && len(halves[1]) > 0 {
			for k, v := range separator {
				d.order[p.at+n-len(separator)+k] = p.ids[v]
			}
			in := marks(n)
			return []part{
				{g: p.g.within(halves[0], in), ids: permuted(p.ids, halves[0]), at: p.at},
				{g: p.g.within(halves[1], in), ids: permuted(p.ids, halves[1]), at: p.at + len(halves[0])},
			}
		}
	}
	copy(d.order[p.at:], permuted(p.ids, p.g.minimumDegree(d.ctx)))
	return nil
}
