package lab

import "testing"

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
