package lab

import (
	"context"
	"errors"
	"testing"
)

func TestArrayBytes(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct{ cache, memory, want int64 }{
		{260 * mb, 0, 1040 * mb},
		{8 * mb, 0, 256 * mb},
		{0, 0, 256 * mb},
		{1000 * mb, 0, 2048 * mb},
		{1000 * mb, 4096 * mb, 1024 * mb},
	} {
		if got := ArrayBytes(c.cache, c.memory); got != c.want {
			t.Errorf("ArrayBytes(%d, %d) = %d, want %d", c.cache, c.memory, got, c.want)
		}
	}
}

func TestBandwidthOfThreads(t *testing.T) {
	measured, err := MeasureBandwidth(t.Context(), 1<<16, []int{1, 3})
	if err != nil || len(measured) != 2 {
		t.Fatalf("%v, %v", measured, err)
	}
	for threads, b := range measured {
		for k, s := range append(b.Streams[:], b.Read, b.Triad) {
			if !(s > 0 && s <= max(b.Read, b.Triad)) {
				t.Errorf("%d threads: bandwidth %d of %+v", threads, k, b)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := MeasureBandwidth(ctx, 1<<10, []int{1}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

func TestTriad(t *testing.T) {
	part := []float64{0, 0, 0, 1, 2, 3, 4, 6, 8, -1} // a, b, c and a rest
	triad(part)
	if want := [3]float64{3, 5, 7}; [3]float64(part) != want {
		t.Errorf("a = %v, want %v", part[:3], want)
	}
}
