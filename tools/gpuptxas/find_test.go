package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A program that $PTXAS names comes first, and one that says no release is no ptxas.
func TestFind(t *testing.T) {
	program := filepath.Join(t.TempDir(), "ptxas")
	write := func(says string) {
		if err := os.WriteFile(program, []byte("#!/bin/sh\necho '"+says+"'\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write("Cuda compilation tools, release 12.4, V12.4.131")
	t.Setenv("PTXAS", program)
	if path, err := find(); err != nil || path != program {
		t.Errorf("%s, %v", path, err)
	}
	if v, err := versionOf(program); err != nil || v != "12.4" {
		t.Errorf("%q, %v", v, err)
	}
	write("something else")
	if v, err := versionOf(program); err == nil {
		t.Errorf("release %q", v)
	}
	t.Setenv("PTXAS", program+"-none")
	if _, err := find(); err == nil {
		t.Error("a program that is not there is found")
	}
}
