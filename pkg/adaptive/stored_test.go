package adaptive

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/formats"
)

// The largest element of a row and the diagonal are kept however small, but in paper-exact mode.
func TestKeptElements(t *testing.T) {
	m := entries(
		[]float64{1, 0x1p-60, 0},
		[]float64{0x1p-70, -0x1p-80, 0x1p-90},
		[]float64{0, 0, 0x1p-1000},
	)
	for _, s := range specs() {
		if s.Criterion != NW || s.NoDrop {
			continue
		}
		a := decoded(build(t, m, s))
		for i, j := range []int{0, 0, 2} {
			if s.PaperExact {
				if i > 0 && slices.ContainsFunc(a[i], func(v float64) bool { return v != 0 }) {
					t.Errorf("%s: row %d is below epsilon T and was kept", s.name(), i+1)
				}
				continue
			}
			if a[i][j] == 0 {
				t.Errorf("%s: the largest element of row %d was dropped", s.name(), i+1)
			}
			if v := a[i][i]; v == 0 || math.Signbit(v) != math.Signbit(m.At(i, i)) {
				t.Errorf("%s: diagonal element %d became %g", s.name(), i+1, v)
			}
		}
	}
}

// Rows of zeros, explicit zeros, and matrices without any element.
func TestZeros(t *testing.T) {
	m := entries([]float64{1, 2}, []float64{0, 0})
	m.Val[1] = 0 // explicit
	empty := entries([]float64{0, 0}, []float64{0, 0})
	for _, s := range specs() {
		if a := decoded(build(t, m, s)); !slices.Equal(a[0], []float64{1, 0}) || !slices.Equal(a[1], []float64{0, 0}) {
			t.Errorf("%s: %v", s.name(), a)
		}
		if n := build(t, m, s).Stats().NNZ; n != 1 {
			t.Errorf("%s: %d nonzeros", s.name(), n)
		}
		if a := decoded(build(t, empty, s)); !slices.Equal(a[0], []float64{0, 0}) {
			t.Errorf("%s: %v", s.name(), a)
		}
	}
}

// Elements below the normal range of float64, alone or beside ordinary ones.
func TestSubnormals(t *testing.T) {
	tiny := entries([]float64{0x1p-1074, 0x1.8p-1050}, []float64{-0x1p-1060, 0x1p-1040})
	mixed := entries([]float64{1, 0x1p-1074}, []float64{-0x1p-1060, 0x1p-1040})
	for _, s := range specs() {
		if s.NoDrop {
			continue
		}
		theta := s.Epsilon * 2 // for truncation
		a := decoded(build(t, tiny, s))
		for i, row := range a {
			for j, v := range row {
				norm := 0x1p-1040 + 0x1p-1060
				if s.Criterion == CW && i == 0 {
					norm = 0x1.8p-1050 + 0x1p-1074
				}
				if d := math.Abs(v - tiny.At(i, j)); d > theta*norm+0x1p-1074 {
					t.Errorf("%s: %g became %g", s.name(), tiny.At(i, j), v)
				}
			}
		}
		dropped := s.PaperExact && s.Criterion == NW
		if a := decoded(build(t, mixed, s)); a[0][0] != 1 || (a[1][1] == 0) != dropped {
			t.Errorf("%s: %v", s.name(), a)
		}
	}
}

func TestNotFinite(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(-1)} {
		m := entries([]float64{1, 2}, []float64{3, v})
		if _, err := Build(m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-24}, newPool(t, 1)); err == nil || !strings.Contains(err.Error(), "row 2") {
			t.Errorf("%g: got %v", v, err)
		}
	}
}

// Uniform formats store everything, or say what they have no range for.
func TestUniform(t *testing.T) {
	m := entries([]float64{1, -0.4, 0}, []float64{0x1p-9, 3, 0x1p-300}, []float64{0, 0, -1.7})
	for _, f := range formats.All() {
		s := Spec{Set: set(t, f.Name), Epsilon: 0x1p-24}
		a, err := Build(m, s, newPool(t, 1))
		if f.Kind == formats.Relative {
			if err == nil || !strings.Contains(err.Error(), "out of the range of "+f.Name) {
				t.Errorf("%s: got %v", f.Name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		for i, row := range decoded(a) {
			for j, v := range row {
				u := f.UnitRoundoff() * math.Abs(m.At(i, j))
				if f.Kind == formats.Fixed {
					u = math.Ldexp(1, 5-8*f.Bytes)
				}
				if math.Abs(v-m.At(i, j)) > u+0x1p-120 {
					t.Errorf("%s: element %d, %d is %g, not %g", f.Name, i+1, j+1, v, m.At(i, j))
				}
			}
		}
		if a.Stats().Dropped != 0 {
			t.Errorf("%s: %d dropped", f.Name, a.Stats().Dropped)
		}
	}
	even := entries([]float64{1, -0.4}, []float64{0.1, 3})
	for _, name := range []string{"RPRE16", "RPREU40"} {
		if a := decoded(build(t, even, Spec{Set: set(t, name), Epsilon: 0x1p-24})); math.Abs(a[0][1]+0.4) > 1e-4 {
			t.Errorf("%s: %v", name, a)
		}
	}
}

// The exact criterion, for a given x, keeps the componentwise error of that
// product within epsilon per term.
func TestExactCriterion(t *testing.T) {
	m := entries([]float64{1, 1e-3, 1e-9}, []float64{1e-9, 1, 5}, []float64{1, 2, 3})
	x := []float64{1e-6, 1, 1e6}
	a := build(t, m, Spec{Set: set(t, "AP7"), Epsilon: 0x1p-20, Criterion: Exact, X: x})
	y, want := make([]float64, 3), make([]float64, 3)
	a.Apply(y, x)
	m.MulVec(want, x)
	for i := range y {
		if math.Abs(y[i]-want[i]) > 3*0x1p-20*want[i] { // all terms are positive
			t.Errorf("row %d: %g, want %g", i+1, y[i], want[i])
		}
	}
	if _, err := Build(m, Spec{Set: set(t, "AP7"), Epsilon: 0x1p-20, Criterion: Exact}, newPool(t, 1)); err == nil {
		t.Error("no x is no error")
	}
}

func TestValidate(t *testing.T) {
	afx, ap7 := set(t, "AFX"), set(t, "ap7")
	for _, c := range []struct {
		s    Spec
		want string
	}{
		{Spec{Set: afx, Epsilon: 0x1p-24}, ""},
		{Spec{Set: afx, Epsilon: 0x1p-53, GuardBits: 2}, ""},
		{Spec{Set: afx, Epsilon: 0x1p-24, GuardBits: 1, NoDrop: true}, ""},
		{Spec{Epsilon: 0x1p-24}, "no format set"},
		{Spec{Set: ap7, Epsilon: 0x1p-54}, "not in [2^-53, 1)"},
		{Spec{Set: ap7, Epsilon: 1}, "not in [2^-53, 1)"},
		{Spec{Set: ap7, Epsilon: math.NaN()}, "not in [2^-53, 1)"},
		{Spec{Set: ap7, Epsilon: 0.1, Criterion: "mw"}, "unknown criterion"},
		{Spec{Set: ap7, Epsilon: 0.1, GuardBits: 1}, "guard bits need AFX"},
		{Spec{Set: afx, Epsilon: 0.1, GuardBits: -1}, "guard bits"},
		{Spec{Set: afx, Epsilon: 0x1p-53, GuardBits: 3}, "more than 55 bits"},
		{Spec{Set: afx, Epsilon: 0.1, NoDrop: true}, "at least one guard bit"},
		{Spec{Set: afx, Epsilon: 0.1, PaperExact: true}, "not in the papers"},
		{Spec{Set: set(t, "AP7RE"), Epsilon: 0.1, Criterion: Exact}, "exact criterion needs"},
		{Spec{Set: ap7, Epsilon: 0.1, Layout: Slots}, "layout slots needs AFX"},
		{Spec{Set: afx, Epsilon: 0.1, Layout: "ellpack"}, "unknown layout"},
		{Spec{Set: afx, Epsilon: 0.1, Kernels: "portable"}, ""},
		{Spec{Set: afx, Epsilon: 0.1, Kernels: "sse"}, `no kernels "sse"`},
	} {
		err := c.s.Validate()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.s.name(), err, c.want)
		}
	}
}
