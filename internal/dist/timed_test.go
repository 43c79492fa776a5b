package dist

import (
	"sync/atomic"
	"testing"
)

// The counters hold what was sent, for any number of ranks, and all calls are passed on.
func TestTimedConcurrent(t *testing.T) {
	m := scattered(t, 300, 4, 1)
	const domains, exchanges = 3, 5
	for _, ranks := range []int{1, 2, 3} {
		var sent, wanted atomic.Int64
		Run(ranks, func(c Comm) {
			timed := NewTimed(c)
			compareWithWhole(t, timed, m, domains)
			a, err := Spread(timed, m, domains)
			if err != nil {
				t.Error(err)
				return
			}
			before := timed.Traffic
			x := make([]float64, a.Len)
			for range exchanges {
				a.Halo.Exchange(x)
			}
			timed.Sum(make([]int64, 7))
			timed.Max(make([]int64, 2))
			got := timed.Traffic.Minus(before)
			if got.Reductions != 2 || got.Numbers != 9 {
				t.Errorf("%d reductions of %d numbers, want 2 of 9", got.Reductions, got.Numbers)
			}
			if got.Halo <= 0 || got.Waiting <= 0 || got.Reduction <= 0 {
				t.Errorf("no time: %+v", got)
			}
			first, _ := a.Domains.Owned(c.Rank(), c.Size())
			for k, p := range a.Parts {
				for _, row := range p.Ghosts {
					if d := a.Domains.Of(row); a.Domains.Owner(d, c.Size()) != a.Domains.Owner(first+k, c.Size()) {
						wanted.Add(8 * exchanges)
					}
				}
			}
			sent.Add(got.Bytes)
		})
		if sent.Load() != wanted.Load() {
			t.Errorf("%d ranks sent %d bytes for ghosts of %d", ranks, sent.Load(), wanted.Load())
		}
	}
}
