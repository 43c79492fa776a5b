package matrixio

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// The contents of the files of testdata/make.py, row by row.
var (
	wantA      = []float64{4, -1, 0, 0, -1, 4.5, 0, 1e-300, 0, 0, 2, 0, 7, 0, -3, 1. / 3}
	wantVector = []float64{1, -2, 3, 1. / 3}
)

func readFile(path string, opt matrixmarket.Options) (*matrixmarket.Content, error) {
	opt.Other = Recognise
	return matrixmarket.ReadFile(context.Background(), path, opt)
}

func mustReadFile(t *testing.T, name string) *matrixmarket.Content {
	t.Helper()
	c, err := readFile(filepath.Join("testdata", name), matrixmarket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// elements returns the elements of content row by row, and their imaginary parts.
func elements(c *matrixmarket.Content) (re, im []float64) {
	re, im = make([]float64, c.Rows*c.Cols), make([]float64, c.Rows*c.Cols)
	for i := range c.Rows {
		for j := range c.Cols {
			at := i*c.Cols + j
			if c.Matrix == nil {
				re[at] = c.Dense[j*c.Rows+i]
				if c.Imag != nil {
					im[at] = c.Imag[j*c.Rows+i]
				}
				continue
			}
			for k := c.Matrix.RowPtr[i]; k < c.Matrix.RowPtr[i+1]; k++ {
				if int(c.Matrix.Col[k]) == j {
					re[at] = c.Matrix.Val[k]
					if c.Imag != nil {
						im[at] = c.Imag[k]
					}
				}
			}
		}
	}
	return re, im
}

// Files written by other programs hold the right contents, also when read through a stream.
func TestFilesOfOthers(t *testing.T) {
	half := []float64{.5, 0, 0, 0, 0, .5, 0, 0, 0, 0, .5, 0, 0, 0, 0, .5}
	for name, want := range map[string][2][]float64{
		"csr.npz": {wantA}, "csc.npz": {wantA}, "coo.npz": {wantA}, "dia.npz": {wantA}, "bsr.npz": {wantA}, "complex.npz": {wantA, half},
		"vector.npz": {wantVector}, "vector.npy": {wantVector}, "bigendian.npy": {{1, 3}, {2, 0}},
		"rows.npy": {{0, 1, 2, 3, 4, 5, 6, 7}}, "columns.npy": {{0, 1, 2, 3, 4, 5, 6, 7}},
		"plain.mat": {wantA}, "packed.mat": {wantA}, "problem.mat": {wantA}, "complex.mat": {wantA, half}, "vector.mat": {wantVector},
		"scipy.rua": {wantA}, "scipy.rua.gz": {wantA}, "fortran.rsa": {{4, -1, 0, -1, .25, 0, 0, 0, .3}},
		"matrix.petsc": {wantA}, "complex.petsc": {wantA, half}, "long.petsc": {wantA}, "both.petsc": {wantA}, "vector.petsc": {wantVector},
		"ij.00000": {wantA}, "vector.00000": {wantVector},
	} {
		c := mustReadFile(t, name)
		re, im := elements(c)
		if !slices.Equal(re, want[0]) {
			t.Errorf("%s: got %v, want %v", name, re, want[0])
		}
		if want[1] == nil {
			want[1] = make([]float64, len(want[0]))
		}
		if !slices.Equal(im, want[1]) || (c.Field == matrixmarket.Complex) != (c.Imag != nil) {
			t.Errorf("%s: got imaginary parts %v, want %v", name, im, want[1])
		}
		if (len(c.Warnings) > 0) != (name == "both.petsc") {
			t.Errorf("%s: warnings %q", name, c.Warnings)
		}
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		d, err := matrixmarket.Read(context.Background(), bytes.NewReader(data), "stream", matrixmarket.Options{Other: Recognise})
		if name == "complex.petsc" {
			if err == nil || !strings.Contains(err.Error(), "only in plain files") {
				t.Errorf("%s through a stream: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := elements(d); !slices.Equal(again, re) {
			t.Errorf("%s: a stream has %v", name, again)
		}
	}
	_, err := readFile("testdata/two.mat", matrixmarket.Options{})
	if err == nil || !strings.Contains(err.Error(), "K (4 x 4), M (4 x 4)") {
		t.Errorf("two.mat: %v", err)
	}
}

// Every file of testdata with a byte changed, or cut off anywhere, is refused or read: there is no panic, and errors
// are one line with the name of the file.
func TestDamage(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, ".py") {
			continue
		}
		step := max(1, len(data)/40)
		for at := 0; at < len(data); at += step {
			for _, change := range []func() []byte{
				func() []byte { return data[:at] },
				func() []byte { b := slices.Clone(data); b[at] ^= 0xff; return b },
			} {
				checkRefusal(t, change())
			}
		}
	}
}

// checkRefusal reads data that may be damaged, as a file and as a stream.
func checkRefusal(t *testing.T, data []byte) {
	t.Helper()
	opt := matrixmarket.Options{Threads: 1, MaxMemory: 1 << 22, Other: Recognise}
	_, err := matrixmarket.Read(context.Background(), bytes.NewReader(data), "x.bin", opt)
	checkError(t, err)
	_, err = readMemory(data, opt)
	checkError(t, err)
}

// readMemory reads bytes as if they were a file.
func readMemory(data []byte, opt matrixmarket.Options) (*matrixmarket.Content, error) {
	r := Recognise("x.bin", data)
	if r == nil {
		return nil, nil
	}
	in := &matrixmarket.File{Name: "x.bin", At: bytes.NewReader(data), Size: int64(len(data)), Stream: newStream(data)}
	return r.Read(context.Background(), in, opt)
}

func checkError(t *testing.T, err error) {
	t.Helper()
	var fault *matrixmarket.Error
	if err == nil {
		return
	}
	if !errors.As(err, &fault) && !errors.Is(err, matrixmarket.ErrTooLarge) || !strings.Contains(err.Error(), "x.bin") || strings.ContainsFunc(err.Error(), unprintable) ||
		len(err.Error()) > 400 {
		t.Fatalf("bad error: %q", err)
	}
}

func unprintable(c rune) bool { return c == utf8.RuneError || !unicode.IsPrint(c) }

// Names and headers within files may have any bytes, and any number.
func TestTextsInErrors(t *testing.T) {
	two, err := os.ReadFile("testdata/two.mat")
	if err != nil {
		t.Fatal(err)
	}
	archive := func(names ...string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range names {
			w, err := z.Create(name + ".npy")
			if err != nil {
				t.Fatal(err)
			}
			w.Write([]byte("no array"))
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	header := func(old, text string) []byte {
		return bytes.Replace(appendNPYHeader(nil, "<f8", 1, 1), []byte(old), []byte(text), 1)
	}
	for want, data := range map[string][]byte{
		`shape "1\r\t 1"`:                 header("(1, 1)", "(1\r\t 1)"),
		"elements \"'descr'\\n:'<f999999": header("'descr': '<f8'", "'descr'\n:'<f9999999'"),
		`elements of type f3 `:            header("'descr': '<f8'", "'descr':'<f03'"),
		`\x1b (4 x 4)`:                    bytes.Replace(two, []byte("K"), []byte("\x1b"), 1),
		`a\n\x00b, b`:                     archive("a\n\x00b", "b"),
		`at a\n.npy`:                      archive("a\n"),
		`(shape, \u2028d)`:                archive("shape", "\u2028d"),
		"(xxxx":                           archive(strings.Repeat("x", 5000), "y"),
	} {
		_, err := readMemory(data, matrixmarket.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		checkError(t, err)
	}
}

const hbWithRHS = `A real matrix with two right-hand sides                                 HAND    
             6             1             1             2             2
RUA                        3             3             4             0
(4I3)           (4I3)           (1P,3D12.4)         (4F8.3)             
F                          2             0
  1  3  4  5
  1  2  2  3
  4.0000D+00  1.0000D+00  2.0000D+00
  5.0000D-01
   4.000   3.000   0.500   8.000
   4.000   1.000
`

// Full right-hand sides follow one another without a line break.
func TestHBRightHandSides(t *testing.T) {
	c, err := readMemory([]byte(hbWithRHS), matrixmarket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{4, 3, .5, 8, 4, 1}
	if c.RHS == nil || c.RHS.Rows != 3 || c.RHS.Cols != 2 || !slices.Equal(c.RHS.Dense, want) || len(c.Warnings) > 0 {
		t.Fatalf("%+v, warnings %q; want %v", c.RHS, c.Warnings, want)
	}
	complex := strings.NewReplacer("RUA  ", "CUA  ", "\nF   ", "\nFGX ", "\n  5.0000D-01", "  0         \n  0           0           0         \n  5D-1        0").Replace(hbWithRHS)
	complex = strings.Replace(complex, "   4.000   1.000\n", "   4.000   1.000   1.000   0.000\n   0.000   0.000   7.000   8.000\n", 1)
	if c, err = readMemory([]byte(complex), matrixmarket.Options{}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.RHS.Dense, []float64{4, .5, 4, 1, 0, 7}) || !slices.Equal(c.RHS.Imag, []float64{3, 8, 1, 0, 0, 8}) {
		t.Errorf("complex: %v, %v", c.RHS.Dense, c.RHS.Imag)
	}
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "guesses and solutions") {
		t.Errorf("warnings %q", c.Warnings)
	}
}

// Other right-hand sides are not read, with a warning, and fewer numbers than declared are a fault.
func TestHBRightHandSidesNotRead(t *testing.T) {
	for old, other := range map[string]string{"\nF   ": "\nM   ", " 2             0\n  1": " 0             0\n  1", "(4F8.3)": "(4I8)  "} {
		c, err := readMemory([]byte(strings.Replace(hbWithRHS, old, other, 1)), matrixmarket.Options{})
		if err != nil || c.RHS != nil || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "not read") {
			t.Errorf("%q: %v, %+v", other, err, c)
		}
	}
	_, err := readMemory([]byte(strings.Replace(hbWithRHS, " 2             0\n  1", " 3             0\n  1", 1)), matrixmarket.Options{})
	if err == nil || !strings.Contains(err.Error(), "the right-hand sides") {
		t.Errorf("one too few: %v", err)
	}
	_, err = readMemory([]byte(strings.Replace(hbWithRHS, " 2             0\n  1", "99999999999   0\n  1", 1)), matrixmarket.Options{})
	if err == nil {
		t.Error("too many are read")
	}
}

// SciPy writes numbers a byte narrower than it declares, so that the sign of the third is within the field of the second. Fields
// that hold other than one number each are a fault.
func TestHBNumbersBetweenBlanks(t *testing.T) {
	const file = `Default title                                                           0       
             4             1             1             2
RUA                        3             3             4             0
(40I2)          (40I2)          (3E25.16)           
 1 2 3 5
 1 2 1 3
  1.5000000000000000E+00  3.0000000000000000E+00 -2.0000000000000000E+00
  1.0000000000000000E+00
`
	c, err := readMemory([]byte(file), matrixmarket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{1.5, -2, 3, 1}; !slices.Equal(c.Matrix.Val, want) {
		t.Errorf("%v, want %v", c.Matrix.Val, want)
	}
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "blanks tell them apart") {
		t.Errorf("warnings %q", c.Warnings)
	}
	for old, other := range map[string]string{" -2.0": " -2.0 ", "3.0000000000000000E+00 -": "3.0000000000000000E+00x-", "  3.0": " +3 0", " 1 2 1 3": " 11 213"} {
		if _, err := readMemory([]byte(strings.Replace(file, old, other, 1)), matrixmarket.Options{}); err == nil {
			t.Errorf("%q for %q is read", other, old)
		}
	}
}
