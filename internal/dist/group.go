package dist

import (
	"slices"
	"sync"
)

// Run runs what on so many ranks, each a goroutine of this process, and returns when all have returned. It is for
// tests and for trying what a job would do.
func Run(size int, what func(c Comm)) {
	g := newGroup(size)
	var all sync.WaitGroup
	for r := range size {
		all.Go(func() { what(&groupRank{group: g, rank: r}) })
	}
	all.Wait()
}

// group is shared by the ranks of Run.
type group struct {
	size int

	mu      sync.Mutex
	turn    *sync.Cond
	present []any // the arguments of the ranks of this collective call
	arrived int
	round   int
	last    []any // of the call before

	channels map[[3]int]chan []byte // from, to, number
}

func newGroup(size int) *group {
	g := &group{size: size, channels: map[[3]int]chan []byte{}}
	g.turn = sync.NewCond(&g.mu)
	return g
}

// groupRank is one rank of a group.
type groupRank struct {
	*group
	rank     int
	sent     map[int]int // number of channels to each rank so far
	received map[int]int
}

var _ Comm = (*groupRank)(nil)

func (m *groupRank) Rank() int { return m.rank }
func (m *groupRank) Size() int { return m.size }

// all passes v and returns what all ranks have passed, once they have.
func (m *groupRank) all(v any) []any {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.present == nil {
		m.present = make([]any, m.size)
	}
	m.present[m.rank] = v
	if m.arrived++; m.arrived == m.size {
		m.last, m.present, m.arrived = m.present, nil, 0
		m.round++
		m.turn.Broadcast()
		return m.last
	}
	for round := m.round; round == m.round; {
		m.turn.Wait()
	}
	return m.last
}

func (m *groupRank) Barrier() { m.all(nil) }

func (m *groupRank) Sum(x []int64) {
	m.reduce(x, func(a, b int64) int64 { return a + b })
}

func (m *groupRank) Max(x []int64) {
	m.reduce(x, func(a, b int64) int64 { return max(a, b) })
}

func (m *groupRank) reduce(x []int64, join func(a, b int64) int64) {
	for r, v := range m.all(slices.Clone(x)) {
		other := v.([]int64)
		if len(other) != len(x) {
			panic("dist: ranks are out of step")
		}
		for k, w := range other {
			if r == 0 {
				x[k] = w
			} else {
				x[k] = join(x[k], w)
			}
		}
	}
}

func (m *groupRank) Broadcast(root int, b []byte) {
	var own []byte
	if m.rank == root {
		own = slices.Clone(b)
	}
	copy(b, m.all(own)[root].([]byte))
}

func (m *groupRank) Gather(b []byte) [][]byte {
	all := make([][]byte, m.size)
	for r, v := range m.all(slices.Clone(b)) {
		all[r] = v.([]byte)
	}
	return all
}

func (m *groupRank) Alltoall(to [][]byte) [][]byte {
	copies := make([][]byte, len(to))
	for r, b := range to {
		copies[r] = slices.Clone(b)
	}
	from := make([][]byte, m.size)
	for r, v := range m.all(copies) {
		from[r] = v.([][]byte)[m.rank]
	}
	return from
}

func (m *groupRank) Connect(send, recv []Channel) Connection {
	if m.sent == nil {
		m.sent, m.received = map[int]int{}, map[int]int{}
	}
	c := &connection{}
	for _, s := range send {
		c.out = append(c.out, make([]byte, s.Bytes))
		c.send = append(c.send, m.channel(m.rank, s.Rank, m.sent[s.Rank]))
		m.sent[s.Rank]++
	}
	for _, r := range recv {
		c.in = append(c.in, make([]byte, r.Bytes))
		c.recv = append(c.recv, m.channel(r.Rank, m.rank, m.received[r.Rank]))
		m.received[r.Rank]++
	}
	return c
}

// First returns a group, which rank 0 makes.
func (m *groupRank) First(n int) Comm {
	var made *group
	if m.rank == 0 {
		made = newGroup(n)
	}
	made = m.all(made)[0].(*group)
	if m.rank >= n {
		return nil
	}
	return &groupRank{group: made, rank: m.rank}
}

func (g *group) channel(from, to, number int) chan []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := [3]int{from, to, number}
	if g.channels[key] == nil {
		g.channels[key] = make(chan []byte, 1)
	}
	return g.channels[key]
}

// Abort panics, which ends the process.
func (m *groupRank) Abort(int) { panic(&Error{"Abort", "a rank gave up"}) }

// connection is one rank's end of its channels.
type connection struct {
	out, in    [][]byte
	send, recv []chan []byte
}

func (c *connection) Out(k int) []byte { return c.out[k] }
func (c *connection) In(k int) []byte  { return c.in[k] }

func (c *connection) Start() {
	for k, to := range c.send {
		to <- slices.Clone(c.out[k])
	}
}

func (c *connection) Wait() {
	for k, from := range c.recv {
		if n := copy(c.in[k], <-from); n != len(c.in[k]) {
			panic("dist: a message of the wrong length")
		}
	}
}

func (c *connection) Close() {}
