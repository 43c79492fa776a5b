package lab

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestTiming(t *testing.T) {
	for _, c := range []struct {
		budget time.Duration
		want   int
	}{{0, 7}, {time.Hour, 7}, {1, 1}} {
		rounds, runs := 0, [2]int{}
		times, err := Timing{Repeat: 7, Budget: c.budget, Progress: func(round int) { rounds = round + 1 }}.
			Measure(t.Context(), Case{Run: func() { runs[0]++ }}, Warm(func() { runs[1]++ }))
		if err != nil || rounds != c.want || runs != [2]int{c.want, 2 * c.want} {
			t.Errorf("budget %v: %d rounds, runs %v, %v; want %d", c.budget, rounds, runs, err, c.want)
		}
		if len(times) != 2 || !(times[1].Min >= 0 && times[1].Median >= times[1].Min) {
			t.Errorf("times %v", times)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	lost := errors.New("device lost")
	after := Case{Run: func() { t.Error("ran after the end") }}
	if _, err := (Timing{Repeat: 7}).Measure(ctx, Case{Run: func() { cancel(lost) }}, after); !errors.Is(err, lost) {
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
