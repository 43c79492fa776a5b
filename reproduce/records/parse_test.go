package records

import (
	"slices"
	"strings"
	"testing"
)

func TestAll(t *testing.T) {
	list, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 25 {
		t.Errorf("%d experiments", len(list))
	}
	for i, e := range list {
		if i > 0 && compareIDs(list[i-1].ID, e.ID) >= 0 {
			t.Errorf("%s comes before %s", list[i-1].ID, e.ID)
		}
	}
}

const sound = `paper: P
source: Figure 1
title: T
shows: S
comparable: [storage]
measure:
  - kind: product
    matrices: [B, "@thesis-4.4", A]
    labels: {formats: AP7}
views:
  - {name: v, rows: [matrix], values: [storage], figure: {kind: bars}, where: {matrix: "@thesis-3.3"}}
published:
  - {labels: [matrix], values: [storage], rows: [[A, 1]]}
`

// TestParse: matrices have the order of the file and of the groups.
func TestParse(t *testing.T) {
	e, err := Parse("folder/mine.yaml", []byte(sound))
	if err != nil {
		t.Fatal(err)
	}
	groups, err := Groups()
	if err != nil {
		t.Fatal(err)
	}
	g := e.Measure[0]
	if want := slices.Concat([]string{"B"}, groups["thesis-4.4"], []string{"A"}); e.ID != "mine" || !slices.Equal(g.Matrices, want) || g.Labels["formats"][0] != "AP7" {
		t.Errorf("got %+v", e)
	}
	if want := groups["thesis-3.3"]; !slices.Equal(e.Views[0].Where["matrix"], want) {
		t.Errorf("where: got %v, want %v", e.Views[0].Where["matrix"], want)
	}
}

// TestSizes: a form that takes a share of FP64 CSR has the size of four caches, within limits.
func TestSizes(t *testing.T) {
	s := Sizes{Quick: 10, Full: 1e6, Share: 0.25}
	for _, c := range []struct {
		quick bool
		llc   int64
		want  float64
	}{{true, 3e7, 10}, {false, 3e7, 4e7}, {false, 0, 1e6}, {false, 3e5, 1e6}, {false, 3e9, MostNonzeros}} {
		if got := s.Of(c.quick, c.llc); got != c.want {
			t.Errorf("quick %t, %d bytes of cache: %g nonzeros, want %g", c.quick, c.llc, got, c.want)
		}
	}
	if got := (Sizes{Quick: 10, Full: 20}).Of(false, 1e9); got != 20 {
		t.Errorf("without a share: %g nonzeros", got)
	}
}

func TestParseFaults(t *testing.T) {
	for _, c := range []struct{ old, with, want string }{
		{"title: T", "titel: T", "line 3: field titel not found"},
		{"title: T\n", "", "title is missing"},
		{"kind: bars", "kind: pie", `unknown kind of figure "pie"`},
		{"@thesis-4.4", "@mine", "no group of matrices @mine"},
		{"values: [storage], figure", "values: [time], figure", "time is neither in comparable nor in ratios"},
		{"[[A, 1]]", "[[A]]", "want 2 labels and values"},
		{"[[A, 1]]", "[[A, many]]", "many is neither a number"},
		{"name: v,", "name: a/b,", "want a unique name of letters and digits"},
		{"kind: bars", "kind: bars, panels: epsilon", "panels epsilon"},
		{"kind: bars", "kind: history", "a history needs"},
		{"paper: P", "paper: [P", "yaml"},
	} {
		_, err := Parse("mine.yaml", []byte(strings.Replace(sound, c.old, c.with, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) && c.want != "yaml" {
			t.Errorf("with %s: got %v, want %s", c.with, err, c.want)
			continue
		}
		if strings.Contains(err.Error(), "\n") && c.want != "yaml" {
			t.Errorf("with %s: more than a line: %v", c.with, err)
		}
	}
}
