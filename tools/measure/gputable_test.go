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
	if err := gputableCounts(file, page); err != nil {
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
	if err := gputableCounts(filepath.Join(dir, "none"), page); err == nil {
		t.Error("no error without a file")
	}
}

// The page has the tables made from the files.
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

const ours = `{"kind":"product","matrix":"elasticity3d,n=60","nnz":1000000,"layout":"csr","formats":"FP64","epsilon":1.1102230246251565e-16,"matrix_bytes":12000000,"seconds_min":0.001,"seconds_median":0.001,"gbps":900,"copy_gbps":1000,"device":"GPU","architecture":"sm_90","backend":"cuda"}
{"kind":"product","matrix":"elasticity3d,n=60","nnz":1000000,"layout":"slots","formats":"AFX","epsilon":5.960464477539063e-8,"matrix_bytes":3000000,"seconds_min":0.0003,"seconds_median":0.0003,"gbps":800,"copy_gbps":1000}
{"kind":"product","matrix":"stencil27,n=60,window=9","nnz":1000000,"layout":"slots","formats":"AFX","epsilon":5.960464477539063e-8,"matrix_bytes":3000000,"seconds_min":0.0003,"seconds_median":0.0003,"gbps":800,"copy_gbps":1000}
{"kind":"solve","matrix":"poisson3d,n=9","nnz":7,"layout":"csr","formats":"FP64","epsilon":1.1102230246251565e-16,"method":"cg","iterations":5,"result":"converged","seconds_min":1}
{"kind":"solve","matrix":"poisson3d,n=9","nnz":7,"layout":"csr32","formats":"FP32","epsilon":5.960464477539063e-8,"method":"cg","iterations":5,"result":"converged","seconds_min":0.5}
`

const theirs = `{"kind":"product","library":"cusparse csr_alg1","matrix":"elasticity3d,n=60","seconds_min":0.0011,"seconds_median":0.002}
{"kind":"product","library":"cusparse csr_alg2","matrix":"elasticity3d,n=60","seconds_min":0.00092,"seconds_median":0.001}
{"kind":"product","library":"torch","matrix":"elasticity3d,n=60","seconds_min":0.0005,"seconds_median":0.001}
{"kind":"solve","library":"cusparse csr_alg2","matrix":"poisson3d,n=9","method":"cg","iterations":5,"seconds_min":0.8}
`

func results(t *testing.T, ours, peers string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"gpu.jsonl": ours, "peers.jsonl": peers} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRender(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("before\n"+gputableBegin+"\nold\n"+gputableEnd+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := runGPUTable(results(t, ours, theirs), page); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Measured on GPU (sm_90, cuda). It copies at 1000 GB/s",
		"| CSR FP64 | 12.00 | 1.000 | 1.000 | 900 | 90 | met (0.85) | 0.92 | **missed** (0.95) |",
		"| slots AFX, 2^-24 | 3.00 | 0.300 | 0.300 | 800 | 80 | **missed** (0.85) | 3.07 | met (3) |",
		"| slots AFX, 2^-24 | 3.00 | 0.300 | 0.300 | 800 | 80 |  |  |  |", // shuffled: no goal
		"| torch |", "| 1.84 | | |\n",
		"| `poisson3d,n=9` | cg | CSR FP64 | 5 | 0 | converged | 0.0e+00 | 1.000 | 0.80 |  |",
		"| 0.500 | 1.60 | **missed** (1.8) |",
		"before\n", "\nafter\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "old") {
		t.Error("the old text is there")
	}
}

func TestFaults(t *testing.T) {
	if err := runGPUTable(t.TempDir(), ""); err == nil {
		t.Error("no results are no error")
	}
	if err := runGPUTable(results(t, "", ""), ""); err == nil {
		t.Error("no measurements are no error")
	}
	if err := runGPUTable(results(t, ours+"{", ""), ""); err == nil || !strings.Contains(err.Error(), "gpu.jsonl:6") {
		t.Errorf("a broken line: %v", err)
	}
}
