package precond

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// A cycle exchanges the ghosts of a level as often as docs/mpi.md says: at each visit for the residual, its restriction and a step of smoothing, for
// each correction of the finer level, and between two visits. The third and fourth levels are visited twice each time.
func TestExchangesOfLevelsConcurrent(t *testing.T) {
	m := generated(t, "poisson3d", generate.Params{"n": 32})
	want := []int64{3, 3 + 1, 2*3 + 1 + 1, 4*3 + 2 + 2}
	dist.Run(8, func(c dist.Comm) {
		timed := dist.NewTimed(c)
		a, err := dist.Spread(timed, m, 8)
		if err != nil {
			t.Error(err)
			return
		}
		opt := Options{Symmetric: true}
		pool := parallel.New(1)
		defer pool.Close()
		p, err := distributed{setup: setup{Options: opt.withDefaults(), ctx: context.Background(), m: a.Local, pool: pool}, a: a}.multigrid(10)
		if err != nil {
			t.Error(err)
			return
		}
		before := make([]int64, len(timed.Links))
		for k, l := range timed.Links {
			before[k] = l.Starts
		}
		traffic := timed.Traffic
		p.Apply(make([]float64, a.Len), Constants(a.Len, 1)[0])
		var exchanges []int64
		for k, l := range timed.Links {
			if n := l.Starts - before[k]; n > 0 {
				exchanges = append(exchanges, n)
			}
		}
		gathers := timed.Traffic.Minus(traffic).Collectives
		if len(exchanges) < len(want) || !slices.Equal(exchanges[:len(want)], want) || gathers != 4 {
			t.Errorf("rank %d: ghosts of levels are exchanged %d times, want %d first; %d gathers, want 4: %s", c.Rank(), exchanges, want, gathers, p)
		}
	})
}

// watched calls wait before a rank waits for messages.
type watched struct {
	dist.Comm
	wait func()
}

func (w *watched) Connect(send, recv []dist.Channel) dist.Connection {
	return &watchedConnection{w.Comm.Connect(send, recv), w}
}

type watchedConnection struct {
	dist.Connection
	*watched
}

func (c *watchedConnection) Wait() {
	if c.wait != nil {
		c.wait()
	}
	c.Connection.Wait()
}

// While ghosts are on their way, products of ranks that run concurrently compute the panels that load none, and no others.
func TestSpreadProductsOverlapConcurrent(t *testing.T) {
	m := generated(t, "poisson3d", generate.Params{"n": 40})
	dist.Run(2, func(comm dist.Comm) {
		w := &watched{Comm: comm}
		a, err := dist.Spread(w, m, 4)
		if err != nil {
			t.Error(err)
			return
		}
		s := chunkStore{setup{Options: Options{}.withDefaults()}, true}
		ones := Constants(a.Len, 1)[0]
		c, _ := s.storeSpread(a.Local, chunkScales{ones, ones}, a.Layout, a.Layout)
		if c.inner == 0 || c.inner == len(c.tasks) {
			t.Errorf("%d of %d panels load no ghosts", c.inner, len(c.tasks))
			return
		}
		nan := float32(math.NaN())
		x, dst := make([]float32, a.Len+window), slices.Repeat([]float32{nan}, a.Len+window)
		for _, p := range a.Parts {
			for g := range p.Ghosts {
				x[ghostAt(p, g)] = nan
			}
		}
		computed := func(tasks []spreadTask) (rows int) {
			for _, k := range tasks {
				p := c.parts[k.part]
				for _, v := range dst[p.row+p.panel[k.panel] : p.row+p.panel[k.panel+1]] {
					if v == v {
						rows++
					}
				}
			}
			return rows
		}
		rows := 0
		for _, k := range c.tasks[:c.inner] {
			p := c.parts[k.part]
			rows += p.panel[k.panel+1] - p.panel[k.panel]
		}
		w.wait = func() {
			if inner, border := computed(c.tasks[:c.inner]), computed(c.tasks[c.inner:]); inner != rows || border != 0 {
				t.Errorf("rank %d waits when %d of %d inner rows are computed, and %d others", w.Rank(), inner, rows, border)
			}
			w.wait = nil
		}
		c.Apply(dst, x)
		if n := computed(c.tasks); n != a.Own || w.wait != nil {
			t.Errorf("rank %d: %d of %d rows are computed", w.Rank(), n, a.Own)
		}
	})
}
