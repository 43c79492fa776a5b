package matrixmarket

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	coordReal = "%%MatrixMarket matrix coordinate real general\n"
	coordSym  = "%%MatrixMarket matrix coordinate real symmetric\n"
	coordHerm = "%%MatrixMarket matrix coordinate complex hermitian\n"
	coordCplx = "%%MatrixMarket matrix coordinate complex general\n"
	arrayReal = "%%MatrixMarket matrix array real general\n"
)

// textCase is a line of a table of texts: what is read of a text, or the error.
type textCase struct {
	name, text string
	want       []string
}

// texts reads a table in testdata.
func texts(t testing.TB, name string) (cases []textCase) {
	t.Helper()
	table, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		text, err := strconv.Unquote(columns[1])
		if err != nil {
			t.Fatalf("%s: %s: %v", name, columns[0], err)
		}
		cases = append(cases, textCase{columns[0], text, columns[2:]})
	}
	return cases
}

// TestRead has everything that is read although one may wonder.
func TestRead(t *testing.T) {
	for _, c := range texts(t, "accepted.tsv") {
		t.Run(c.name, func(t *testing.T) {
			for _, opt := range []Options{{}, {Threads: 3, pieceSize: 4}, {KeepZeros: true}} {
				content := mustRead(t, c.text, opt)
				if got := shown(t, content); got != c.want[0] {
					t.Errorf("got %s, want %s", got, c.want[0])
				}
				if got := strings.Join(content.Warnings, " | "); got != c.want[1] {
					t.Errorf("warnings:\n%s\nwant:\n%s", got, c.want[1])
				}
			}
		})
	}
}

// shown writes the rows of a matrix.
func shown(t *testing.T, c *Content) string {
	real, imag := *c, *c
	real.Field, imag.Field = Real, Real
	if c.Matrix != nil {
		m := *c.Matrix
		m.Val, imag.Matrix = c.Imag, &m
	}
	imag.Dense = c.Imag
	columns, err := real.Columns()
	var parts [][]float64
	if c.Field == Complex && err == nil {
		parts, err = imag.Columns()
	}
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]string, c.Rows)
	for i := range rows {
		var row []string
		for j := range columns {
			v := strconv.FormatFloat(columns[j][i]+0, 'g', -1, 64) // -0 + 0 is 0
			if parts != nil {
				v += fmt.Sprintf("%+gi", parts[j][i]+0)
			}
			row = append(row, v)
		}
		rows[i] = strings.Join(row, " ")
	}
	return strings.Join(rows, "; ")
}

// TestRejected compares the exact error text of everything that is refused.
func TestRejected(t *testing.T) {
	for _, c := range texts(t, "rejected.tsv") {
		t.Run(c.name, func(t *testing.T) {
			for way, read := range map[string]func(string, Options) (*Content, error){"stream": readString, "file": readPlain} {
				for _, opt := range []Options{{}, {Threads: 3, pieceSize: 5}} {
					_, err := read(c.text, opt)
					if err == nil {
						t.Fatalf("%s: no error", way)
					}
					if err.Error() != c.want[0] {
						t.Errorf("%s: got  %s\nwant %s", way, err, c.want[0])
					}
				}
			}
		})
	}
}

// The errors that the documentation shows must be what the package says.
func TestDocumentedErrors(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "matrix-market.md"))
	if err != nil {
		t.Fatal(err)
	}
	rejected, shown := texts(t, "rejected.tsv"), 0
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "x.mtx:") {
			continue
		}
		shown++
		if !slices.ContainsFunc(rejected, func(c textCase) bool { return c.want[0] == line }) {
			t.Errorf("no test has the error %s", line)
		}
	}
	if shown < 10 {
		t.Errorf("only %d errors are shown", shown)
	}
}

// accepted lists the files for which the index leaves the choice, with ours.
var accepted = map[string]bool{
	"dim_over_32_bit.mtx":                 false, // csr.MaxDim
	"vector_array_real_general.mtx":       true,
	"vector_coordinate_real_general.mtx":  true,
	"vector_array.mtx":                    true,
	"vector_coordinate.mtx":               true,
	"vector_coordinate_complex.mtx":       true,
	"vector_coordinate_complex_dupes.mtx": true,
	"vector_coordinate_dupes.mtx":         true,
	"overflow_value_gt_complex128.mtx":    true, // infinity, with a warning
	"overflow_value_gt_float128.mtx":      true,
	"overflow_value_gt_float64.mtx":       true,
	"overflow_value_gt_int64.mtx":         true, // to the nearest float64, here exactly
}

func TestConformanceFiles(t *testing.T) {
	dir := sharedDir(t, "conformance")
	index, err := os.Open(filepath.Join(dir, "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	files := 0
	for lines := bufio.NewScanner(index); lines.Scan(); {
		name, rest, _ := strings.Cut(lines.Text(), "\t")
		verdict, _, _ := strings.Cut(rest, "\t")
		if strings.HasPrefix(name, "#") {
			continue
		}
		files++
		if strings.HasSuffix(name, "tests/eye3_str.mtx") {
			// The index rejects a field word that the stored file does not
			// contain: its banner says real, and it is legal.
			verdict = "ACCEPT"
		}
		if verdict == "CHOICE" {
			choice, ok := accepted[filepath.Base(name)]
			if !ok {
				t.Errorf("%s: no choice made", name)
			}
			verdict = "REJECT"
			if choice {
				verdict = "ACCEPT"
			}
		}
		t.Run(name, func(t *testing.T) { checkVerdict(t, filepath.Join(dir, name), verdict) })
	}
	if files < 100 {
		t.Errorf("only %d files in the index", files)
	}
}

func checkVerdict(t *testing.T, path, verdict string) {
	c, err := ReadFile(context.Background(), path, Options{})
	if verdict == "REJECT" {
		e, ok := err.(*Error)
		if !ok {
			t.Fatalf("got %v, want an *Error", err)
		}
		if e.File != path || strings.ContainsAny(e.Msg, "\n\r") {
			t.Errorf("bad error %q", e)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if verdict == "PERMISSIVE" && len(c.Warnings) == 0 {
		t.Error("read without a warning")
	}
	if c.Matrix != nil {
		if err := c.Matrix.Validate(); err != nil {
			t.Error(err)
		}
	}
	// The same bytes through a stream say the same.
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := Read(context.Background(), f, path, Options{Threads: 2, pieceSize: 3})
	if err != nil {
		t.Fatal(err)
	}
	if diff := difference(c, d); diff != "" {
		t.Errorf("file and stream differ in %s", diff)
	}
}

// The index has files in pairs: a symmetric one and what it stands for.
func TestConformanceExpansions(t *testing.T) {
	dir := filepath.Join(sharedDir(t, "conformance"), "fast_matrix_market")
	pairs := [][2]string{
		{"tests/symmetry/coordinate_hermitian_real_row", "tests/symmetry/coordinate_hermitian_real_row_general"},
		{"tests/symmetry/coordinate_hermitian_real_row", "tests/symmetry/coordinate_hermitian_real_row_general_zero"},
		{"tests/symmetry/coordinate_hermitian_row", "tests/symmetry/coordinate_hermitian_row_general"},
		{"tests/symmetry/coordinate_hermitian_row", "tests/symmetry/coordinate_hermitian_row_general_zero"},
		{"tests/symmetry/coordinate_pattern_symmetric_row", "tests/symmetry/coordinate_pattern_symmetric_row_general"},
		{"tests/symmetry/coordinate_pattern_symmetric_row", "tests/symmetry/coordinate_pattern_symmetric_row_general_dup"},
		{"tests/symmetry/coordinate_pattern_symmetric_row", "tests/symmetry/coordinate_pattern_symmetric_row_general_zero"},
		{"tests/symmetry/coordinate_skew_symmetric_row", "tests/symmetry/coordinate_skew_symmetric_row_general"},
		{"tests/symmetry/coordinate_skew_symmetric_row", "tests/symmetry/coordinate_skew_symmetric_row_general_dup"},
		{"tests/symmetry/coordinate_skew_symmetric_row", "tests/symmetry/coordinate_skew_symmetric_row_general_zero"},
		{"tests/symmetry/coordinate_symmetric_row", "tests/symmetry/coordinate_symmetric_row_general"},
		{"tests/symmetry/coordinate_symmetric_row", "tests/symmetry/coordinate_symmetric_row_general_zero"},
		{"tests/symmetry_array/array_hermitian", "tests/symmetry_array/array_hermitian_general"},
		{"tests/symmetry_array/array_skew-symmetric", "tests/symmetry_array/array_skew-symmetric_general"},
		{"tests/symmetry_array/array_symmetric", "tests/symmetry_array/array_symmetric_general"},
		{"tests/nist_ex1", "tests/nist_ex1_freeformat"},
		{"tests/nist_ex1", "tests/permissive/windows_lineendings_nist_ex1_more_freeformat"},
		{"tests/eye3", "python/tests/misc/windows_newlines"},
		{"python/tests/matrix_coordinate_real_general", "python/tests/matrix_coordinate_real_general.mtx.gz"},
		{"python/tests/matrix_coordinate_real_general", "python/tests/matrix_coordinate_real_general.mtx.bz2"},
	}
	for _, pair := range pairs {
		t.Run(pair[1], func(t *testing.T) {
			var c [2]*Content
			for k, name := range pair {
				if !strings.Contains(name, ".mtx") {
					name += ".mtx"
				}
				var err error
				if c[k], err = ReadFile(context.Background(), filepath.Join(dir, name), Options{}); err != nil {
					t.Fatal(err)
				}
				// Only the matrices are compared.
				*c[k] = Content{Rows: c[k].Rows, Cols: c[k].Cols, Matrix: c[k].Matrix, Dense: c[k].Dense, Imag: c[k].Imag}
			}
			if diff := difference(c[0], c[1]); diff != "" {
				t.Errorf("they differ in %s", diff)
			}
		})
	}
}
