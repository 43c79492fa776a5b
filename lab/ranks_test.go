package lab

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

func ranksOptions(t *testing.T, rows int64, kinds ...string) RanksOptions {
	t.Helper()
	opt := RanksOptions{Rows: rows, Iterations: 5, Threads: 1, Repeat: 2, Progress: func(string) {}}
	for _, name := range kinds {
		k, ok := generate.Find(name)
		if !ok {
			t.Fatal(name)
		}
		opt.Kinds = append(opt.Kinds, k)
	}
	return opt
}

func TestConcurrentMessages(t *testing.T) {
	for _, size := range []int{1, 3} {
		dist.Run(size, func(c dist.Comm) {
			list, err := Messages(t.Context(), c, ranksOptions(t, 1))
			if err != nil {
				t.Error(err)
			}
			halos := 0
			for _, m := range list {
				if !(m.Min > 0 && m.Min <= m.Median) || len(m.Rounds) != 2 {
					t.Errorf("%s: times %+v", m.What, m.Time)
				}
				if m.What == haloOf {
					halos++
				}
			}
			if want := map[int]int{1: 0, 3: 6}[size]; halos != want || len(list) != 8+want {
				t.Errorf("%d ranks: %d results, %d of them halos", size, len(list), halos)
			}
		})
	}
}

// TestConcurrentScaling knows what an iteration sends for a cube of 10 x 10 x 10 points in two domains, the second of
// which begins with point (4, 0, 5): a plane each way, and for the 27-point stencil the lines next to its rim as
// well.
func TestConcurrentScaling(t *testing.T) {
	const rows, plane = 1000, 100
	want := map[string][2]int64{"poisson3d": {plane, plane}, "stencil27": {plane + 4, plane + 6}} // elements down and up
	dist.Run(2, func(c dist.Comm) {
		seen := 0
		err := ScaleRanks(t.Context(), c, ranksOptions(t, rows, "poisson3d", "stencil27"), func(list []RankScaling) error {
			if c.Rank() > 0 {
				return nil
			}
			seen++
			one, two := list[0], list[1]
			if len(list) != 2 || one.Ranks != 1 || two.Ranks != 2 || one.Messages+one.Bytes != 0 {
				t.Errorf("%+v", list)
			}
			if two.Weak {
				if one.Domains != 1 || two.Domains != 2 || two.Rows != 13*13*13 {
					t.Errorf("weak: %+v", list)
				}
				return nil
			}
			if one.Domains != 2 || two.Domains != 2 || one.Rows != rows || two.Rows != rows || one.NNZ != two.NNZ {
				t.Errorf("strong: %+v", list)
			}
			if two.Messages != 2 || two.MostMessages != 1 || two.MostBytes != 8*want[two.Kind][1] || two.Bytes != two.MostBytes+8*want[two.Kind][0] || two.Reductions != 1 {
				t.Errorf("%s: %+v", two.Kind, two)
			}
			if product, iteration := one.Efficiency(one); product != 1 || iteration != 1 {
				t.Errorf("efficiency on one rank is %g, %g", product, iteration)
			}
			return nil
		})
		if err != nil || c.Rank() == 0 && seen != 4 {
			t.Errorf("%d results, %v", seen, err)
		}
	})
}

// A rank that is stopped stops all ranks. A rank that waits is not asked before its turn.
func TestInterruptedRanks(t *testing.T) {
	stopped := errors.New("stopped")
	dist.Run(3, func(c dist.Comm) {
		ctx, cancel := context.WithCancelCause(t.Context())
		if c.Rank() == 0 {
			time.AfterFunc(50*time.Millisecond, func() { cancel(stopped) })
		}
		defer cancel(nil)
		opt := ranksOptions(t, 1000, "poisson3d")
		opt.Repeat = 1 << 30
		want := errOtherRank
		if c.Rank() == 0 {
			want = stopped
		}
		if err := ScaleRanks(ctx, c, opt, func([]RankScaling) error { return nil }); !errors.Is(err, want) {
			t.Errorf("rank %d: %v", c.Rank(), err)
		}
	})
	dist.Run(2, func(c dist.Comm) {
		err := ScaleRanks(t.Context(), c, ranksOptions(t, 8, "poisson3d"), func([]RankScaling) error { return nil })
		if err == nil {
			t.Error("no error for a matrix that CG solves before its iterations are over")
		}
	})
}
