package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSite makes the site of this repository: no link of its pages may be broken.
func TestSite(t *testing.T) {
	out := t.TempDir()
	if err := makeSite("..", out); err != nil {
		t.Fatal(err)
	}
	for name, words := range map[string][]string{
		"index.html":   {`href="usage.html"`, `href="answers.html#how-is-it-installed"`, `href="https://github.com/mpsolve/mpsolve/blob/main/example_test.go"`},
		"answers.html": {"Which precision?", "Go, in ten lines", "Python?", "SLURM", "Why has it not converged?", "<table>"},
		"storage.html": {"<img "},
	} {
		text, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range words {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s lacks %q", name, w)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(out, "storage.svg")); err != nil {
		t.Error(err)
	}
}

func TestBrokenLinks(t *testing.T) {
	for _, line := range []string{"[a](nowhere.md)", "[a](b.md#nowhere)", "[a](#nowhere)", "![a](nowhere.svg)"} {
		root := t.TempDir()
		for name, text := range map[string]string{"README.md": "# A\n", "docs/a.md": "# A\n\n" + line + "\n", "docs/b.md": "# B\n\n## There\n\n[a](a.md) [b](#there)\n"} {
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := makeSite(root, t.TempDir()); err == nil || !strings.Contains(err.Error(), "docs/a.md") || !strings.Contains(err.Error(), "nowhere") {
			t.Errorf("%s: %v", line, err)
		}
	}
}
