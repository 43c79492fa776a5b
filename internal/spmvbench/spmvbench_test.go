package spmvbench

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

func matrix(t *testing.T) (*csr.Matrix, []float64) {
	t.Helper()
	m, err := generate.Generate("convdiff2d", generate.Params{"n": 15})
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, m.Cols)
	for j := range x {
		x[j] = math.Sin(float64(j))
	}
	return m, x
}

func spec(t *testing.T, set string, layout adaptive.Layout) adaptive.Spec {
	t.Helper()
	s, err := adaptive.LookupSet(set)
	if err != nil {
		t.Fatal(err)
	}
	return adaptive.Spec{Set: s, Layout: layout, Epsilon: 0x1p-24, Criterion: adaptive.CW}
}

func options(t *testing.T) Options {
	return Options{
		Specs:   []adaptive.Spec{spec(t, "AFX", adaptive.Bucketed), spec(t, "FP32", adaptive.LayoutAuto)},
		Threads: []int{1, 2}, Repeat: 3,
		Limits: map[int]Limit{1: {Read: 2e9, Triad: 1e9}},
		Note:   func(text string) { t.Error(text) }, Progress: func(string) {},
	}
}

func TestRun(t *testing.T) {
	m, x := matrix(t)
	rows, err := Run(context.Background(), "name", m, x, options(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []struct{ layout, formats, criterion string }{
		{OrdinaryCSR, "FP64", "none"},
		{TunedCSR, "FP64", "none"},
		{"bucketed", "AFX", "cw"},
		{"bucketed", "FP32", "none"},
	}
	if len(rows) != 2*len(want) {
		t.Fatalf("%d rows", len(rows))
	}
	for k, r := range rows {
		w := want[k%len(want)]
		if r.Layout != w.layout || r.Formats != w.formats || r.Criterion != w.criterion {
			t.Errorf("row %d: %s, %s, %s", k, r.Layout, r.Formats, r.Criterion)
		}
		if r.Matrix != "name" || r.Rows != 225 || r.Cols != 225 || r.NNZ != m.NNZ() || r.Threads != 1+k/len(want) {
			t.Errorf("row %d: %+v", k, r)
		}
		if (r.Threads == 1) != (r.Read == 2e9) {
			t.Errorf("row %d has the limit %g", k, r.Read)
		}
		if !(r.Min > 0 && r.Median >= r.Min) || (r.Build > 0) != (k%len(want) >= 2) {
			t.Errorf("row %d: times %g, %g, build %g", k, r.Min, r.Median, r.Build)
		}
		if bound := 16 * r.Epsilon; !(r.Errors.Row <= bound) {
			t.Errorf("row %d: error %g, epsilon %g", k, r.Errors.Row, r.Epsilon)
		}
	}
	if s := rows[0].SpeedupOrdinary(); s != 1 {
		t.Errorf("ordinary CSR is %g times as quick as itself", s)
	}
	if s := rows[5].SpeedupTuned(); s != 1 {
		t.Errorf("tuned CSR is %g times as quick as itself", s)
	}
}

func TestRatios(t *testing.T) {
	r := Row{Rows: 100, Cols: 50, NNZ: 1000, Ordinary: 8, Tuned: 4}
	r.Bytes, r.Min, r.Build = 6000, 2, 40
	for name, c := range map[string][2]float64{
		"bytes per nonzero":    {r.BytesPerNonzero(), 6},
		"bytes per second":     {r.BytesPerSecond(), 3600},
		"speed-up of ordinary": {r.SpeedupOrdinary(), 4},
		"speed-up of tuned":    {r.SpeedupTuned(), 2},
		"products for a build": {r.BuildSpMVs(), 10},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %g, want %g", name, c[0], c[1])
		}
	}
}

func TestStopsAndFaults(t *testing.T) {
	m, x := matrix(t)
	ctx, cancel := context.WithCancel(context.Background())
	opt := options(t)
	opt.Progress = func(string) { cancel() }
	if _, err := Run(ctx, "", m, x, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if _, err := MeasureLimits(ctx, 1<<10, []int{1}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	opt = options(t)
	opt.MaxMemory = m.Bytes() + 1
	if _, err := Run(context.Background(), "", m, x, opt); err == nil {
		t.Error("more than the memory limit is no error")
	}
	opt, notes := options(t), 0
	opt.Specs[0].Layout, opt.Specs[0].Set = adaptive.Slots, opt.Specs[1].Set // no such layout
	opt.Note = func(string) { notes++ }
	if rows, err := Run(context.Background(), "", m, x, opt); err != nil || notes != 1 || len(rows) != 2*3 {
		t.Errorf("%d notes, %d rows, %v; want 1, 6", notes, len(rows), err)
	}
}

func TestMeasureLimits(t *testing.T) {
	limits, err := MeasureLimits(context.Background(), 1<<16, []int{1, 2})
	if err != nil || len(limits) != 2 || !(limits[2].Read > 0 && limits[2].Triad > 0) {
		t.Errorf("%v, %v", limits, err)
	}
}
