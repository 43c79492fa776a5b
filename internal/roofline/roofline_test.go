package roofline

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Every configuration gives what its definition says: each stored value, k
// multiply-adds, added up.
func TestDefinition(t *testing.T) {
	data := newArray(200_000)
	for _, c := range Configs() {
		if err := c.fill(data); err != nil {
			t.Fatal(err)
		}
		stored := make([]float64, c.values(data))
		codec := c.codec
		if codec.Bytes == 0 {
			codec.Format, _ = formats.Lookup(map[int]string{8: "FP64", 4: "FP32"}[c.Bytes])
		}
		codec.Decode(stored, data)
		bound := 1e-11 // n u for as many values
		if c.Name == FP32 {
			bound = 1e-5
		}
		for _, k := range []int{1, 2, 7} {
			want := 0.0
			for i, v := range stored {
				if e := math.Abs(v - example(i%tile)); e > 0.02 {
					t.Fatalf("%s stores %g for %g", c.Name, v, example(i%tile))
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

func TestThreads(t *testing.T) {
	data := newArray(1_000_000)
	for _, c := range Configs() {
		if err := c.fill(data); err != nil {
			t.Fatal(err)
		}
		want := c.run(data, c.values(data), 3, nil)
		for _, threads := range []int{2, 5} {
			pool := parallel.New(threads)
			if got := c.run(data, c.values(data), 3, pool); got != want {
				t.Errorf("%s: %v on %d threads, %v on one", c.Name, got, threads, want)
			}
			pool.Close()
		}
	}
}

func TestMeasure(t *testing.T) {
	opt := Options{Configs: Configs()[:3], Intensities: []int{2, 16}, Threads: []int{1, 2}, Size: 1 << 16, Repeat: 2}
	points, err := Measure(context.Background(), opt)
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
	gbps, gflops := Best(points, FP32, 2)
	if names := Names(points); len(names) != 3 || names[2] != FP64OverFP32 || !(gbps > 0 && gflops > 0) {
		t.Errorf("names %v, best %g, %g", names, gbps, gflops)
	}
}

func TestStopsAndFaults(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	opt := Options{Configs: Configs()[:1], Intensities: []int{2}, Threads: []int{1}, Progress: func(string) { cancel() }}
	if _, err := Measure(ctx, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	opt.Intensities = []int{3}
	if _, err := Measure(context.Background(), opt); err == nil {
		t.Error("odd FLOPs are no error")
	}
	if _, err := Lookup("AFX9"); err == nil {
		t.Error("an unknown configuration is no error")
	}
	if c, err := Lookup("afx24"); err != nil || c.Bytes != 3 {
		t.Errorf("afx24: %v, %v", c.Name, err)
	}
}
