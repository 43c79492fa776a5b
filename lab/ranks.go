package lab

import (
	"context"
	"math"
	"time"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

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
