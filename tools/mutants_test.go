package main

import "testing"

// The source has the old text of every mutant: whoever changes the source updates the list.
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
