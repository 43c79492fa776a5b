// Package turns times several ways to do a thing in turns, so that whatever else
// the machine does falls on each alike.
package turns

import (
	"context"
	"slices"
	"time"
)

// Turns says how long to measure: Repeat turns, fewer if Budget, unless it is 0,
// is used up before, but at least one.
type Turns struct {
	Repeat   int
	Budget   time.Duration
	Progress func(turn int) // called before each turn, from 0; may be nil
}

// Time is the least and the median time of one way, in seconds.
type Time struct{ Min, Median float64 }

// Measure runs each way in each turn, once untimed and once timed: data that fits
// into the cache is there. It returns early with the error of ctx.
func (t Turns) Measure(ctx context.Context, ways ...func()) ([]Time, error) {
	seconds := make([][]float64, len(ways))
	begin := time.Now()
	for turn := range max(1, t.Repeat) {
		if turn > 0 && t.Budget > 0 && time.Since(begin) >= t.Budget {
			break
		}
		if t.Progress != nil {
			t.Progress(turn)
		}
		for k, run := range ways {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			run()
			start := time.Now()
			run()
			seconds[k] = append(seconds[k], time.Since(start).Seconds())
		}
	}
	times := make([]Time, len(ways))
	for k, s := range seconds {
		times[k] = Time{slices.Min(s), median(s)}
	}
	return times, nil
}

// median sorts s.
func median(s []float64) float64 {
	slices.Sort(s)
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}
