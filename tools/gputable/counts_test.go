package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCounts(t *testing.T) {
	const text = "# of a product\npoisson3d: CSR FP64: instructions 150.25, FP64 1.00, requests 5.00, sectors 51.50, bytes 290.00\n" +
		"poisson3d: slots 2^-24: instructions 48.00, FP64 2.20, requests 4.99, sectors 18.72, bytes 174.46, few units: instructions 55.37, FP64 1.17\n"
	const amd = "# of a product\npoisson3d: CSR FP64: vector 130.00, FP64 1.50, scalar 17.60, LDS 0.60, scalar loads 0.40, requests 4.50, lines 59.40, bytes 856.00\n"
	dir := t.TempDir()
	file, page := filepath.Join(dir, "ratchet.txt"), filepath.Join(dir, "gpu.md")
	for name, text := range map[string]string{
		file: text, filepath.Join(dir, "ratchet-amd.txt"): amd,
		page: "before\n" + beginCounts + "\nold\n" + endCounts + "\nbetween\n" + beginAMD + "\nold\n" + endAMD + "\nafter\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := counts(file, page); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"before\n", "\nbetween\n", "\nafter\n",
		"\n| poisson3d | CSR FP64 | 856 | **130.0** | 100 | 1.5 | 17.6 | 0.6 | 4.5 | 59.4 |\n", // 856 B take 100 clocks
		"\n| poisson3d | CSR FP64 | 290 | **150.2** | 80 | 1.0 | 5.0 | 51.5 |  |  |\n",         // 290 B take 20 clocks
		"\n| poisson3d | slots 2^-24 | 174 | 48.0 | 48 | 2.2 | 5.0 | 18.7 | 55.4 | 1.2 |\n",
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
	for _, bad := range []string{"poisson3d: CSR: instructions x", "poisson3d", "a: b: instructions 1, FP64 2, requests 3", "a: b: instructions 1, FP64 2, requests 3, sectors 4, bytes 5, few units: x"} {
		if _, err := readCounts("# x\n" + bad); err == nil || !strings.Contains(err.Error(), "line 2 ") {
			t.Errorf("%q: error %v", bad, err)
		}
		if _, err := readCountsAMD("# x\n" + bad); err == nil || !strings.Contains(err.Error(), "line 2 ") {
			t.Errorf("%q: error %v", bad, err)
		}
	}
	if err := counts(filepath.Join(dir, "none"), page); err == nil {
		t.Error("no error without a file")
	}
}

// The page has the tables that the files make.
func TestCountsAreCurrent(t *testing.T) {
	current(t, "ratchet.txt", beginCounts, endCounts, readCounts, renderCounts)
	current(t, "ratchet-amd.txt", beginAMD, endAMD, readCountsAMD, renderCountsAMD)
}

func current[T any](t *testing.T, file, begin, end string, read func(string) ([]T, error), render func([]T) string) {
	text, err := os.ReadFile(filepath.Join("..", "..", "pkg", "gpu", "testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	list, err := read(string(text))
	if err != nil || len(list) < 12 {
		t.Fatalf("%d counts, %v", len(list), err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "gpu.md"))
	if err != nil {
		t.Fatal(err)
	}
	if want := begin + "\n\n" + render(list) + end; !strings.Contains(string(page), want) {
		t.Errorf("docs/gpu.md is not up to date with %s: go generate ./pkg/gpu", file)
	}
}
