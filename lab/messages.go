package lab

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Message is the measurement of a collective operation of all ranks.
type Message struct {
	What    string
	Numbers int   // of 8 bytes each: summed, or the length of the vector on each rank
	Bytes   int64 // that each rank sends in a halo exchange
	Time
}

// GBps returns the rate at which each rank sends, in 10^9 bytes per second.
func (m Message) GBps() float64 { return float64(m.Bytes) / m.Median / 1e9 }

// The names of messages.
const (
	barrierOf  = "barrier"
	sumOf      = "sum of int64"
	plainDotOf = "dot, plain"
	exactDotOf = "dot, exact"
	haloOf     = "halo"
)

// sums lists the lengths of reductions: a single number, an exact inner product as usual, one whose size is known,
// and one of any size.
var sums = []int{1, 8, 67}

// vectors lists the lengths of the vectors of inner products on each rank: one block, and many.
var vectors = []int{4096, 1 << 20}

// halos lists the bytes that a rank sends to each of its two neighbours.
var halos = []int{8, 512, 8 << 10, 64 << 10, 512 << 10, 4 << 20}

// Messages measures barriers, sums, inner products with exact and with plain sums, and halo exchanges, in which each
// rank sends to the ranks before and after it. It is collective.
func Messages(ctx context.Context, c dist.Comm, opt RanksOptions) ([]Message, error) {
	r := ranks{c, opt}
	pool := parallel.New(opt.Threads)
	defer pool.Close()
	var list []Message
	var cases []Case
	var counts []int
	add := func(m Message, f func()) {
		run, count := r.often(f)
		list, cases, counts = append(list, m), append(cases, run), append(counts, count)
	}
	add(Message{What: barrierOf}, c.Barrier)
	for _, n := range sums {
		x := make([]int64, n)
		add(Message{What: sumOf, Numbers: n}, func() { c.Sum(x) })
	}
	for _, n := range vectors {
		plain, exact, err := r.dots(n, pool)
		if err != nil {
			return nil, err
		}
		add(Message{What: plainDotOf, Numbers: n}, plain)
		add(Message{What: exactDotOf, Numbers: n}, exact)
	}
	if c.Size() > 1 {
		for _, n := range halos {
			ring := r.ring(n)
			defer ring.Close()
			add(Message{What: haloOf, Bytes: int64(2 * n)}, func() {
				ring.Start()
				ring.Wait()
			})
		}
	}
	times, err := r.measure(ctx, func(round int) {
		opt.Progress(fmt.Sprintf("messages: round %d of %d", round+1, opt.Repeat))
	}, cases...)
	for k, t := range times {
		list[k].Time = t.per(counts[k])
	}
	return list, err
}

// dots returns two functions that compute inner products of vectors of n elements on each rank: plain, which sums one
// number over the job as MPI does with MPI_DOUBLE, and exact.
func (r ranks) dots(n int, pool *parallel.Pool) (plain, exact func(), err error) {
	all := int64(n) * int64(r.Size())
	d, err := dist.Cut(all, r.Size(), func(row int64) int64 { return row })
	if err != nil {
		return nil, nil, err
	}
	for k := range d.Start {
		d.Start[k] = int64(k) * int64(n)
	}
	fill := func(space linop.Host) (x []float64) {
		x = space.New()
		for i := range x {
			x[i] = 1 / float64(i+1)
		}
		return x
	}
	l, err := dist.NewLayout(r.Comm, d, make([][]int64, 1))
	if err != nil {
		return nil, nil, err
	}
	own, whole := linop.NewHost(n, pool), dist.NewSpace(l, pool)
	x, y := fill(own), fill(whole)
	one := make([]int64, 1)
	plain = func() {
		own.Dot(x, x)
		r.Sum(one)
	}
	return plain, func() { whole.Dot(y, y) }, nil
}

// ring connects each rank with the ranks before and after it, by messages of n bytes.
func (r ranks) ring(n int) dist.Connection {
	next, last := (r.Rank()+1)%r.Size(), (r.Rank()+r.Size()-1)%r.Size()
	return r.Connect([]dist.Channel{{Rank: next, Bytes: n}, {Rank: last, Bytes: n}}, []dist.Channel{{Rank: last, Bytes: n}, {Rank: next, Bytes: n}})
}

// RanksOptions configure a measurement on the ranks of a job. All ranks have the same options.
type RanksOptions struct {
	Kinds      []generate.Kind
	Rows       int64 // about the rows of a rank for weak scaling, and of all ranks together for strong scaling
	Iterations int   // of CG, timed together
	Threads    int   // of each rank
	Repeat     int
	Budget     time.Duration // of the messages, and of each matrix on each number of ranks; 0: no limit
	Progress   func(string)
}

// ranks measures on the ranks of a job.
type ranks struct {
	dist.Comm
	opt RanksOptions
}

// any reports whether end holds on any rank. It is collective.
func (r ranks) any(end bool) bool {
	var x [1]int64
	if end {
		x[0] = 1
	}
	r.Max(x[:])
	return x[0] > 0
}

// measure times cases on all ranks; the slowest rank determines the time of a round. It is collective.
func (r ranks) measure(ctx context.Context, progress func(round int), cases ...Case) ([]Time, error) {
	timing := Timing{Repeat: r.opt.Repeat, Budget: r.opt.Budget, Progress: progress, Agree: r.any}
	times, err := timing.Measure(ctx, cases...)
	for k, t := range times {
		bits := make([]int64, len(t.Rounds))
		for i, s := range t.Rounds {
			bits[i] = int64(math.Float64bits(s)) // in the order of the numbers, as none is negative
		}
		r.Max(bits)
		for i, b := range bits {
			t.Rounds[i] = math.Float64frombits(uint64(b))
		}
		times[k] = timeOf(t.Rounds)
	}
	return times, err
}

// often returns a case that repeats f so often that it takes a while, and the number of repetitions. It is
// collective.
func (r ranks) often(f func()) (c Case, count int) {
	for count = 1; ; count *= 2 {
		start := time.Now()
		for range count {
			f()
		}
		if r.any(time.Since(start) >= streamLeast) {
			break
		}
	}
	return Case{Run: func() {
		for range count {
			f()
		}
	}}, count
}
