package lab

import (
	"context"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// The layouts that are chosen on this processor with each set of kernels are no slower here than FP64 CSR, and little
// slower than the fastest ones. The test measures times, so it runs only on request:
//
// \tgo test ./lab -run Choices -v
// \tgo test ./lab -run Choices/avx2 -v
func TestChoices(t *testing.T) {
	if run := flag.Lookup("test.run"); run == nil || !strings.Contains(run.Value.String(), "Choices") {
		t.Skip("measures the processor: go test ./lab -run Choices")
	}
	for _, k := range kernels.Sets() {
		if k.HasFastSlots() { // otherwise auto is always FP64 CSR
			t.Run(k.String(), func(t *testing.T) { testChoices(t, k) })
		}
	}
}

func testChoices(t *testing.T, k *kernels.Set) {
	const (
		slower = 1.10 // most that a choice may take, relative to FP64 CSR, noise included
		lost   = 0.06 // largest share of time by which the fastest layouts beat the chosen ones, on average
	)
	sum, count := 0., 0
	for _, c := range []struct {
		kind string
		generate.Params
	}{
		{"poisson2d", generate.Params{"n": 50}},
		{"poisson2d", generate.Params{"n": 1000, "decades": 4}},
		{"poisson3d", generate.Params{"n": 20}},
		{"poisson3d", generate.Params{"n": 100, "decades": 4}},
		{"elasticity3d", generate.Params{"n": 8}},
		{"elasticity3d", generate.Params{"n": 30}},
		{"stencil27", generate.Params{"n": 15}},
		{"stencil27", generate.Params{"n": 60, "window": 4096}},
		{"powerlaw", generate.Params{"n": 10000}},
		{"powerlaw", generate.Params{"n": 1000000}},
		{"convdiff3d", generate.Params{"n": 60}},
		{"wathen", generate.Params{"nx": 100, "ny": 100}},
		{"trefethen", generate.Params{"n": 20000}},
	} {
		m, err := generate.Generate(c.kind, c.Params)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range regrets(t, k, m) {
			name := c.kind
			if times := 1 / r.Chosen.SpeedupTuned(); times > slower && r.Chosen.Layout != string(adaptive.CSR) {
				t.Errorf("%s %v: %s takes %.2f times as long as tuned CSR", name, c.Params, r.Chosen.Name, times)
			}
			if r.Share() > 1.1 {
				t.Logf("%s %v: %s takes %.2f times as long as %s", name, c.Params, r.Chosen.Name, r.Share(), r.Fastest.Name)
			}
			sum += 1 - 1/r.Share()
			count++
		}
	}
	t.Logf("%d choices lose %.1f %% on average", count, 100*sum/float64(count))
	if sum > lost*float64(count) {
		t.Errorf("that is more than %.0f %%; mpsolve calibrate measures this processor", 100*lost)
	}
}

// regrets measures all layouts of a matrix on one thread.
func regrets(t *testing.T, k *kernels.Set, m *csr.Matrix) []Regret {
	t.Helper()
	set, err := adaptive.LookupSet("AFX")
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{Threads: []int{1}, Repeat: 100, Budget: 700 * time.Millisecond, Note: func(string) {}, Progress: func(string) {}}
	pool := parallel.New(1)
	defer pool.Close()
	for _, epsilon := range []float64{0x1p-24, 0x1p-37, 0x1p-53} {
		for _, l := range adaptive.Layouts {
			spec := adaptive.Spec{Set: set, Epsilon: epsilon, Criterion: adaptive.NW, Layout: l, Kernels: k.String()}
			if spec.Validate() == nil && l != adaptive.Bucketed {
				opt.Specs = append(opt.Specs, spec)
			}
		}
	}
	rows, err := SpMV(context.Background(), "", m, generate.RandomVector(m.Cols, 1), opt)
	if err != nil {
		t.Fatal(err)
	}
	return Regrets(rows)
}
