package report

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/dustin/go-humanize/english"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// System writes the properties of the matrix of a file: in one line or, verbose, in several.
func System(w io.Writer, file string, f csr.Facts, verbose bool) {
	if verbose {
		Facts(w, f)
		return
	}
	if file == "-" {
		file = "standard input"
	}
	Line(w, "matrix", "%s: %d x %d, %d %s%s", filepath.Base(file), f.Rows, f.Cols, f.NNZ, english.PluralWord(f.NNZ, "nonzero", "nonzeros"), traits(f))
}

// traits names the properties that a method can use.
func traits(f csr.Facts) string {
	switch {
	case f.Rows != f.Cols:
		return ", not square"
	case !f.Symmetric:
		return ", not symmetric"
	}
	sign := map[int]string{1: "positive", -1: "negative", 0: "of both signs"}[f.DiagonalSign()]
	if f.DiagonalZero > 0 {
		sign = "with zeros"
	}
	return fmt.Sprintf(", symmetric, diagonal %s", sign)
}
