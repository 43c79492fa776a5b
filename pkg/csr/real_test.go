package csr_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// Matrices of many fields are symmetric where their index says so, numerically
// (num-sym, with the asymmetry it found) or exactly.
func TestSymmetryOfRealMatrices(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all shared matrices")
	}
	dir := filepath.Join("..", "..", "..", "shared", "matrices")
	index, err := os.ReadFile(filepath.Join(dir, "INDEX.tsv"))
	if err != nil {
		t.Skipf("no matrices beside this checkout: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(index)), "\n")
	column := map[string]int{}
	for k, name := range strings.Split(lines[0], "\t") {
		column[name] = k
	}
	for _, line := range lines[1:] {
		row := strings.Split(line, "\t")
		get := func(name string) string { return row[column[name]] }
		if get("field") == "complex" || get("shape") != "square" {
			continue
		}
		t.Run(get("name"), func(t *testing.T) {
			c, err := matrixmarket.ReadFile(context.Background(), filepath.Join(dir, get("file")), matrixmarket.Options{})
			if err != nil {
				t.Fatal(err)
			}
			m, err := c.CSR()
			if err != nil {
				t.Fatal(err)
			}
			f, kind := csr.Examine(m, nil), get("symmetry")
			exact, numerical := kind == "sym", strings.HasPrefix(kind, "num-sym")
			if f.Symmetric != (exact || numerical) || exact && f.Asymmetry != 0 {
				t.Errorf("symmetric %v, asymmetry %g; the index says %s", f.Symmetric, f.Asymmetry, kind)
			}
			t.Logf("%s: asymmetry %.1e", kind, f.Asymmetry)
		})
	}
}
