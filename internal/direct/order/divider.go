package order

import (
	"context"
	"sync"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// A divider splits parts of a graph until nothing is left to split.
type divider struct {
	ctx   context.Context
	split func(p part, f *finder) []part // returns the parts of a part that are to be split further

	mu    sync.Mutex
	idle  sync.Cond // of threads without a part
	parts []part
	busy  int // threads with a part
}

// A part is a subgraph, whose vertices have the numbers ids in the whole.
type part struct {
	g   *weighted
	ids []int32
	at  int // the first of the places, or of the parts, that the vertices share
	end int // behind the last of these parts
}

// run splits g on the threads of a pool.
func (d *divider) run(g *weighted, end int, pool *parallel.Pool) error {
	d.idle.L = &d.mu
	ids := make([]int32, g.vertices())
	for v := range ids {
		ids[v] = int32(v)
	}
	d.parts = []part{{g: g, ids: ids, end: end}}
	pool.Each(pool.Threads(), func(int) { d.work() })
	return d.ctx.Err()
}

// work takes parts until there are none.
func (d *divider) work() {
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
func (d *divider) share(p part, f *finder) {
	var parts []part
	defer func() { // also if it panics, lest other threads wait
		d.mu.Lock()
		d.parts = append(d.parts, parts...)
		d.busy--
		d.mu.Unlock()
		d.idle.Broadcast()
	}()
	if d.ctx.Err() == nil {
		parts = d.split(p, f)
	}
}
