package lab

import (
	"context"
	"math"
	"time"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// RanksOptions say what to measure on the ranks of a job. They are the same on all of them.
type RanksOptions struct {
	Kinds      []generate.Kind
	Rows       int64 // about those of a rank as ranks are added (weak scaling), and of all together (strong)
	Iterations int   // of CG that are timed together
	Threads    int   // of each rank
	Repeat     int
	Budget     time.Duration // of the messages, and of each matrix on each number of ranks; 0: no limit
	Progress   func(string)
}

// ranks is what measures on a job.
type ranks struct {
	dist.Comm
	opt RanksOptions
}

// any reports whether end holds on any rank. Collective.
func (r ranks) any(end bool) bool {
	var x [1]int64
	if end {
		x[0] = 1
	}
	r.Max(x[:])
	return x[0] > 0
}

// measure times cases on all ranks; the time of a round is that of the slowest rank. Collective.
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

// often returns a case that runs f so often that it takes a while, and how often that is. Collective.
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
