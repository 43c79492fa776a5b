package adaptive

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// recorded is a line of testdata/layouts.jsonl: the speeds of the layouts of a
// matrix relative to tuned FP64 CSR, on one core of a Zen 5.
type recorded struct {
	Matrix  string
	Epsilon float64
	Speed   map[Layout]float64
}

var all = flag.Bool("all", false, "the largest matrices as well, in TestChoicesAgainstMeasurements")

// largest are the matrices that take most of the time to be made.
var largest = []string{
	"G3_circuit.mtx.gz", "Andrews.mtx.gz", "elasticity3d,n=46", "elasticity3d,n=30", "poisson2d,n=2000,decades=4", "poisson3d,n=100,decades=4",
	"stencil27,n=60,window=4096", "stencil27,n=60", "powerlaw,n=1000000", "convdiff3d,n=60",
}

// The layouts that the model chooses are, as measured, no slower than FP64 CSR and
// not much slower than the fastest: but for noise, and a few matrices in the cache.
func TestChoicesAgainstMeasurements(t *testing.T) {
	if testing.Short() {
		t.Skip("generates large matrices")
	}
	file, err := os.Open(filepath.Join("testdata", "layouts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	pool := newPool(t, 2)
	matrices := map[string]*csr.Matrix{}
	count, slower, far, lost := 0, 0, 0, 0.
	for from := json.NewDecoder(file); from.More(); {
		var r recorded
		if err := from.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(largest, r.Matrix) && !*all {
			continue
		}
		m, known := matrices[r.Matrix]
		if !known {
			m = recordedMatrix(t, r.Matrix)
			clear(matrices) // one at a time
			matrices[r.Matrix] = m
		}
		if m == nil {
			continue
		}
		b, err := newBuilder(m, Spec{Set: set(t, "AFX"), Epsilon: r.Epsilon, Model: recordedModel(t)}, pool)
		if err != nil {
			t.Fatal(err)
		}
		chosen := goldenSample(b)
		best := CSR
		r.Speed[CSR] = 1
		for l, s := range r.Speed {
			if s > r.Speed[best] {
				best = l
			}
		}
		count++
		share := r.Speed[chosen.layout] / r.Speed[best]
		lost += 1 - share
		switch {
		case r.Speed[chosen.layout] < 0.95:
			slower++
		case share < 0.85:
			far++
		default:
			continue
		}
		t.Logf("%s at %g: %s, %.2f times as fast as FP64 CSR (%s); %s %.2f", r.Matrix, r.Epsilon,
			chosen.layout, r.Speed[chosen.layout], chosen.reason, best, r.Speed[best])
	}
	t.Logf("%d choices: %d slower than FP64 CSR, %d more than 15 %% slower than the best, %.1f %% lost on average",
		count, slower, far, 100*lost/float64(count))
	if 50*slower > count || lost > 0.03*float64(count) {
		t.Error("more than 2 % of the choices are slower than FP64 CSR, or more than 3 % of the speed is lost")
	}
}

// recordedModel is the model of the processor that the record and the golden choices are of.
func recordedModel(t *testing.T) *Model {
	t.Helper()
	list := Models()
	k := slices.IndexFunc(list, func(m *Model) bool { return m.Name == "Zen 5, avx512" })
	if k < 0 {
		t.Fatal("no model of Zen 5")
	}
	return list[k]
}

// recordedMatrix reads or generates a matrix; nil if it is not there.
func recordedMatrix(t *testing.T, name string) *csr.Matrix {
	if real, ok := strings.CutSuffix(name, ".mtx.gz"); ok {
		if _, err := os.Stat(filepath.Join("..", "..", "..", "shared", "matrices", name)); err != nil {
			return nil
		}
		return testsupport.Matrix(t, real)
	}
	kind, params, _ := strings.Cut(name, ",")
	p := generate.Params{}
	for _, param := range strings.Split(params, ",") {
		if key, value, ok := strings.Cut(param, "="); ok {
			v, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			p[key] = v
		}
	}
	return generated(t, kind, p)
}

// For double-double vectors the layout in FP64 is what has to be filled up least.
func TestChooseFP64DD(t *testing.T) {
	for _, c := range []struct {
		kind string
		p    generate.Params
		want Layout
	}{
		{"poisson3d", generate.Params{"n": 12}, SELL8},
		{"stencil27", generate.Params{"n": 9}, SELL8},
		{"elasticity3d", generate.Params{"n": 6}, BCRS4x1},
		{"powerlaw", generate.Params{"n": 2000}, CSR},
	} {
		m := generated(t, c.kind, c.p)
		a := build(t, m, Spec{Set: set(t, "FP64"), Epsilon: MinEpsilon, DD: true})
		if a.Layout() != c.want {
			t.Errorf("%s: %s, want %s", c.kind, a.LayoutText(), c.want)
		}
		if _, err := a.DD(); err != nil {
			t.Error(err)
		}
	}
}

// With AFX it is one that has such products.
func TestChooseAFXForDD(t *testing.T) {
	for _, kind := range []string{"elasticity3d", "stencil27"} {
		m := generated(t, kind, generate.Params{"n": 6})
		a := build(t, m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-24, DD: true})
		if _, err := a.DD(); err != nil {
			t.Error(err)
		}
	}
	for _, s := range []Spec{
		{Set: set(t, "AP7"), Epsilon: 0x1p-24, DD: true},
		{Set: set(t, "AFX"), Epsilon: 0x1p-24, DD: true, Layout: Blocks},
	} {
		if s.Validate() == nil {
			t.Errorf("%v has products with double-double vectors", s)
		}
	}
}

// What is filled up is refused before memory is allocated, and left alone where the layout is free.
func TestFilledUp(t *testing.T) {
	lengths := func(i int) int { return 1 + 600*(1-min(1, i%8)) } // one long row in each chunk
	m := pattern(t, 640, 640, lengths)
	for _, l := range []Layout{SELL8, BCRS4x1, ELL} {
		a := build(t, m, Spec{Set: set(t, "FP64"), Epsilon: MinEpsilon, Layout: l})
		bytes := a.(*matrix).stored.bytes()
		spec := Spec{Set: set(t, "FP64"), Epsilon: MinEpsilon, Layout: l, MaxBytes: bytes}
		if _, err := Build(m, spec, nil); err != nil {
			t.Errorf("%s in the %d bytes that it takes: %v", l, bytes, err)
		}
		spec.MaxBytes--
		if _, err := Build(m, spec, nil); !errors.Is(err, ErrMemory) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s in less than %d bytes: %v", l, bytes, err)
		}
	}
	m = generated(t, "poisson3d", generate.Params{"n": 12})
	a := build(t, m, Spec{Set: set(t, "FP64"), Epsilon: MinEpsilon, DD: true, MaxBytes: 1})
	if a.Layout() != CSR || !strings.Contains(a.LayoutText(), "sell8 takes too much memory") {
		t.Error(a.LayoutText())
	}
}
