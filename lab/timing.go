// The benchmarks measure the speed of a machine: products y = A x on the host (product.go, spmv.go) and on a device,
// with whole solves (device.go, devicesolve.go), dense and ELL kernels through a memory accessor (accessor.go), the
// roofline (roofline.go), the bandwidth of memory (bandwidth.go) and energy (energy.go). Timing takes all times. The
// benchmarks neither read files of matrices nor write to a terminal.
package lab

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// Timing says for how long cases are timed against each other.
type Timing struct {
	Repeat   int             // rounds, at least one
	Budget   time.Duration   // no round but the first begins after it; 0: no limit
	Progress func(round int) // called before each round, from 0; may be nil

	// Agree reports whether end holds on any rank. All ranks of a job time the same cases and call it together. It is
	// nil in a single process.
	Agree func(end bool) bool
}

// ends reports whether to end, because of this process or of another rank.
func (t Timing) ends(here bool) bool {
	if t.Agree == nil {
		return here
	}
	return t.Agree(here)
}

// errOtherRank is returned on the ranks that have not been stopped themselves.
var errOtherRank = errors.New("another rank has stopped")

// stopped returns the cause of ctx if ctx has ended on any rank.
func (t Timing) stopped(ctx context.Context) error {
	if !t.ends(ctx.Err() != nil) {
		return nil
	}
	return cmp.Or(context.Cause(ctx), errOtherRank)
}

// Case is one piece of work to time.
type Case struct {
	Prepare func() // called before each Run, untimed; may be nil
	Run     func()
}

// Warm returns a case that runs once untimed before each timed run, so that data that fits into the cache is in the
// cache, as in a solver.
func Warm(run func()) Case { return Case{run, run} }

// Time is the time of a case in seconds: the least, the median and the times of all rounds.
type Time struct {
	Min, Median float64
	Rounds      []float64
}

// Relative returns the ratio t / to for each round: a disturbance of both in the same round cancels. One call of
// Measure must have measured both.
func (t Time) Relative(to Time) []float64 {
	ratios := make([]float64, len(t.Rounds))
	for k, s := range t.Rounds {
		ratios[k] = s / to.Rounds[k]
	}
	return ratios
}

// per returns the times of a single product, given the times of n products that were timed together.
func (t Time) per(n int) Time {
	one := Time{Min: t.Min / float64(n), Median: t.Median / float64(n)}
	for _, s := range t.Rounds {
		one.Rounds = append(one.Rounds, s/float64(n))
	}
	return one
}

// Measure times the cases interleaved, each once in every round, so that disturbances of the machine fall on all of
// them alike. It returns early with the cause of ctx.
func (t Timing) Measure(ctx context.Context, cases ...Case) ([]Time, error) {
	seconds := make([][]float64, len(cases))
	begin := time.Now()
	for round := range max(1, t.Repeat) {
		if round > 0 && t.Budget > 0 && t.ends(time.Since(begin) >= t.Budget) {
			break
		}
		if t.Progress != nil {
			t.Progress(round)
		}
		for k, c := range cases {
			if err := t.stopped(ctx); err != nil {
				return nil, err
			}
			if c.Prepare != nil {
				c.Prepare()
			}
			start := time.Now()
			c.Run()
			seconds[k] = append(seconds[k], time.Since(start).Seconds())
		}
	}
	if err := t.stopped(ctx); err != nil {
		return nil, err
	}
	times := make([]Time, len(cases))
	for k, s := range seconds {
		times[k] = timeOf(s)
	}
	return times, nil
}

// timeOf returns the time of a case, given the seconds of its rounds.
func timeOf(rounds []float64) Time {
	return Time{slices.Min(rounds), median(slices.Clone(rounds)), rounds}
}

// median returns the median of s, which it sorts.
func median(s []float64) float64 {
	slices.Sort(s)
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}
