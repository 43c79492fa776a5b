package matrixio

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// Files of every format that is written are read by their names alone, and files with no matrix or no vector are
// refused.
func TestReadFile(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	matrix := filepath.Join(dir, "A.mtx")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(matrix, "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n2 1 -1\n")
	c, err := matrixmarket.ReadFile(ctx, matrix, matrixmarket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range Written() {
		if word == "npy" { // holds no sparse matrix
			continue
		}
		var text bytes.Buffer
		f := ByWord(word)
		if err := f.Write(&text, c, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, "A"+f.Suffixes[0])
		write(name, text.String())
		m, err := ReadFile(ctx, name)
		if err != nil || m.Rows != 2 || !slices.Equal(m.Val, []float64{4, -1, -1}) {
			t.Errorf("%s: %v, %v", word, m, err)
		}
	}
	vector := filepath.Join(dir, "b.mtx")
	write(vector, "%%MatrixMarket matrix array real general\n2 1\n1\n2\n")
	if v, err := ReadVector(ctx, vector); err != nil || !slices.Equal(v, []float64{1, 2}) {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := ReadVector(ctx, matrix); err == nil || !strings.Contains(err.Error(), "want a vector, not 2 columns") {
		t.Error(err)
	}
	write(vector, "%%MatrixMarket matrix array complex general\n1 1\n1 2\n")
	for _, name := range []string{vector, filepath.Join(dir, "absent")} {
		if _, err := ReadVector(ctx, name); err == nil {
			t.Errorf("%s is read as a vector", name)
		}
		if _, err := ReadFile(ctx, name); err == nil {
			t.Errorf("%s is read as a matrix", name)
		}
	}
}
