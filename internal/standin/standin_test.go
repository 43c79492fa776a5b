package standin

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// table reads a table of the thesis: a map for each line, by the titles.
func table(t *testing.T, name string) (lines []map[string]string) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "published", name))
	if err != nil {
		t.Skipf("the published tables are not there: %v", err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = '\t'
	cells, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range cells[1:] {
		line := map[string]string{}
		for i, cell := range row {
			line[cells[0][i]] = cell
		}
		lines = append(lines, line)
	}
	return lines
}

// TestPublished: every matrix of the tables has a stand-in.
func TestPublished(t *testing.T) {
	for _, name := range []string{
		"thesis-table-3.2-matrices.tsv", "thesis-table-3.3-solvers.tsv",
		"thesis-table-3.4-gmres.tsv", "thesis-table-4.4-matrices.tsv",
	} {
		for _, line := range table(t, name) {
			if _, ok := Find(line["matrix"]); !ok {
				t.Errorf("%s: no stand-in of %s", name, line["matrix"])
			}
		}
	}
	if s, ok := Find("Aghora_DGO4"); !ok || s.Matrix != "A_DGO4" {
		t.Error("A_DGO4 is not found by its other name")
	}
	if _, ok := Find("nothing"); ok {
		t.Error("found a matrix that is in no table")
	}
}

func TestSizes(t *testing.T) {
	for _, s := range All() {
		kind, ok := generate.Find(s.Kind)
		if !ok {
			t.Fatalf("%s: no kind %q", s.Matrix, s.Kind)
		}
		for _, nnz := range []int64{5e4, 7e4, 1e5, 1.6e5, 3e5, 1e6, 3e7, 1e8} {
			_, got, err := kind.Estimate(s.Params(nnz))
			if err != nil {
				t.Errorf("%s: %v", s.Matrix, err)
			}
			if ratio := float64(got) / float64(nnz); ratio < 0.7 || ratio > 1.3 {
				t.Errorf("%s: %d nonzeros where %d were asked for", s.Matrix, got, nnz)
			}
		}
	}
}

// TestDistinct: matrices of a class differ by more than the seed.
func TestDistinct(t *testing.T) {
	seen := map[string]string{}
	for _, s := range All() {
		p := s.Class()
		delete(p, "seed")
		key := s.Kind + p.String()
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s are the same", other, s.Matrix)
		}
		seen[key] = s.Matrix
		if s.Imitates == "" || s.Not == "" {
			t.Errorf("%s is not described", s.Matrix)
		}
	}
}

// TestValues: diagonals without zeros, full significands, and symmetry exactly
// where the kind promises it.
func TestValues(t *testing.T) {
	for _, s := range All() {
		m := sized(t, s, 6e4)
		beside, full := 0, 0
		for i := range m.Rows {
			col, val := m.Row(i)
			for k, j := range col {
				if int(j) == i {
					continue
				}
				beside++
				if math.Float64bits(val[k])&(1<<24-1) != 0 {
					full++
				}
			}
			if d := m.At(i, i); d == 0 || math.IsNaN(d) || math.IsInf(d, 0) {
				t.Fatalf("%s: diagonal %d is %g", s.Matrix, i, d)
			}
		}
		if float64(full) < 0.9*float64(beside) {
			t.Errorf("%s: only %d of %d values have full significands", s.Matrix, full, beside)
		}
		if kind, _ := generate.Find(s.Kind); kind.Symmetric != symmetric(m) {
			t.Errorf("%s: symmetric %t, declared %t", s.Matrix, !kind.Symmetric, kind.Symmetric)
		}
	}
}

func symmetric(m *csr.Matrix) bool {
	for i := range m.Rows {
		col, val := m.Row(i)
		for k, j := range col {
			if m.At(int(j), i) != val[k] {
				return false
			}
		}
	}
	return true
}

// sized is the stand-in with about that many nonzeros.
func sized(t *testing.T, s Standin, nnz int64) *csr.Matrix {
	t.Helper()
	m, err := generate.Generate(s.Kind, s.Params(nnz))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
