package ranks

import (
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/testsupport"
)

// A vector comes to rank 0 in its order, and in pieces: rank 0 never needs room for all of it (Concurrent).
func TestConcurrentVectorsToRoot(t *testing.T) {
	defer func(n int64) { rootElements = n }(rootElements)
	rootElements = 7
	m := testsupport.Grid(10, 0, 0)
	whole := make([]float64, m.Rows)
	for i := range whole {
		whole[i] = float64(i)
	}
	for _, size := range []int{1, 2, 3, 5, 9} {
		dist.Run(size, func(c dist.Comm) {
			a, err := dist.Spread(c, m, 6)
			if err != nil {
				t.Error(err)
				return
			}
			j := &Job{Matrix: a}
			own := dist.Scatter(c, a.Domains, whole)
			var all []float64
			j.ToRoot(own, a.Domains, func(part []float64) {
				if all = append(all, part...); int64(len(part)) > rootElements {
					t.Errorf("%d elements at a time", len(part))
				}
			})
			if c.Rank() == 0 && !slices.Equal(all, whole) || c.Rank() > 0 && all != nil {
				t.Errorf("rank %d of %d gets %v", c.Rank(), size, all)
			}
		})
	}
}
