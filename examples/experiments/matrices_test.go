package experiments

import (
	"slices"
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
