package matrixmarket

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestLinesOf(t *testing.T) {
	const size = "% a comment\n\n3 3 4\n"
	const entries = "2 1 5\n3 3 7\n\n% between\n1 1 4\n3 2 6\n"
	for name, c := range map[string]struct {
		text string
		rows []int
		want []int64
	}{
		"general":   {"%%MatrixMarket matrix coordinate real general\n" + size + entries, []int{1, 2, 3}, []int64{9, 5, 6}},
		"symmetric": {"%%MatrixMarket matrix coordinate real symmetric\n" + size + entries, []int{2, 1}, []int64{5, 5}},
		"no row 4":  {"%%MatrixMarket matrix coordinate real general\n" + size + entries, []int{1, 4}, nil},
		"array":     {"%%MatrixMarket matrix array real general\n2 1\n1\n2\n", []int{1}, nil},
		"rubbish":   {"1 2 3\n", []int{1}, nil},
		"empty":     {"", []int{1}, nil},
	} {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write([]byte(c.text))
		z.Close()
		for _, text := range [][]byte{[]byte(c.text), packed.Bytes()} {
			path := filepath.Join(t.TempDir(), "m.mtx")
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := LinesOf(t.Context(), path, c.rows); !slices.Equal(got, c.want) {
				t.Errorf("%s: lines %v, want %v", name, got, c.want)
			}
		}
	}
	if got := LinesOf(t.Context(), filepath.Join(t.TempDir(), "none"), []int{1}); got != nil {
		t.Errorf("no file: %v", got)
	}
}
