package lab

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// A calibration gives a model with positive constants, and ends when its context ends.
func TestCalibrate(t *testing.T) {
	k := kernels.Default()
	if !k.HasFastSlots() {
		t.Skip("the portable loops are no layouts to choose from")
	}
	m, err := generate.Generate("poisson2d", generate.Params{"n": 20})
	if err != nil {
		t.Fatal(err)
	}
	known := *adaptive.ModelOf(k.String())
	known.Sizes = adaptive.Sizes{Near: 1 << 20, Shared: 4 << 20}
	quick := Quick
	quick.Share = 0 // other tests run meanwhile
	measured, err := Calibrate(context.Background(), k, "here", &known, []*csr.Matrix{m}, quick)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range measured.Constants() {
		if !(c.Value > 0) {
			t.Errorf("%s: %g %s", c.Name, c.Value, c.Unit)
		}
	}
	quick.Share = 2 // as if others had run half of the time
	if _, err := Calibrate(context.Background(), k, "here", &known, []*csr.Matrix{m}, quick); runtime.GOOS == "linux" && !errors.Is(err, ErrBusy) {
		t.Errorf("%v, want %v", err, ErrBusy)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("stop")
	cancel(stop)
	if _, err := Calibrate(ctx, k, "here", &known, []*csr.Matrix{m}, Quick); !errors.Is(err, stop) {
		t.Errorf("%v, want %v", err, stop)
	}
}

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
