package precond

import (
	"context"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// A cycle exchanges the ghosts of a level as often as docs/mpi.md says: at each visit for the residual, its restriction and a step of smoothing, for
// each correction of the finer level, and between two visits. The third and fourth levels are visited twice each time.
func TestExchangesOfLevelsConcurrent(t *testing.T) {
	m := generated(t, "poisson3d", generate.Params{"n": 32})
	want := []int64{3, 3 + 1, 2*3 + 1 + 1, 4*3 + 2 + 2}
	dist.Run(8, func(c dist.Comm) {
		timed := dist.NewTimed(c)
		a, err := dist.Spread(timed, m, 8)
		if err != nil {
			t.Error(err)
			return
		}
		opt := Options{Symmetric: true}
		pool := parallel.New(1)
		defer pool.Close()
		p, err := distributed{setup: setup{Options: opt.withDefaults(), ctx: context.Background(), m: a.Local, pool: pool}, a: a}.multigrid(10)
		if err != nil {
			t.Error(err)
			return
		}
		before := make([]int64, len(timed.Links))
		for k, l := range timed.Links {
			before[k] = l.Starts
		}
		traffic := timed.Traffic
		p.Apply(make([]float64, a.Len), Constants(a.Len, 1)[0])
		var exchanges []int64
		for k, l := range timed.Links {
			if n := l.Starts - before[k]; n > 0 {
				exchanges = append(exchanges, n)
			}
		}
		gathers := timed.Traffic.Minus(traffic).Collectives
		if len(exchanges) < len(want) || !slices.Equal(exchanges[:len(want)], want) || gathers != 4 {
			t.Errorf("rank %d: ghosts of levels are exchanged %d times, want %d first; %d gathers, want 4: %s", c.Rank(), exchanges, want, gathers, p)
		}
	})
}
