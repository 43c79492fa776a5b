package matrixio

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestPapersHaveThePublishedMatrices compares with the tables, whose figures have either two or all digits.
func TestPapersHaveThePublishedMatrices(t *testing.T) {
	for _, table := range []string{"3.2-matrices", "3.3-solvers", "3.4-gmres", "4.4-matrices"} {
		rows := published(t, "thesis-table-"+table+".tsv")
		if len(rows) == 0 {
			t.Errorf("table %s has no row", table)
		}
		for _, row := range rows {
			p, ok := FindPaper(row["matrix"])
			if !ok {
				t.Errorf("table %s: %s is not in Papers", table, row["matrix"])
			}
			for column, count := range map[string]int64{"n": p.N, "nnz": p.Stored(), "nnz_expanded": p.NNZ} {
				text, ok := row[column]
				if ok && text != strconv.FormatInt(count, 10) && strings.Trim(text, "$") != fmt.Sprintf("%.1e", float64(count)) {
					t.Errorf("table %s: %s of %s is %s, not %d", table, column, p.Name, text, count)
				}
			}
		}
	}
}

// published reads a table of the papers, by column.
func published(t *testing.T, file string) (rows []map[string]string) {
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "published", file))
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes = '\t', true
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for k, name := range lines[0] {
			row[name] = line[k]
		}
		rows = append(rows, row)
	}
	return rows
}

func TestPapers(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Papers() {
		if seen[p.Name] || (p.Group == "") != (p.Missing != "") {
			t.Errorf("%s is there twice, or has both a group and a reason to be missing, or neither", p.Name)
		}
		seen[p.Name] = true
		size, known := p.DownloadBytes()
		if p.Group == "" {
			if p.Address() != "" || size != 0 || known {
				t.Errorf("%s: address %q, %d bytes", p.Name, p.Address(), size)
			}
			continue
		}
		if want := "https://sparse.tamu.edu/MM/" + p.Group + "/" + p.Name + ".tar.gz"; p.Address() != want {
			t.Errorf("%s: address %s", p.Name, p.Address())
		}
		if perEntry := float64(size) / float64(p.Stored()); perEntry < 10 || perEntry > 12 {
			t.Errorf("%s: %g bytes for each entry", p.Name, perEntry)
		}
		if p.Symmetric && (p.NNZ+p.N)%2 != 0 || p.Zeros >= p.NNZ {
			t.Errorf("%s: %d entries, %d of them zero, order %d", p.Name, p.NNZ, p.Zeros, p.N)
		}
	}
}

func TestPageNamesAll(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "fetching.md"))
	if err != nil {
		t.Fatal(err)
	}
	words := strings.FieldsFunc(string(page), func(c rune) bool { return strings.ContainsRune(" ,`|\n", c) })
	for _, p := range Papers() {
		if !slices.Contains(words, p.Name) {
			t.Errorf("docs/fetching.md does not name %s", p.Name)
		}
	}
}
