package csr_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// Real matrices have the sizes that their index gives, and are symmetric where it says
// so: numerically (num-sym, with the asymmetry it found) or exactly.
func TestRealMatrices(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all shared matrices")
	}
	dir := testsupport.Folder(t)
	index, err := os.ReadFile(filepath.Join(dir, "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(index)), "\n")
	names := strings.Split(lines[0], "\t")
	for _, line := range lines[1:] {
		about := map[string]string{}
		for k, word := range strings.Split(line, "\t") {
			about[names[k]] = word
		}
		t.Run(about["name"], func(t *testing.T) {
			c, err := matrixmarket.ReadFile(context.Background(), filepath.Join(dir, about["file"]), matrixmarket.Options{})
			if err != nil {
				t.Fatal(err)
			}
			m := c.Matrix
			if err := m.Validate(); err != nil {
				t.Fatal(err)
			}
			if n, nnz := fmt.Sprint(m.Rows), fmt.Sprint(m.NNZ()); n != about["n"] || nnz != about["nnz"] {
				t.Errorf("n = %s, nnz = %s, want %s and %s", n, nnz, about["n"], about["nnz"])
			}
			if about["field"] == "complex" || about["shape"] != "square" {
				return
			}
			f, kind := csr.Examine(m, nil), about["symmetry"]
			exact, numerical := kind == "sym", strings.HasPrefix(kind, "num-sym")
			if f.Symmetric != (exact || numerical) || exact && f.Asymmetry != 0 {
				t.Errorf("symmetric %v, asymmetry %g; the index says %s", f.Symmetric, f.Asymmetry, kind)
			}
			t.Logf("%s: asymmetry %.1e", kind, f.Asymmetry)
		})
	}
}
