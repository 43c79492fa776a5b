package turns

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestMeasure(t *testing.T) {
	for _, c := range []struct {
		budget time.Duration
		want   int
	}{{0, 7}, {time.Hour, 7}, {1, 1}} {
		turns, runs := 0, [2]int{}
		times, err := Turns{Repeat: 7, Budget: c.budget, Progress: func(turn int) { turns = turn + 1 }}.
			Measure(context.Background(), func() { runs[0]++ }, func() { runs[1]++ })
		if err != nil || turns != c.want || runs != [2]int{2 * c.want, 2 * c.want} {
			t.Errorf("budget %v: %d turns, runs %v, %v; want %d", c.budget, turns, runs, err, c.want)
		}
		if len(times) != 2 || !(times[1].Min > 0 && times[1].Median >= times[1].Min) {
			t.Errorf("times %v", times)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := (Turns{Repeat: 7}).Measure(ctx, cancel, func() { t.Error("ran after the end") }); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

func TestMedian(t *testing.T) {
	if m := median([]float64{5, 1, 3}); m != 3 {
		t.Errorf("median of odd: %g", m)
	}
	if m := median([]float64{4, 1, 3, 2}); m != 2.5 {
		t.Errorf("median of even: %g", m)
	}
}
