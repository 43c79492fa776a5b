package dist

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

// A Connection sends a message through each of its channels whenever it is started.
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
