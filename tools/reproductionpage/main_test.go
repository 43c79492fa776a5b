package main

import (
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/examples/experiments"
)

// TestFigures: there are the views that are shown, and they have figures.
func TestFigures(t *testing.T) {
	all, err := experiments.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		if !slices.ContainsFunc(all, func(e experiments.Experiment) bool {
			return e.ID == f.id && slices.ContainsFunc(e.Views, func(v experiments.View) bool {
				return v.Name == f.view && v.Figure != nil
			})
		}) {
			t.Errorf("there is no figure %s-%s", f.id, f.view)
		}
	}
}
