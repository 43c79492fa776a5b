package matrixmarket

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
