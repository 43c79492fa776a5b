package matrixio

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// diagonal is a file with the n x n diagonal matrix 1, 2, ...
func diagonal(n int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", n, n, n)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "%d %d %d\n", i, i, i)
	}
	return b.Bytes()
}

type member struct {
	name string
	data []byte
}

func archive(t *testing.T, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Mode: 0o644, Size: int64(len(m.data)), Typeflag: tar.TypeReg}
		if m.data == nil {
			h.Typeflag, h.Mode = tar.TypeDir, 0o755
		}
		if err := errors.Join(w.WriteHeader(h), write(w, m.data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return gzipped(t, b.Bytes())
}

func write(w *tar.Writer, data []byte) error {
	_, err := w.Write(data)
	return err
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(data)
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func put(t *testing.T, dir, file string, data []byte) {
	t.Helper()
	path := filepath.Join(dir, file)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// TestFind removes the forms one after the other; each has a matrix of a different size.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	forms := []string{"A.mtx", "A.mtx.gz", "A.tar.gz", "A/A.mtx"}
	put(t, dir, forms[0], diagonal(1))
	put(t, dir, forms[1], gzipped(t, diagonal(2)))
	put(t, dir, forms[2], archive(t, member{"A/", nil}, member{"A/A_b.mtx", diagonal(9)}, member{"A/A.mtx", diagonal(3)}, member{"A/A_x.mtx", diagonal(8)}))
	put(t, dir, forms[3], diagonal(4))
	for i, form := range forms {
		s, ok := Find(dir, "A")
		if !ok || s.Path != filepath.Join(dir, form) || s.Name != "A" {
			t.Fatalf("found %+v, %v; want %s", s, ok, form)
		}
		var done, total int64
		m, _, err := s.Read(context.Background(), matrixmarket.Options{Progress: func(d, of int64) { done, total = d, of }})
		if err != nil || m.Rows != i+1 {
			t.Fatalf("%s: %v, %v", form, m, err)
		}
		if done != total || total <= 0 {
			t.Errorf("%s: the last progress is %d of %d bytes", form, done, total)
		}
		for _, other := range []string{"a", "A.mtx", "", ".", "..", "../A", "A/A"} {
			if s, ok := Find(dir, other); ok {
				t.Errorf("%q found at %s", other, s.Path)
			}
		}
		if err := os.Remove(s.Path); err != nil {
			t.Fatal(err)
		}
	}
	if s, ok := Find(dir, "A"); ok {
		t.Errorf("still found: %+v", s)
	}
}

// TestBadArchives: errors name the archive and the member.
func TestBadArchives(t *testing.T) {
	good := archive(t, member{"A/A.mtx", diagonal(50_000)})
	flipped := bytes.Clone(good)
	flipped[len(flipped)-8] ^= 1 // of the checksum
	dir := t.TempDir()
	for _, c := range []struct {
		what, want string
		data       []byte
	}{
		{"without the member", "no such member", archive(t, member{"A/A_b.mtx", diagonal(2)}, member{"B/A.mtx", diagonal(2)})},
		{"a folder of that name", "no such member", archive(t, member{"A/A.mtx", nil})},
		{"empty", "cut off", nil},
		{"cut in the header", "cut off", good[:5]},
		{"cut", "cut off", good[:len(good)/2]},
		{"cut in front of the member", "cut off", archive(t, member{"A/A_b.mtx", diagonal(50_000)}, member{"A/A.mtx", diagonal(2)})[:5000]},
		{"not gzip", "not compressed with gzip", []byte("<html>Not found</html>")},
		{"not tar", "not a tar archive", gzipped(t, diagonal(500))},
		{"wrong checksum", "cannot be unpacked", flipped},
		{"a bad matrix", "A.mtx:1", archive(t, member{"A/A.mtx", []byte("1 1 1\n")})},
		{"a complex matrix", "complex", archive(t, member{"A/A.mtx", []byte("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n")})},
	} {
		put(t, dir, "A.tar.gz", c.data)
		s, _ := Find(dir, "A")
		m, _, err := s.Read(context.Background(), matrixmarket.Options{})
		if m != nil || err == nil {
			t.Errorf("%s: read", c.what)
			continue
		}
		for _, want := range []string{c.want, s.Path} {
			if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: error %q does not say %q in one line", c.what, err, want)
			}
		}
		if c.want != "complex" && !strings.Contains(err.Error(), "A/A.mtx") {
			t.Errorf("%s: error %q does not name the member", c.what, err)
		}
	}
}

func TestLimitsAndWarnings(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "A.tar.gz", archive(t, member{"./A/A.mtx", append([]byte("\n"), diagonal(1000)...)}))
	s, _ := Find(dir, "A")
	_, warnings, err := s.Read(context.Background(), matrixmarket.Options{})
	if err != nil || len(warnings) != 1 {
		t.Errorf("warnings %q, error %v; want one warning", warnings, err)
	}
	if _, _, err = s.Read(context.Background(), matrixmarket.Options{MaxMemory: 1000}); !errors.Is(err, matrixmarket.ErrTooLarge) {
		t.Errorf("error %v, want ErrTooLarge", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err = s.Read(ctx, matrixmarket.Options{}); err != context.Canceled {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}

	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	put(t, dir, "A.tar.gz", archive(t, member{"A/A.mtx", diagonal(200_000)}))
	_, _, err = s.Read(ctx, matrixmarket.Options{Progress: func(int64, int64) { cancel() }})
	if err != context.Canceled {
		t.Errorf("cancelled on the way: error %v", err)
	}
}

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
