package main

import "testing"

// The source has what the mutants change: a change of the source is one of the list, too.
func TestMutantsOccur(t *testing.T) {
	t.Chdir("..")
	groups, err := mutants()
	if err != nil {
		t.Error(err)
	}
	if len(groups) == 0 {
		t.Error("the list is empty")
	}
}
