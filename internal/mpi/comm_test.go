//go:build cgo && (linux || darwin)

package mpi

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
)

func init() {
	roles["methods"] = func(c dist.Comm) int {
		roundBytes, pieceBytes, messageBytes, swapBytes = 1000, 16, 100, 700
		fmt.Printf("rank %d: %x\n", c.Rank(), exercise(c))
		return 0
	}
}

// exercise calls all methods with numbers of many lengths and returns a digest of the results.
func exercise(c dist.Comm) []byte {
	h := sha256.New()
	own := rand.New(rand.NewPCG(1, uint64(c.Rank())))
	all := rand.New(rand.NewPCG(2, 2)) // the same on all ranks
	message := func(n int) []byte {
		b := make([]byte, n)
		for k := range b {
			b[k] = byte(own.Uint32())
		}
		return b
	}
	fmt.Fprintln(h, c.Rank(), c.Size())
	for range 10 {
		n := all.IntN(50)
		if n == 0 {
			n = 200_000
		}
		x, y := make([]int64, n), make([]int64, n)
		for k := range x {
			x[k], y[k] = own.Int64()-1<<62, own.Int64()-1<<62
		}
		c.Sum(x)
		c.Max(y)
		binary.Write(h, binary.LittleEndian, x)
		binary.Write(h, binary.LittleEndian, y)

		b := message(all.IntN(2500))
		c.Broadcast(all.IntN(c.Size()), b)
		h.Write(b)

		n = 1 + all.IntN(3000) // an upper bound of the lengths of all ranks
		for _, b := range c.Gather(message(own.IntN(n))) {
			record(h, b)
		}
		to := make([][]byte, c.Size())
		for r := range to {
			if own.IntN(3) > 0 {
				to[r] = message(own.IntN(n))
			}
		}
		for _, b := range c.Alltoall(to) {
			record(h, b)
		}
		c.Barrier()
	}
	exerciseConnections(c, h, message)
	if n := (c.Size() + 1) / 2; c.Size() > 1 {
		if part := c.First(n); part != nil {
			h.Write(exercise(part))
		}
	}
	return h.Sum(nil)
}

// record adds a message and its length to a digest.
func record(h io.Writer, b []byte) {
	fmt.Fprintln(h, len(b))
	h.Write(b)
}

// exerciseConnections sends two messages around a ring, one back, and none at all, by several connections that are
// active at once.
func exerciseConnections(c dist.Comm, h io.Writer, message func(n int) []byte) {
	next, last := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
	var connections []dist.Connection
	for _, n := range []int{1, 8, 99, 100, 101, 5000} {
		var send, recv []dist.Channel
		if c.Size() > 1 {
			send = []dist.Channel{{Rank: next, Bytes: n}, {Rank: last, Bytes: 2 * n}, {Rank: next, Bytes: 3}}
			recv = []dist.Channel{{Rank: last, Bytes: n}, {Rank: last, Bytes: 3}, {Rank: next, Bytes: 2 * n}}
		}
		if c.Size() == 2 { // both neighbours are the same rank: the order of channels tells messages apart
			recv = []dist.Channel{{Rank: last, Bytes: n}, {Rank: last, Bytes: 2 * n}, {Rank: last, Bytes: 3}}
		}
		connections = append(connections, c.Connect(send, recv))
	}
	channels := 0
	if c.Size() > 1 {
		channels = 3
	}
	for range 20 {
		for _, n := range connections {
			for k := range channels {
				copy(n.Out(k), message(len(n.Out(k))))
			}
			n.Start()
		}
		for _, n := range slices.Backward(connections) {
			n.Wait()
			for k := range channels {
				record(h, n.In(k))
			}
		}
	}
	for _, n := range connections {
		n.Close()
	}
}

// sorted returns the lines in order.
func sorted(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// methods compares the job with ranks that are goroutines.
func (j job) methods(t *testing.T) {
	t.Helper()
	want := make([]string, j.ranks)
	dist.Run(j.ranks, func(c dist.Comm) { want[c.Rank()] = fmt.Sprintf("rank %d: %x", c.Rank(), exercise(c)) })
	j.role = cmp.Or(j.role, "methods")
	out, code := j.run(t)
	if text := strings.Join(want, "\n"); code != 0 || sorted(out) != text {
		t.Errorf("exit code %d\n%s\nwant\n%s", code, out, text)
	}
}

// TestMethods compares MPI with ranks that are goroutines.
func TestMethods(t *testing.T) {
	for _, j := range jobs {
		t.Run(j.String(), func(t *testing.T) {
			j.env = []string{Variable + "=" + string(j.kind)}
			j.methods(t)
		})
	}
}

func init() {
	roles["concurrent"] = func(c dist.Comm) int {
		var turn sync.Mutex // ranks call in the same order; the thread must not matter
		var others sync.WaitGroup
		for range 8 {
			others.Go(func() {
				for range 200 {
					turn.Lock()
					x := []int64{1, int64(c.Rank())}
					c.Sum(x)
					turn.Unlock()
					if n := int64(c.Size()); x[0] != n || x[1] != n*(n-1)/2 {
						panic(fmt.Sprint(x))
					}
				}
			})
		}
		others.Wait()
		fmt.Println("fine")
		return 0
	}
}

// TestConcurrent calls from many goroutines.
func TestConcurrent(t *testing.T) {
	for _, k := range []kind{openMPI, mpich} {
		t.Run(string(k), func(t *testing.T) {
			out, code := job{kind: k, ranks: 2, role: "concurrent"}.run(t)
			if code != 0 || strings.Count(out, "fine") != 2 {
				t.Errorf("exit code %d\n%s", code, out)
			}
		})
	}
}

// TestBuffer: memory is kept as long as it suffices.
func TestBuffer(t *testing.T) {
	var m buffer
	b := m.grow(10)
	copy(b, "0123456789")
	if again := m.grow(4000); &again[0] != &b[0] || !bytes.Equal(again[:10], b) {
		t.Error("other memory, though it was enough")
	}
	if len(m.grow(100_000)) != 100_000 || len(m.grow(0)) != 0 {
		t.Error("not as long as asked for")
	}
}
