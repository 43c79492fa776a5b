package adaptive

import (
	"errors"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/generate"
)

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
