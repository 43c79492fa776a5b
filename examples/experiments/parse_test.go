package experiments

import (
	"slices"
	"strings"
	"testing"
)

const short = `
paper: Molina24
source: Figure 3.3
title: a title
shows: something
comparable: [storage]
measure: [{kind: product, matrices: [ss, "@thesis-4.4", RM07R]}]
views: [{name: storage, rows: [matrix], values: [storage], where: {matrix: "@thesis-3.3"}}]
`

// TestMatrices wants names in the order of the file and of the groups.
func TestMatrices(t *testing.T) {
	e, err := Parse("short.yaml", []byte(short))
	if err != nil {
		t.Fatal(err)
	}
	groups, err := Groups()
	if err != nil {
		t.Fatal(err)
	}
	if want := append([]string{"ss"}, groups["thesis-4.4"]...); !slices.Equal(e.Measure[0].Matrices, want) {
		t.Errorf("got %v, want %v", e.Measure[0].Matrices, want)
	}
	if want := groups["thesis-3.3"]; !slices.Equal(e.Views[0].Where["matrix"], want) {
		t.Errorf("where: got %v, want %v", e.Views[0].Where["matrix"], want)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{short + "published: [{labels: [matrix], values: [storage], rows: [[ss, many]]}]", "many is neither a number"},
		{short + "published: [{labels: [matrix], values: [storage], rows: [[ss]]}]", "want 2 labels and values"},
		{strings.Replace(short, "thesis-3.3", "none", 1), "no group of matrices @none"},
		{strings.Replace(short, "title:", "titel:", 1), "titel"},
	} {
		if _, err := Parse("short.yaml", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestAll(t *testing.T) {
	if _, err := All(); err != nil {
		t.Error(err)
	}
}
