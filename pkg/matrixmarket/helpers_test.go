package matrixmarket

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sharedDir returns the folder beside the repository that holds matrices and
// conformance files, and skips the test where there is none.
func sharedDir(t testing.TB, name string) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no shared files: %v", err)
	}
	return dir
}

// readString reads a text by way of a stream.
func readString(s string, opt Options) (*Content, error) {
	return Read(context.Background(), strings.NewReader(s), "x.mtx", opt)
}

// readPlain reads a text as a plain file that can be read anywhere.
func readPlain(s string, opt Options) (*Content, error) {
	p := &progress{report: opt.Progress, total: int64(len(s))}
	in, err := openFile("x.mtx", strings.NewReader(s), int64(len(s)), p)
	if err != nil {
		return nil, err
	}
	return in.read(context.Background(), opt)
}

// mustRead reads a text both ways, which must agree, and returns the content.
func mustRead(t testing.TB, s string, opt Options) *Content {
	t.Helper()
	c, err := readString(s, opt)
	if err != nil {
		t.Fatalf("stream: %v", err)
	}
	d, err := readPlain(s, opt)
	if err != nil {
		t.Fatalf("file: %v", err)
	}
	if diff := difference(c, d); diff != "" {
		t.Fatalf("stream and file differ in %s", diff)
	}
	return c
}

// difference names the first field in which two contents differ, bit for bit.
func difference(c, d *Content) string {
	switch {
	case c.Header != d.Header:
		return "Header"
	case c.Rows != d.Rows || c.Cols != d.Cols:
		return "dimensions"
	case c.Stored != d.Stored:
		return "Stored"
	case (c.Matrix == nil) != (d.Matrix == nil):
		return "Matrix"
	case c.Matrix != nil && !slices.Equal(c.Matrix.RowPtr, d.Matrix.RowPtr):
		return "RowPtr"
	case c.Matrix != nil && !slices.Equal(c.Matrix.Col, d.Matrix.Col):
		return "Col"
	case c.Matrix != nil && !sameBits(c.Matrix.Val, d.Matrix.Val):
		return "Val"
	case (c.Dense == nil) != (d.Dense == nil) || !sameBits(c.Dense, d.Dense):
		return "Dense"
	case (c.Imag == nil) != (d.Imag == nil) || !sameBits(c.Imag, d.Imag):
		return "Imag"
	case c.Duplicates != d.Duplicates:
		return "Duplicates"
	case c.Zeros != d.Zeros:
		return "Zeros"
	case c.NonFinite != d.NonFinite || c.NonFiniteLine != d.NonFiniteLine:
		return "NonFinite"
	case !slices.Equal(c.Warnings, d.Warnings):
		return "Warnings"
	case len(c.Lower) != len(d.Lower):
		return "Lower"
	}
	for k := range c.Lower {
		if diff := difference(c.Lower[k], d.Lower[k]); diff != "" {
			return "Lower: " + diff
		}
	}
	return ""
}

func sameBits(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
}
