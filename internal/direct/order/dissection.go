package order

import (
	"context"
	"sync"

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
	d.idle.L = &d.mu
	ids := make([]int32, g.g.vertices())
	for v := range ids {
		ids[v] = int32(v)
	}
	d.parts = []part{{g: g.g, ids: ids}}
	pool.Each(pool.Threads(), func(int) { d.work() })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	order := make(csr.Permutation, 0, len(g.member)+len(g.last))
	for _, class := range d.order {
		order = append(order, g.class(class)...)
	}
	return append(order, g.last...), nil
}

// A dissector places the vertices of parts in an order.
type dissector struct {
	ctx   context.Context
	leaf  int
	order []int32

	mu    sync.Mutex
	idle  sync.Cond // of threads without a part
	parts []part
	busy  int // threads with a part
}

// A part is a subgraph. Its vertices, which have the numbers ids in the whole, take the places from at on.
type part struct {
	g   *weighted
	ids []int32
	at  int
}

// work takes parts until there are none.
func (d *dissector) work() {
	f := &finder{}
	for {
		d.mu.Lock()
		for len(d.parts) == 0 && d.busy > 0 {
			d.idle.Wait()
		}
		if len(d.parts) == 0 {
			d.mu.Unlock()
			return
		}
		last := len(d.parts) - 1
		p := d.parts[last]
		d.parts = d.parts[:last]
		d.busy++
		d.mu.Unlock()
		d.share(p, f)
	}
}

// share splits a part, and leaves its parts to all threads.
func (d *dissector) share(p part, f *finder) {
	var parts []part
	defer func() { // also if it panics, lest other threads wait
		d.mu.Lock()
		d.parts = append(d.parts, parts...)
		d.busy--
		d.mu.Unlock()
		d.idle.Broadcast()
	}()
	parts = d.split(p, f)
}

// split places a separator behind two parts, and returns these, or places all vertices of a small part.
func (d *dissector) split(p part, f *finder) []part {
	if d.ctx.Err() != nil {
		return nil
	}
	n := p.g.vertices()
	if n > d.leaf {
		halves, separator := p.g.parted(f.separated(p.g))
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
