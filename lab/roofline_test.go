package lab

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Every configuration computes what its definition says: it adds up all stored values, each after k multiply-adds.
func TestRooflineDefinition(t *testing.T) {
	data := newRoofline(200_000)
	for _, c := range RooflineConfigs() {
		tile, err := c.tile()
		if err != nil {
			t.Fatal(err)
		}
		repeat(data, tile, nil)
		stored := make([]float64, c.values(data))
		c.codec.Decode(stored, data)
		bound := 1e-11 // n u for as many values
		if c.Name == FP32 {
			bound = 1e-5
		}
		for _, k := range []int{1, 2, 7} {
			want := 0.0
			for i, v := range stored {
				if e := math.Abs(v - example(i%tileValues)); e > c.codec.ErrorBound(example(i%tileValues)) {
					t.Fatalf("%s stores %g for %g", c.Name, v, example(i%tileValues))
				}
				for range k - 1 {
					v = slope*v + shift
				}
				want += slope * v
			}
			if got := c.run(data, len(stored), k, nil); !(math.Abs(got-want) <= bound*want) {
				t.Errorf("%s, k = %d: sum %v, want %v", c.Name, k, got, want)
			}
		}
	}
}

// Sums have the same bits for any number of threads.
func TestRooflineOnThreads(t *testing.T) {
	data := newRoofline(200_000)
	pool := parallel.New(5)
	defer pool.Close()
	for _, name := range []string{FP64, FP32, "AFX24"} {
		c, err := FindRoofline(name)
		if err != nil {
			t.Fatal(err)
		}
		tile, err := c.tile()
		if err != nil {
			t.Fatal(err)
		}
		repeat(data, tile, pool)
		want := c.run(data, c.values(data), 2, nil)
		if got := c.run(data, c.values(data), 2, pool); got != want {
			t.Errorf("%s: %v on 5 threads, %v on one", name, got, want)
		}
	}
}

func TestRoofline(t *testing.T) {
	opt := RooflineOptions{
		Configs: RooflineConfigs()[:3], Intensities: []int{2, 16}, Threads: []int{1, 2}, Size: 1 << 16, Repeat: 2,
		Progress: func(string) {},
	}
	points, err := Roofline(t.Context(), opt)
	if err != nil || len(points) != 3*2*2 {
		t.Fatalf("%d points, %v", len(points), err)
	}
	for _, p := range points {
		if !(p.Seconds > 0) || math.Abs(p.GFLOPS/p.GBps-float64(p.Intensity)/float64(p.Bytes)) > 1e-9*p.GFLOPS/p.GBps {
			t.Errorf("%+v", p)
		}
	}
	if p := points[3]; p.Config != FP64 || p.Threads != 2 || p.Intensity != 16 {
		t.Errorf("the fourth point is %+v", p)
	}
	gbps, gflops := BestOf(points, FP32, 2)
	if names := ConfigsOf(points); len(names) != 3 || names[2] != FP64OverFP32 || !(gbps > 0 && gflops > 0) {
		t.Errorf("names %v, best %g, %g", names, gbps, gflops)
	}
}

func TestRooflineFaults(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	opt := RooflineOptions{Configs: RooflineConfigs()[:1], Intensities: []int{2}, Threads: []int{1}, Progress: func(string) { cancel() }}
	if _, err := Roofline(ctx, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	opt.Intensities = []int{3}
	if _, err := Roofline(t.Context(), opt); err == nil {
		t.Error("odd FLOPs are no error")
	}
	if _, err := FindRoofline("AFX9"); err == nil {
		t.Error("an unknown configuration is no error")
	}
	if c, err := FindRoofline("afx24"); err != nil || c.Bytes != 3 {
		t.Errorf("afx24: %v, %v", c.Name, err)
	}
}

// No point is above the roof, whether the bandwidth measured is higher or lower than the rates of the points.
func TestRoofIsAbove(t *testing.T) {
	points := []RooflinePoint{
		{Config: FP64, Bytes: 8, Intensity: 2, Threads: 2, GFLOPS: 5, GBps: 20},
		{Config: FP32, Bytes: 4, Intensity: 64, Threads: 2, GFLOPS: 60, GBps: 4},
		{Config: "AFX24", Bytes: 3, Intensity: 64, Threads: 2, GFLOPS: 30, GBps: 1.5},
		{Config: FP64, Bytes: 8, Intensity: 2, Threads: 1, GFLOPS: 500, GBps: 200},
	}
	for _, read := range []float64{0, 13.5e9, 25e9} {
		r := RoofOf(points, 2, read)
		if want := max(20, read/1e9); r.GBps != want || r.GFLOPS[FP64] != 30 || r.GFLOPS[FP32] != 60 || len(r.GFLOPS) != 2 {
			t.Errorf("read %g: %+v", read, r)
		}
	}
	if got := points[2].FLOPPerByte(); got != 64.0/3 {
		t.Errorf("%g FLOP per byte", got)
	}
}
