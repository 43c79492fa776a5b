package lab

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

func convection(t *testing.T) (*csr.Matrix, []float64) {
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

func spmvOptions(t *testing.T) Options {
	return Options{
		Specs:   []adaptive.Spec{spec(t, "AFX", adaptive.Bucketed), spec(t, "FP32", adaptive.LayoutAuto)},
		Threads: []int{1, 2}, Repeat: 3,
		Bandwidth: map[int]Bandwidth{1: {Read: 2e9, Triad: 1e9}},
		Note:      func(text string) { t.Error(text) }, Progress: func(string) {},
	}
}

func TestSpMV(t *testing.T) {
	m, x := convection(t)
	rows, err := SpMV(t.Context(), "name", m, x, spmvOptions(t))
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

// Sets of kernels are compared in one run: each has its own baseline and choice.
func TestSpMVOfSets(t *testing.T) {
	m, x := convection(t)
	opt := spmvOptions(t)
	opt.Threads, opt.Specs = []int{1}, nil
	for _, k := range kernels.Sets() {
		for _, layout := range []adaptive.Layout{adaptive.LayoutAuto, adaptive.CSR, adaptive.Bucketed} {
			s := spec(t, "AFX", layout)
			s.Kernels = k.String()
			opt.Specs = append(opt.Specs, s)
		}
	}
	rows, err := SpMV(t.Context(), "name", m, x, opt)
	if err != nil {
		t.Fatal(err)
	}
	tuned := map[string]float64{}
	for _, r := range rows {
		if r.Layout == TunedCSR {
			tuned[r.Kernels] = r.Min
		}
	}
	if len(tuned) != len(kernels.Sets()) {
		t.Errorf("tuned CSR of %d sets, want %d", len(tuned), len(kernels.Sets()))
	}
	for _, r := range rows[1:] {
		if r.Tuned != tuned[r.Kernels] || len(tuned) > 1 && !strings.HasSuffix(r.Name, ", "+r.Kernels) {
			t.Errorf("%s with %s is compared with %g, want %g", r.Name, r.Kernels, r.Tuned, tuned[r.Kernels])
		}
	}
	regrets := Regrets(rows)
	if len(regrets) != len(tuned) {
		t.Errorf("%d choices, want %d", len(regrets), len(tuned))
	}
	for _, r := range regrets {
		if r.Chosen.Kernels != r.Fastest.Kernels {
			t.Errorf("%s is compared with %s", r.Chosen.Name, r.Fastest.Name)
		}
	}
}

func TestRatios(t *testing.T) {
	r := Row{Ordinary: 8, Tuned: 4}
	r.Stored, r.Min = Stored{Rows: 100, Cols: 50, NNZ: 1000, Bytes: 6000, Build: 40}, 2
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

func TestSpMVFaults(t *testing.T) {
	m, x := convection(t)
	ctx, cancel := context.WithCancel(t.Context())
	opt := spmvOptions(t)
	opt.Progress = func(string) { cancel() }
	if _, err := SpMV(ctx, "", m, x, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	opt = spmvOptions(t)
	opt.MaxMemory = m.Bytes() + 1
	if _, err := SpMV(t.Context(), "", m, x, opt); err == nil {
		t.Error("more than the memory limit is no error")
	}
	opt, notes := spmvOptions(t), 0
	opt.Specs[0].Layout, opt.Specs[0].Set = adaptive.Slots, opt.Specs[1].Set // no such layout
	opt.Note = func(string) { notes++ }
	if rows, err := SpMV(t.Context(), "", m, x, opt); err != nil || notes != 1 || len(rows) != 2*3 {
		t.Errorf("%d notes, %d rows, %v; want 1, 6", notes, len(rows), err)
	}
}

func TestSeveral(t *testing.T) {
	m, x := convection(t)
	opt := spmvOptions(t)
	opt.Vectors = []int{2, 3}
	rows, err := SpMV(t.Context(), "name", m, x, opt)
	if err != nil {
		t.Fatal(err)
	}
	for k, r := range rows {
		if r.Layout == OrdinaryCSR {
			if len(r.Several) != 0 {
				t.Errorf("row %d: ordinary CSR with several vectors", k)
			}
			continue
		}
		if len(r.Several) != 2 || r.Several[0].Vectors != 2 || r.Several[1].Vectors != 3 || !(r.Several[1].Min > 0) {
			t.Errorf("row %d: %+v", k, r.Several)
		}
	}
}

// Worked by hand: CSR takes 8 seconds with two vectors at once and 5 with one, ordinary CSR takes 6; two at once are
// the fastest.
func TestSpeedupsOfSeveral(t *testing.T) {
	two := func(seconds float64) []Several { return []Several{{2, Time{Min: seconds}}} }
	rows := []Row{{Ordinary: 6}, {}, {}}
	rows[0].Min, rows[0].Layout = 6, OrdinaryCSR
	rows[1].Min, rows[1].Layout, rows[1].Several = 5, TunedCSR, two(8)
	rows[2].Min, rows[2].Several = 3, two(4)
	s := rows[2].Several[0]
	if a, c, f := rows[2].SpeedupAlone(s), SpeedupCSR(rows, s), s.ForEach(); a != 1.5 || c != 2 || f != 2 {
		t.Errorf("alone %g, CSR %g, for each %g; want 1.5, 2, 2", a, c, f)
	}
	if moved := (Stored{Rows: 10, Cols: 20, Bytes: 100}).MovedWith(2); moved != 580 {
		t.Errorf("%d bytes, want 580", moved)
	}
}
