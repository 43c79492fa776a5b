package agata

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// random computes in FP32 and rounds each operation up or down at random.
type random struct {
	exactTraces
	*Power
	*lab.RandomRounding
}

func (r random) merit(measured, reference []float32, _ float64) float64 {
	sum := float32(0)
	for t, m := range measured {
		sum = r.Add32(sum, r.Narrow(r.Of(r.Sub32(m, reference[t]))))
	}
	return float64(sum)
}

// Stability is the effect of random rounding on the full search in FP32, by the CESTAC method.
type Stability struct {
	Digits  float64 // significant decimal digits of a figure of merit, mean over all merits
	Least   float64 // fewest significant digits of any merit
	Changed float64 // share of points found differently than with rounding to nearest, mean over the runs
}

// Stochastic runs the full search three times for each event with random rounding, seeded by the event's index and
// the run. It returns early with the error of ctx.
func Stochastic(ctx context.Context, b *Basis, events []Event, pool *parallel.Pool, progress func(done float64)) (Stability, error) {
	nearest, err := New(b, Reference)
	if err != nil {
		return Stability{}, err
	}
	each := make([]Stability, len(events))
	power := NewPower(Exponent)
	var done atomic.Int64
	pool.Each(len(events), func(k int) {
		if ctx.Err() != nil {
			return
		}
		each[k] = stability(b, &events[k], uint64(k), power, nearest.Find(&events[k]))
		if now := done.Add(1); progress != nil {
			progress(float64(now) / float64(len(events)))
		}
	})
	all := Stability{Least: math.Inf(1)}
	for _, s := range each {
		all.Digits += s.Digits / float64(len(events))
		all.Changed += s.Changed / float64(len(events))
		all.Least = min(all.Least, s.Least)
	}
	return all, ctx.Err()
}

// stability returns the stability of one event.
func stability(b *Basis, e *Event, seed uint64, power *Power, reference Found) Stability {
	traces, n := b.Segments[e.Segment].Traces, b.Length()
	points := len(traces) / n
	merits := make([][lab.Samples]float64, points)
	s := Stability{Least: math.Inf(1)}
	for run := range lab.Samples {
		rounding := lab.NewRandomRounding(seed*lab.Samples + uint64(run))
		m := random{Power: power, RandomRounding: &rounding}
		best := 0
		for i := range merits {
			merits[i][run] = m.merit(e.Trace, traces[i*n:(i+1)*n], 0)
			if merits[i][run] < merits[best][run] {
				best = i
			}
		}
		if best != reference.Point {
			s.Changed += 1. / lab.Samples
		}
	}
	for i := range merits {
		digits := min(lab.SampleDigits(merits[i][:]), lab.Full32)
		s.Digits += digits / float64(points)
		s.Least = min(s.Least, digits)
	}
	return s
}
