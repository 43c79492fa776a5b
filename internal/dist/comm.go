package dist

import (
	"encoding/binary"
	"slices"
	"time"
	"unsafe"
)

// A Comm is the ranks that solve a system together. All methods except Rank, Size and Abort are collective: all ranks
// call them in the same order. After a fault of the transport nothing can be sent any more; the fault ends the job or
// is a panic with an [Error].
type Comm interface {
	Rank() int // from 0
	Size() int

	Barrier()
	Sum(x []int64)                           // x_k becomes the sum over all ranks, modulo 2^64
	Max(x []int64)                           // x_k becomes the largest of all ranks
	Broadcast(root int, b []byte)            // b becomes root's b; the length is the same on all ranks
	Gather(b []byte) [][]byte                // the b of all ranks, of any lengths, in their order
	Alltoall(to [][]byte) (from [][]byte)    // to[r] goes to rank r, from[r] comes from rank r; any lengths
	Connect(send, recv []Channel) Connection // for messages that are sent repeatedly
	First(n int) Comm                        // the ranks below n alone; nil on the others

	Abort(code int) // ends all ranks with an exit code, at once; need not be collective
}

// A Channel is one direction between this rank and another, for messages of a fixed length. Two ranks may have
// several channels: the k-th that one rank sends through is the k-th that the other receives through.
type Channel struct {
	Rank  int
	Bytes int
}

// A Connection sends a message through each of its channels whenever it is started. Its buffers live as long as the Connection, which is closed at the latest when
// nothing refers to it any more.
type Connection interface {
	Out(k int) []byte // the buffer of the k-th channel to send, to be filled before Start
	In(k int) []byte  // the buffer of the k-th channel to receive, filled after Wait
	Start()           // begins to send and receive
	Wait()            // returns when all has been sent and received
	Close()
}

// An Error is a fault of the transport.
type Error struct {
	Call   string // such as MPI_Allreduce
	Reason string
}

func (e *Error) Error() string { return e.Call + ": " + e.Reason }

// Self is the Comm of a single rank.
type Self struct{}

var _ Comm = Self{}

// Rank returns 0.
func (Self) Rank() int { return 0 }

// Size returns 1.
func (Self) Size() int { return 1 }

// Barrier does nothing.
func (Self) Barrier() {}

// Sum does nothing.
func (Self) Sum([]int64) {}

// Max does nothing.
func (Self) Max([]int64) {}

// Broadcast does nothing.
func (Self) Broadcast(int, []byte) {}

// Gather returns b.
func (Self) Gather(b []byte) [][]byte { return [][]byte{b} }

// Alltoall returns what is passed.
func (Self) Alltoall(to [][]byte) [][]byte { return to }

// Connect returns a Connection without channels.
func (Self) Connect(send, recv []Channel) Connection {
	if len(send)+len(recv) > 0 {
		panic("dist: a single rank has no channels")
	}
	return noConnection{}
}

// First returns Self{}.
func (Self) First(int) Comm { return Self{} }

// Abort panics.
func (Self) Abort(code int) { panic(&Error{"Abort", "a single rank gave up"}) }

type noConnection struct{}

func (noConnection) Out(int) []byte { return nil }
func (noConnection) In(int) []byte  { return nil }
func (noConnection) Start()         {}
func (noConnection) Wait()          {}
func (noConnection) Close()         {}

// Share returns root's b, of any length, on all ranks. It is collective.
func Share(c Comm, root int, b []byte) []byte {
	if c.Size() == 1 {
		return b
	}
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(b)))
	c.Broadcast(root, length[:])
	if c.Rank() != root {
		b = make([]byte, binary.LittleEndian.Uint64(length[:]))
	}
	c.Broadcast(root, b)
	return b
}

// First returns the smallest rank on which what is true, or -1. It is collective.
func First(c Comm, what bool) int {
	least := []int64{int64(-c.Size())}
	if what {
		least[0] = int64(-c.Rank())
	}
	c.Max(least)
	if rank := int(-least[0]); rank < c.Size() {
		return rank
	}
	return -1
}

// Any reports whether what is true on any rank. It is collective.
func Any(c Comm, what bool) bool { return First(c, what) >= 0 }

// Bytes returns x as bytes, in the same memory, for messages. It assumes that all ranks have the same byte order.
func Bytes[T int32 | int64 | float32 | float64](x []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(zero)))
}

// Numbers returns b as numbers, in the same memory unless its alignment does not allow that.
func Numbers[T int32 | int64 | float32 | float64](b []byte) []T {
	if uintptr(unsafe.Pointer(unsafe.SliceData(b)))%8 != 0 {
		b = slices.Clone(b)
	}
	return numbers[T](b)
}

// Traffic is what a rank has sent, and the time that this took.
type Traffic struct {
	Messages, Bytes int64         // sent through connections
	Exchanged       int64         // messages sent to other ranks by Alltoall
	Swapped         int64         // bytes of these
	Gathered        int64         // bytes of other ranks in what Gather returned
	Collectives     int64         // Barrier, Broadcast, Gather and Alltoall
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
		Exchanged: t.Exchanged - u.Exchanged, Swapped: t.Swapped - u.Swapped, Gathered: t.Gathered - u.Gathered, Collectives: t.Collectives - u.Collectives,
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
	Links   []*Link // of each Connection, in the order in which they were made
}

// A Link is what a Connection has sent: how often it was started, and the messages and bytes of a start.
type Link struct{ Starts, Messages, Bytes int64 }

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

func (t *Timed) collected(start time.Time) {
	t.Traffic.Collectives++
	since(start, &t.Traffic.Others)
}

// Barrier implements Comm.
func (t *Timed) Barrier() {
	defer t.collected(time.Now())
	t.Comm.Barrier()
}

// Broadcast implements Comm.
func (t *Timed) Broadcast(root int, b []byte) {
	defer t.collected(time.Now())
	t.Comm.Broadcast(root, b)
}

// Gather implements Comm.
func (t *Timed) Gather(b []byte) [][]byte {
	defer t.collected(time.Now())
	all := t.Comm.Gather(b)
	for r, b := range all {
		if r != t.Rank() {
			t.Traffic.Gathered += int64(len(b))
		}
	}
	return all
}

// Alltoall implements Comm.
func (t *Timed) Alltoall(to [][]byte) [][]byte {
	defer t.collected(time.Now())
	for r, b := range to {
		if r != t.Rank() && len(b) > 0 {
			t.Traffic.Exchanged++
			t.Traffic.Swapped += int64(len(b))
		}
	}
	return t.Comm.Alltoall(to)
}

// Connect implements Comm.
func (t *Timed) Connect(send, recv []Channel) Connection {
	defer since(time.Now(), &t.Traffic.Others)
	l := &Link{Messages: int64(len(send))}
	for _, s := range send {
		l.Bytes += int64(s.Bytes)
	}
	t.Links = append(t.Links, l)
	return &timedConnection{t.Comm.Connect(send, recv), &t.Traffic, l}
}

// timedConnection counts what each start sends.
type timedConnection struct {
	Connection
	traffic *Traffic
	link    *Link
}

func (c *timedConnection) Start() {
	defer since(time.Now(), &c.traffic.Halo)
	c.link.Starts++
	c.traffic.Messages += c.link.Messages
	c.traffic.Bytes += c.link.Bytes
	c.Connection.Start()
}

func (c *timedConnection) Wait() {
	defer since(time.Now(), &c.traffic.Waiting)
	c.Connection.Wait()
}
