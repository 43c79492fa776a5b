package lab

import (
	"context"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/linop"
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
	own, whole := linop.NewHost(n, pool), dist.NewSpace(dist.NewLayout(r.Comm, d, make([][]int64, 1)), pool)
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
