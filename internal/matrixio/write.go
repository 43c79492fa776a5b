package matrixio

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// transposed returns the transpose of content, and its imaginary parts.
func transposed(c *matrixmarket.Content) (t *csr.Matrix, imag []float64) {
	m := c.Matrix
	if c.Imag != nil {
		of := csr.Matrix{Rows: m.Rows, Cols: m.Cols, RowPtr: m.RowPtr, Col: m.Col, Val: c.Imag}
		imag = of.Transpose(nil).Val
	}
	return m.Transpose(nil), imag
}

// Symmetry determines the symmetry of a sparse matrix from its entries: whether one triangle suffices.
func Symmetry(c *matrixmarket.Content) matrixmarket.Symmetry {
	m := c.Matrix
	if m == nil || m.Rows != m.Cols {
		return matrixmarket.General
	}
	t, imag := transposed(c)
	if !slices.Equal(t.RowPtr, m.RowPtr) || !slices.Equal(t.Col, m.Col) {
		return matrixmarket.General
	}
	equal, opposite := slices.Equal(t.Val, m.Val), negated(t.Val, m.Val)
	switch {
	case c.Imag == nil && equal, c.Imag != nil && equal && slices.Equal(imag, c.Imag):
		return matrixmarket.Symmetric
	case c.Imag != nil && equal && negated(imag, c.Imag):
		return matrixmarket.Hermitian
	case opposite && (c.Imag == nil || negated(imag, c.Imag)) && m.NNZ() > 0 && c.Field != matrixmarket.Pattern:
		return matrixmarket.SkewSymmetric
	}
	return matrixmarket.General
}

// negated reports whether v = -w. A nonzero diagonal excludes that.
func negated(v, w []float64) bool {
	for k := range v {
		if v[k] != -w[k] {
			return false
		}
	}
	return true
}

// writeMatrixMarket writes text, one triangle if that suffices.
func writeMatrixMarket(w io.Writer, c *matrixmarket.Content, opt WriteOptions) error {
	text := matrixmarket.WriteOptions{Threads: opt.Threads}
	if opt.Comment != "" {
		text.Comments = []string{opt.Comment}
	}
	if c.Matrix == nil {
		return matrixmarket.WriteDense(w, c.Rows, c.Cols, c.Dense, c.Imag, text)
	}
	return matrixmarket.WriteEntries(w, c.Matrix, c.Imag, Symmetry(c), text)
}

// sparseOnly returns an error unless the content is a sparse matrix.
func sparseOnly(c *matrixmarket.Content, format string) error {
	if c.Matrix == nil {
		return fmt.Errorf("%s files hold sparse matrices, no arrays and vectors", format)
	}
	return nil
}

var errDenseOnly = errors.New("NumPy arrays (.npy) hold dense matrices and vectors; sparse ones are in .npz files")

// below32 returns an error if a format with 32-bit numbers cannot hold the matrix.
func below32(m *csr.Matrix) error {
	if int64(m.NNZ()) > csr.MaxDim {
		return errors.New("the format has no room for so many entries: its numbers have 32 bits")
	}
	return nil
}
