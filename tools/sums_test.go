package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCompiledSums compares the sums of compiled code with those of its source and its generator.
func TestCompiledSums(t *testing.T) {
	for _, c := range []compiled{compiledKernels, compiledForGPUs} {
		sums, err := c.now("..")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.compare("..", sums); err != nil {
			t.Error(err)
		}
	}
}

// TestCompiledSumsNotice changes, adds and removes files.
func TestCompiledSumsNotice(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := compiled{sums: "SHA256SUMS", of: []string{"*.c", "*.s"}}
	write("a.c", "source")
	write("b.c", "more source")
	write("a.s", "code")
	sums, err := c.now(dir)
	if err != nil {
		t.Fatal(err)
	}
	write(c.sums, string(sums))
	for _, test := range []struct{ change, want string }{
		{"a.c", "a.c changed"}, {"a.s", "a.s changed"}, {"d.c", "d.c changed"}, {"", "not there"},
	} {
		was, err := os.ReadFile(filepath.Join(dir, "a.c"))
		if err != nil {
			t.Fatal(err)
		}
		if test.change == "" {
			err = os.Remove(filepath.Join(dir, "b.c"))
		} else {
			write(test.change, "something else")
		}
		if err != nil {
			t.Fatal(err)
		}
		now, err := c.now(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.compare(dir, now); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("after a change of %q: %v, want %s", test.change, err, test.want)
		}
		write("a.c", string(was))
		write("a.s", "code")
		os.Remove(filepath.Join(dir, "d.c"))
	}
}
