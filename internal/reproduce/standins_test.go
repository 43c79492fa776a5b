package reproduce

import (
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/examples/experiments"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// productLabels are the sets of the papers and ours, at each target and criterion.
func productLabels(t *testing.T) map[string]experiments.Words {
	t.Helper()
	g := experiments.Grid{Kind: "product", Matrices: experiments.Words{"Serena"}, Labels: map[string]experiments.Words{
		formatsLabel:   {"AP2", "AP3", "AP4", "AP7", "AP7RE", "AP7REU", "AFX"},
		epsilonLabel:   {"2^-53", "2^-37", "2^-24"},
		criterionLabel: {"nw", "cw"},
	}}
	if err := complete(&g, []int{2}); err != nil {
		t.Fatal(err)
	}
	return g.Labels
}

// TestStandIns stores every stand-in of the tables of matrices in every way: it
// takes the bytes that were predicted, and the error of a product is of order
// epsilon.
func TestStandIns(t *testing.T) {
	groups, err := experiments.Groups()
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Compact(slices.Sorted(slices.Values(slices.Concat(groups["thesis-3.2"], groups["thesis-4.4"]))))
	if testing.Short() {
		names = names[:4]
	}
	labels := productLabels(t)
	pool := linop.NewPool(2)
	defer pool.Close()
	for _, name := range names {
		s, ok, err := Options{}.source(name, 3e4)
		if err != nil || !ok {
			t.Fatalf("%s: no stand-in, %v", name, err)
		}
		m, err := s.load(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		points, made := product().points(labels), 0
		in := input{matrix: m, name: name, pool: pool, quick: true, progress: func(string) {}, late: func() bool { return false }}
		in.emit = func(p point, r result) error {
			made++
			checkStandIn(t, name, p, r)
			return nil
		}
		if err := measureProducts(t.Context(), in, points); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if made != len(points) || made < 30 {
			t.Errorf("%s: %d of %d products", name, made, len(points))
		}
	}
}

func checkStandIn(t *testing.T, name string, p point, r result) {
	t.Helper()
	if len(r.values) == 0 {
		t.Errorf("%s %s: %v", name, p.text(), r.notes)
		return
	}
	v := r.values
	if p[formatsLabel] != "AFX" && r.notes["layout"] != string(adaptive.Bucketed) {
		t.Errorf("%s %s: layout %s", name, p.text(), r.notes["layout"])
	}
	if r.notes["layout"] == string(adaptive.Bucketed) && v["bytes"] != v["predicted"] {
		t.Errorf("%s %s: %.0f bytes, %.0f were predicted", name, p.text(), v["bytes"], v["predicted"])
	}
	epsilon, err := adaptive.ParseEpsilon(p[epsilonLabel])
	if err != nil {
		t.Fatal(err)
	}
	e := v["error_nw"]
	if p[criterionLabel] == "cw" {
		e = v["error_row"]
	}
	if e > v["bound"] {
		t.Errorf("%s %s: error %.2g is above the bound %.2g", name, p.text(), e, v["bound"])
	}
	if e < epsilon/100 {
		t.Errorf("%s %s: error %.2g is far below epsilon %.2g", name, p.text(), e, epsilon)
	}
}
