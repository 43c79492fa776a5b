package matrixio

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// The files of all ranks are one matrix, also if a rank has no rows, and entries in the rows of another rank are added.
func TestHypreRanks(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string, opt matrixmarket.Options) (*matrixmarket.Content, error) {
		opt.Other = Recognise
		return matrixmarket.ReadFile(t.Context(), filepath.Join(folder, name), opt)
	}
	write("A.00000", "1 2 1 2\n1 1 4.0\n1 3 -1e0\n2 2 4.5e+00\n")
	write("A.00001", "3 2 3 2\n")
	write("A.00002", "3 3 3 3\n3 3 2.0\n\n1 1 0.5\n")
	write("b.00000", "1 2\n2 -7.5e-01\n")
	write("b.00001", "3 3\n3 2.0\n")
	c, err := read("A.00000", matrixmarket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.CSR()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.RowPtr, []int64{0, 2, 3, 4}) || !slices.Equal(m.Col, []int32{0, 2, 1, 2}) || !slices.Equal(m.Val, []float64{4.5, -1, 4.5, 2}) {
		t.Errorf("A = %v %v %v", m.RowPtr, m.Col, m.Val)
	}
	if c, err = read("b.00000", matrixmarket.Options{}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Dense, []float64{0, -.75, 2}) {
		t.Errorf("b = %v", c.Dense)
	}
	for _, wrong := range []struct{ text, want string }{
		{"4 4 3 3\n4 3 2.0\n", "A.00002:1:1: the rows begin at 4, want 3"},
		{"3 3 4 4\n", "the columns begin at 4, want 3"},
		{"3 3\n3 2.0\n", "A.00002:1:1: 1 ranges, want 2"},
		{"3 3 3 3\n3 x 2.0\n", `A.00002:2:3: "x" is no whole number`},
		{"3 3 3 3\n3 3 2.0\n 3  4 2.0\n", "A.00002:3:5: the column 4 is outside 1 to 3"},
		{"3 3 3 3\n0 3 2.0\n", "A.00002:2:1: the row 0 is outside 1 to 3"},
		{"3 3 3 3\n3 3 3 , 2.0\n", "A.00002:2: 5 words, want 3"},
		{"3 3 3 3\n3 3 y\n", `A.00002:2:5: "y" is no number`},
		{"what", "A.00002:1:1: want the first and last row"},
		{"3 9000000000 3 3\n", "too long"},
	} {
		write("A.00002", wrong.text)
		if _, err := read("A.00000", matrixmarket.Options{}); err == nil || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%q: %v, want %q", wrong.text, err, wrong.want)
		}
	}
	for _, text := range []string{"0 2000000000 0 5\n0 0 1.0\n", "0 2000000000\n0 1.0\n"} {
		write("huge.00000", text)
		if _, err := read("huge.00000", matrixmarket.Options{MaxMemory: 1 << 30}); err == nil || !strings.Contains(err.Error(), "too large") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
