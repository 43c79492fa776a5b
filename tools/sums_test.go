package main

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// TestCompiledSums compares the sums of compiled code with those of its source and its generator.
func TestCompiledSums(t *testing.T) {
	for _, c := range []compiled{compiledKernels, compiledForGPUs} {
		if err := c.compare(".."); err != nil {
			t.Error(err)
		}
	}
}

// TestCompiledSumsNotice changes, adds and removes files.
func TestCompiledSumsNotice(t *testing.T) {
	c := compiled{sums: "SHA256SUMS", of: []string{"*.c", "*.s"}}
	for _, test := range []struct{ change, want string }{
		{"a.c", "a.c changed"}, {"a.s", "a.s changed"}, {"d.c", "d.c changed"}, {"", "not there"},
	} {
		t.Chdir(t.TempDir())
		write := func(name, text string) {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		write("a.c", "source")
		write("b.c", "more source")
		write("a.s", "code")
		if err := errors.Join(c.write(false), c.write(true)); err != nil {
			t.Fatal(err)
		}
		if test.change != "" {
			write(test.change, "something else")
		} else if err := os.Remove("b.c"); err != nil {
			t.Fatal(err)
		}
		if err := c.write(true); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("after a change of %q: %v, want %s", test.change, err, test.want)
		}
	}
}
