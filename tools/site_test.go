package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// TestSearch: the script of the search has every section, with its address and its text.
func TestSearch(t *testing.T) {
	out := t.TempDir()
	if err := makeSite("..", out); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(out, "search.js"))
	if err != nil {
		t.Fatal(err)
	}
	var sections []section
	if err := json.Unmarshal(bytes.TrimSuffix(bytes.TrimPrefix(script, []byte("const sections = ")), []byte(";\n")), &sections); err != nil {
		t.Fatal(err)
	}
	for address, words := range map[string]string{"usage.html#exit-codes": "stopped by SIGHUP", "usage.html#an-x-from-anywhere": "mpsolve verify A.mtx b.mtx x.mtx"} {
		at := slices.IndexFunc(sections, func(s section) bool { return s.Address == address })
		if at < 0 || sections[at].Page != "Using mpsolve" || !strings.Contains(sections[at].Text, words) {
			t.Errorf("the search does not find %q in %s", words, address)
		}
	}
}

// TestPagesAreShort limits what people write and have to read: the words of the README and of docs as wc counts them, tables included.
// Not counted are commands, their output and formulas, and what programs write: docs/matrices.md, and what stands between two comments.
func TestPagesAreShort(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	generated := regexp.MustCompile(`(?s)<!-- [^>]* -->.*?<!-- (?:end of [^>]*|stress end) -->`)
	code := regexp.MustCompile("(?s)\n```.*?\n```\n|\n {4}[^\n]*")
	words := 0
	for _, name := range append(pages, "../README.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(name) != "matrices.md" {
			words += len(bytes.Fields(code.ReplaceAll(generated.ReplaceAll(text, nil), nil)))
		}
	}
	if words < 20000 || words > 45000 {
		t.Errorf("%d words: 45,000 are allowed, and fewer than 20,000 mean that the test does not count them", words)
	}
}

// TestUnlisted: docs/pages.md lists every page once.
func TestUnlisted(t *testing.T) {
	for _, list := range []string{"", "[a](a.md)", "[a](a.md) [b](b.md) [a](a.md)"} {
		root := writePages(t, map[string]string{"README.md": "# A\n", "docs/a.md": "# A\n", "docs/b.md": "# B\n", "docs/pages.md": "# All\n\n## How-to\n\n" + list + "\n"})
		if err := makeSite(root, t.TempDir()); err == nil || !strings.Contains(err.Error(), "docs/pages.md lists") {
			t.Errorf("%s: %v", list, err)
		}
	}
}

func TestBrokenLinks(t *testing.T) {
	for _, line := range []string{"[a](nowhere.md)", "[a](b.md#nowhere)", "[a](#nowhere)", "![a](nowhere.svg)"} {
		root := writePages(t, map[string]string{"README.md": "# A\n", "docs/a.md": "# A\n\n" + line + "\n", "docs/b.md": "# B\n\n## There\n\n[a](a.md) [b](#there)\n"})
		if err := makeSite(root, t.TempDir()); err == nil || !strings.Contains(err.Error(), "docs/a.md") || !strings.Contains(err.Error(), "nowhere") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// writePages writes the files of a repository, and returns its folder.
func writePages(t *testing.T, files map[string]string) string {
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}
