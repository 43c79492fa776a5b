package dist

import "time"

// Traffic is what a rank has sent, and the time that this took.
type Traffic struct {
	Messages, Bytes int64         // sent through connections
	Reductions      int64         // Sum and Max
	Numbers         int64         // numbers reduced by these
	Halo            time.Duration // in Start: passing messages to the transport
	Waiting         time.Duration // in Wait: for the messages of others
	Reduction       time.Duration // in Sum and Max, including waiting for others
	Others          time.Duration // in other collective calls
}

// Minus returns what has been added since the earlier u.
func (t Traffic) Minus(u Traffic) Traffic {
	return Traffic{
		Messages: t.Messages - u.Messages, Bytes: t.Bytes - u.Bytes,
		Reductions: t.Reductions - u.Reductions, Numbers: t.Numbers - u.Numbers,
		Halo: t.Halo - u.Halo, Waiting: t.Waiting - u.Waiting,
		Reduction: t.Reduction - u.Reduction, Others: t.Others - u.Others,
	}
}

// Timed is a Comm that counts what passes through another one. Like every Comm, it must not be used by several
// goroutines at a time.
type Timed struct {
	Comm
	Traffic Traffic
}

// NewTimed returns c with counters at 0.
func NewTimed(c Comm) *Timed { return &Timed{Comm: c} }

// since adds the time since start to d.
func since(start time.Time, d *time.Duration) { *d += time.Since(start) }

// Sum implements Comm.
func (t *Timed) Sum(x []int64) {
	defer t.reduced(time.Now(), len(x))
	t.Comm.Sum(x)
}

// Max implements Comm.
func (t *Timed) Max(x []int64) {
	defer t.reduced(time.Now(), len(x))
	t.Comm.Max(x)
}

func (t *Timed) reduced(start time.Time, numbers int) {
	t.Traffic.Reductions++
	t.Traffic.Numbers += int64(numbers)
	since(start, &t.Traffic.Reduction)
}

// Barrier implements Comm.
func (t *Timed) Barrier() {
	defer since(time.Now(), &t.Traffic.Others)
	t.Comm.Barrier()
}

// Broadcast implements Comm.
func (t *Timed) Broadcast(root int, b []byte) {
	defer since(time.Now(), &t.Traffic.Others)
	t.Comm.Broadcast(root, b)
}

// Gather implements Comm.
func (t *Timed) Gather(b []byte) [][]byte {
	defer since(time.Now(), &t.Traffic.Others)
	return t.Comm.Gather(b)
}

// Alltoall implements Comm.
func (t *Timed) Alltoall(to [][]byte) [][]byte {
	defer since(time.Now(), &t.Traffic.Others)
	return t.Comm.Alltoall(to)
}

// Connect implements Comm.
func (t *Timed) Connect(send, recv []Channel) Connection {
	defer since(time.Now(), &t.Traffic.Others)
	c := &timedConnection{Connection: t.Comm.Connect(send, recv), traffic: &t.Traffic, messages: int64(len(send))}
	for _, s := range send {
		c.bytes += int64(s.Bytes)
	}
	return c
}

// timedConnection counts what each start sends.
type timedConnection struct {
	Connection
	traffic         *Traffic
	messages, bytes int64
}

func (c *timedConnection) Start() {
	defer since(time.Now(), &c.traffic.Halo)
	c.traffic.Messages += c.messages
	c.traffic.Bytes += c.bytes
	c.Connection.Start()
}

func (c *timedConnection) Wait() {
	defer since(time.Now(), &c.traffic.Waiting)
	c.Connection.Wait()
}
