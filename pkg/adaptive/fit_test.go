package adaptive

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/generate"
)

// productsOf counts the work of products with small matrices in all layouts.
func productsOf(t *testing.T, model *Model) (list []Work) {
	t.Helper()
	pool := newPool(t, 1)
	for _, m := range []struct {
		kind string
		generate.Params
	}{
		{"poisson2d", generate.Params{"n": 30}},
		{"poisson3d", generate.Params{"n": 10}},
		{"elasticity3d", generate.Params{"n": 5}},
		{"stencil27", generate.Params{"n": 8}},
		{"powerlaw", generate.Params{"n": 1000}},
	} {
		a := generated(t, m.kind, m.Params)
		for _, e := range []float64{0x1p-24, 0x1p-53} {
			works, err := NewWorks(a, Spec{Set: set(t, "AFX"), Epsilon: e, Model: model}, pool)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, works...)
		}
	}
	if len(list) < 30 {
		t.Fatalf("%d products", len(list))
	}
	return list
}

// A fit to times that a model gives finds that model, as far as the products show it, from
// another one.
func TestFit(t *testing.T) {
	known := recordedModel(t)
	truth := *known
	truth.times[gatherWork] *= 2
	truth.times[csrWork] /= 2
	truth.times[valueWork] *= 3
	products := productsOf(t, known)
	for k := range products {
		products[k].Seconds = 1e-9 * truth.time(products[k].cost, products[k].footprint)
	}
	fit, err := known.Fit("fit", products, 0.03)
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range products {
		if got, want := fit.time(p.cost, p.footprint), 1e9*p.Seconds; math.Abs(got-want) > 0.06*want {
			t.Errorf("product %d: %.0f ns, want %.0f", k, got, want)
		}
	}
	for _, k := range []work{gatherWork, csrWork, valueWork} {
		if got, want := fit.times[k], truth.times[k]; math.Abs(got-want) > 0.25*want {
			t.Errorf("%s: %g, want %g", workNames[k], got, want)
		}
	}
	if got, want := fit.times[tileWork], known.scaledTo(products)[tileWork]; math.Abs(got-want) > 0.05*want {
		t.Errorf("tiles, which no product has: %g, want %g, as much slower as all products", got, want)
	}
}

// However loyal a fit is, it finds a processor that is slower in everything, and errors of single products change it little.
func TestFitLoyal(t *testing.T) {
	known := recordedModel(t)
	products := productsOf(t, known)
	for k := range products {
		products[k].Seconds = 2e-9 * known.time(products[k].cost, products[k].footprint) * (1 + 0.2*float64(k%3-1))
	}
	fit, err := known.Fit("fit", products, 2)
	if err != nil {
		t.Fatal(err)
	}
	for k, got := range fit.times {
		if want := 2 * known.times[k]; math.Abs(got-want) > 0.1*want {
			t.Errorf("%s: %g, want %g", workNames[k], got, want)
		}
	}
}

// A model that was written is read as it was; one with a fault is refused.
func TestModelFile(t *testing.T) {
	data, err := json.Marshal(recordedModel(t))
	if err != nil {
		t.Fatal(err)
	}
	var m Model
	if err := json.Unmarshal(data, &m); err != nil || m != *recordedModel(t) {
		t.Errorf("%v, %v", m, err)
	}
	for _, c := range [][2]string{
		{`"slot":2.7`, `"slot":0`},
		{`"slot":2.7`, `"slot":-1`},
		{`"slot":2.7,`, ``},
		{`"memory":40`, `"memory":0`},
		{`"core":1048576`, `"core":0`},
		{`{`, `[`},
	} {
		faulty := strings.Replace(string(data), c[0], c[1], 1)
		if faulty == string(data) {
			t.Fatalf("no %s in %s", c[0], data)
		}
		if err := json.Unmarshal([]byte(faulty), &m); err == nil {
			t.Errorf("%s instead of %s is accepted", c[1], c[0])
		}
	}
}

// Every row of the table of processors has a time for all work, and the last one of each tier is
// for any processor.
func TestProcessors(t *testing.T) {
	for _, p := range processors {
		data, err := json.Marshal(&p.Model)
		if err != nil {
			t.Fatal(err)
		}
		var m Model
		if err := json.Unmarshal(data, &m); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}
