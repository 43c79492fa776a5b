package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
	if err := os.WriteFile(page, []byte("before\n"+begin+"\nold\n"+end+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(results(t, ours, theirs), page); err != nil {
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
	if err := run(t.TempDir(), ""); err == nil {
		t.Error("no results are no error")
	}
	if err := run(results(t, "", ""), ""); err == nil {
		t.Error("no measurements are no error")
	}
	if err := run(results(t, ours+"{", ""), ""); err == nil || !strings.Contains(err.Error(), "gpu.jsonl:6") {
		t.Errorf("a broken line: %v", err)
	}
}
