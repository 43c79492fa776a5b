package main

import (
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

// TestFigures: the views that are shown exist and have figures.
func TestFigures(t *testing.T) {
	all, err := records.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		if !slices.ContainsFunc(all, func(e records.Experiment) bool {
			return e.ID == f.id && slices.ContainsFunc(e.Views, func(v records.View) bool {
				return v.Name == f.view && v.Figure != nil
			})
		}) {
			t.Errorf("there is no figure %s-%s", f.id, f.view)
		}
	}
}
