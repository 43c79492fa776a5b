// Package bench measures the speed of a machine: products y = A x on the host
// (product.go, spmv.go) and on a device, with whole solves (device.go,
// devicesolve.go), dense and ELL kernels through a memory accessor (accessor.go), the
// roofline (roofline.go), the bandwidth of memory (bandwidth.go) and energy
// (energy.go). All times come from Timing. The package knows no files of matrices and
// no terminal.
package lab

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// Timing says how long to time cases against each other.
type Timing struct {
	Repeat   int             // rounds, at least one
	Budget   time.Duration   // no round begins after it, but for the first; 0: no limit
	Progress func(round int) // called before each round, from 0; may be nil

	// Agree is called by the ranks of a job, which time the same cases: whether to end on any of them. It is nil in a
	// single process.
	Agree func(end bool) bool
}

// ends reports whether to end, here or on any other rank.
func (t Timing) ends(here bool) bool {
	if t.Agree == nil {
		return here
	}
	return t.Agree(here)
}

// errOtherRank is returned on the ranks that are not the one that was stopped.
var errOtherRank = errors.New("another rank has stopped")

// stopped returns the cause of ctx if it has ended on any rank.
func (t Timing) stopped(ctx context.Context) error {
	if !t.ends(ctx.Err() != nil) {
		return nil
	}
	return cmp.Or(context.Cause(ctx), errOtherRank)
}

// Case is one of the things to be timed.
type Case struct {
	Prepare func() // called before each Run, untimed; may be nil
	Run     func()
}

// Warm returns the case that runs once untimed before it is timed, so that data that
// fits into the cache is there, as in a solver.
func Warm(run func()) Case { return Case{run, run} }

// Time is the time of a case in seconds: the least, the median, and that of each round.
type Time struct {
	Min, Median float64
	Rounds      []float64
}

// Relative returns the ratios t / to of each round: what both suffered in a round cancels. Both
// are of one Measure.
func (t Time) Relative(to Time) []float64 {
	ratios := make([]float64, len(t.Rounds))
	for k, s := range t.Rounds {
		ratios[k] = s / to.Rounds[k]
	}
	return ratios
}

// per returns the times of one of n products that were timed together.
func (t Time) per(n int) Time {
	one := Time{Min: t.Min / float64(n), Median: t.Median / float64(n)}
	for _, s := range t.Rounds {
		one.Rounds = append(one.Rounds, s/float64(n))
	}
	return one
}

// Measure times cases interleaved, each once in every round: whatever else the
// machine does falls on all of them alike. It returns early with the cause of ctx.
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

// timeOf is the time of a case from those of its rounds.
func timeOf(rounds []float64) Time {
	return Time{slices.Min(rounds), median(slices.Clone(rounds)), rounds}
}

// median sorts s.
func median(s []float64) float64 {
	slices.Sort(s)
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}
