package precond

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// A cycle exchanges the ghosts of a level as often as docs/mpi.md says: at each visit for the residual, its restriction and a step of smoothing, for
// each correction of the finer level, and between two visits. The third and fourth levels are visited twice each time.
func TestExchangesOfLevelsConcurrent(t *testing.T) {
	m := generated(t, "poisson3d", generate.Params{"n": 32})
	want := []int64{3, 3 + 1, 2*3 + 1 + 1, 4*3 + 2 + 2}
	dist.Run(8, func(c dist.Comm) {
		var exchanges []int64
		links, traffic, text := appliedTraffic(t, c, m, sizesOf(10))
		for _, l := range links {
			if l.Starts > 0 {
				exchanges = append(exchanges, l.Starts)
			}
		}
		gathers := traffic.Collectives
		if len(exchanges) < len(want) || !slices.Equal(exchanges[:len(want)], want) || gathers != 4 {
			t.Errorf("rank %d: ghosts of levels are exchanged %d times, want %d first; %d gathers, want 4: %s", c.Rank(), exchanges, want, gathers, text)
		}
	})
}

// appliedTraffic returns what a rank sends where it applies multigrid, by connections and in all; each rank has a domain.
func appliedTraffic(t *testing.T, c dist.Comm, m *csr.Matrix, sizes spreadSizes) (links []dist.Link, all dist.Traffic, text string) {
	timed := dist.NewTimed(c)
	a, err := dist.Spread(timed, m, c.Size())
	if err != nil {
		t.Error(err)
		return nil, all, ""
	}
	opt := Options{Symmetric: true}
	pool := parallel.New(1)
	defer pool.Close()
	p, err := distributed{setup: setup{Options: opt.withDefaults(), ctx: context.Background(), m: a.Local, pool: pool}, a: a}.multigrid(sizes)
	if err != nil {
		t.Error(err)
		return nil, all, ""
	}
	for _, l := range timed.Links {
		links = append(links, dist.Link{Starts: -l.Starts, Messages: l.Messages, Bytes: l.Bytes})
	}
	before := timed.Traffic
	p.Apply(make([]float64, a.Len), Constants(a.Len, 1)[0])
	for k, l := range timed.Links {
		links[k].Starts += l.Starts
	}
	return links, timed.Traffic.Minus(before), p.String()
}

// Where domains are joined, ranks that run concurrently send few messages for coarse levels, and little is gathered.
func TestMessagesOfJoinedDomainsConcurrent(t *testing.T) {
	const ranks = 16
	m := generated(t, "poisson3d", generate.Params{"n": 32})
	of := func(sizes spreadSizes) (most, total int64) {
		var coarse [ranks]int64
		dist.Run(ranks, func(c dist.Comm) {
			links, all, text := appliedTraffic(t, c, m, sizes)
			finest := slices.IndexFunc(links, func(l dist.Link) bool { return l.Starts > 0 })
			if coarse[c.Rank()] = all.Messages - links[finest].Starts*links[finest].Messages; all.Gathered > 4*4*30 {
				t.Errorf("rank %d: %d bytes are gathered: %s", c.Rank(), all.Gathered, text)
			}
		})
		for _, n := range coarse {
			most, total = max(most, n), total+n
		}
		return most, total
	}
	sizes := sizesOf(30)
	most, total := of(sizes)
	sizes.domain = 300
	mostJoined, totalJoined := of(sizes)
	t.Logf("a rank sends up to %d messages, joined %d; all send %d, joined %d", most, mostJoined, total, totalJoined)
	if 5*mostJoined > most || 7*totalJoined > total {
		t.Errorf("a rank sends up to %d messages where domains are joined and %d elsewhere; all send %d, %d", mostJoined, most, totalJoined, total)
	}
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
