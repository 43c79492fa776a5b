package dist

// A Comm is the ranks that solve a system together. Its methods but Rank, Size and Abort are
// collective: all ranks call them in the same order. A fault of the transport, after which nothing can be
// sent any more, ends the job or is a panic with an [Error].
type Comm interface {
	Rank() int // from 0
	Size() int

	Barrier()
	Sum(x []int64)                           // x_k becomes the sum over all ranks, modulo 2^64
	Max(x []int64)                           // x_k becomes the largest of all ranks
	Broadcast(root int, b []byte)            // b becomes that of root; of the same length everywhere
	Gather(b []byte) [][]byte                // what all ranks pass, of any lengths, in their order
	Alltoall(to [][]byte) (from [][]byte)    // to[r] goes to rank r, from[r] came from there, of any lengths
	Connect(send, recv []Channel) Connection // messages that are sent again and again
	First(n int) Comm                        // the ranks below n alone; nil on the others

	Abort(code int) // ends all ranks with an exit code, at once; collective or not
}

// A Channel is one direction between this rank and another, for messages of a fixed length. Between two ranks there
// may be several: the k-th that one sends through is the k-th that the other receives through.
type Channel struct {
	Rank  int
	Bytes int
}

// A Connection sends a message through each of its channels, whenever it is started.
type Connection interface {
	Out(k int) []byte // the buffer of the k-th channel to send, to be filled before Start
	In(k int) []byte  // that of the k-th to receive, filled after Wait
	Start()           // begins to send and receive
	Wait()            // until all has been sent and received
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
