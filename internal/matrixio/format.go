package matrixio

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// Format is a format of files.
type Format struct {
	Name     string   // for messages
	Word     string   // for flags
	Suffixes []string // of file names, the one of files that are written first

	begins   func(head []byte) bool // recognises files by their first bytes
	read     func(s *source) (*matrixmarket.Content, error)
	share    func(s *source) (*matrixmarket.Shared, error)                      // of rows of a plain file, see matrixmarket.Reader; nil: the whole is read
	write    func(w io.Writer, c *matrixmarket.Content, opt WriteOptions) error // nil: the format is only read
	gzip     bool                                                               // files are also written compressed
	Triangle bool                                                               // one triangle of a symmetric matrix is written
	Dense    bool                                                               // arrays and vectors are written, too
}

// Formats are all formats, Matrix Market first.
var Formats = []Format{
	{Name: "Matrix Market", Word: "mtx", Suffixes: []string{".mtx", ".mm"}, write: writeMatrixMarket, gzip: true, Triangle: true, Dense: true},
	{Name: "mpsolve binary", Word: "mpx", Suffixes: []string{".mpx"}, begins: beginsMPX, read: readMPX, share: shareMPX, write: writeMPX, Dense: true},
	{Name: "PETSc binary", Word: "petsc", Suffixes: []string{".petsc", ".petscbin"}, begins: beginsPETSc, read: readPETSc, share: sharePETSc, write: writePETSc, Dense: true},
	{Name: "NumPy archive", Word: "npz", Suffixes: []string{".npz"}, begins: beginsNPZ, read: readNPZ, write: writeNPZ},
	{Name: "NumPy array", Word: "npy", Suffixes: []string{".npy"}, begins: beginsNPY, read: readNPY, write: writeNPY, Dense: true},
	{Name: "MATLAB 5", Word: "mat", Suffixes: []string{".mat"}, begins: beginsMAT, read: readMAT},
	{
		Name: "Rutherford-Boeing", Word: "rb",
		Suffixes: []string{".rb", ".hb", ".rsa", ".rua", ".rra", ".rza", ".psa", ".pua", ".pra", ".csa", ".cua", ".cha", ".isa", ".iua"},
		begins:   beginsHB, read: readHB, write: writeRB, gzip: true, Triangle: true,
	},
	{Name: "hypre", Word: "hypre", Suffixes: []string{hypreFirst}, begins: beginsHypre, read: readHypre},
}

// headBytes is the number of bytes of a file from which its format is recognised.
const headBytes = 4096

// Recognise returns the reader of a file with that name and these first bytes, for matrixmarket.Options.Other. The
// content determines the format, and the name only if the content does not. nil: the file is Matrix Market or
// unknown.
func Recognise(name string, head []byte) *matrixmarket.Reader {
	head = head[:min(len(head), headBytes)]
	for _, f := range Formats {
		if f.begins != nil && f.begins(head) {
			return f.reader()
		}
	}
	if f := BySuffix(name); f != nil && f.read != nil && !bytes.HasPrefix(bytes.TrimLeft(head, "% \t\r\n"), []byte("MatrixMarket")) {
		return f.reader() // its errors say what is wrong
	}
	return nil
}

// reader returns the format's reader.
func (f *Format) reader() *matrixmarket.Reader {
	r := &matrixmarket.Reader{Format: f.Name, Read: func(ctx context.Context, in *matrixmarket.File, opt matrixmarket.Options) (*matrixmarket.Content, error) {
		s := newSource(ctx, in, opt)
		c, err := f.read(s)
		if err == nil && in.At == nil {
			err = s.drain()
		}
		return c, err
	}}
	if f.share != nil {
		r.Share = func(ctx context.Context, in *matrixmarket.File, opt matrixmarket.Options) (*matrixmarket.Shared, error) {
			return f.share(newSource(ctx, in, opt))
		}
	}
	return r
}

// BySuffix returns the format whose suffix the name has, also before .gz; nil: none.
func BySuffix(name string) *Format {
	suffix := strings.ToLower(filepath.Ext(strings.TrimSuffix(name, ".gz")))
	k := slices.IndexFunc(Formats, func(f Format) bool { return slices.Contains(f.Suffixes, suffix) })
	if k < 0 {
		return nil
	}
	return &Formats[k]
}

// ByWord returns the format of that word; nil: none.
func ByWord(word string) *Format {
	k := slices.IndexFunc(Formats, func(f Format) bool { return f.Word == word })
	if k < 0 {
		return nil
	}
	return &Formats[k]
}

// Written returns the words of the formats that are written.
func Written() (words []string) {
	for _, f := range Formats {
		if f.write != nil {
			words = append(words, f.Word)
		}
	}
	return words
}

// Writes reports whether files of the format are written, and whether also compressed by gzip.
func (f *Format) Writes(compressed bool) bool { return f.write != nil && (f.gzip || !compressed) }

// WriteOptions control how files are written. The zero value is ready to use.
type WriteOptions struct {
	Comment string // for formats that support comments
	Threads int    // 0: GOMAXPROCS
}

// Memory returns about how many bytes Write takes besides the content: the bytes of a transpose if it needs one, for
// which memory may lack if the matrix has few entries and many columns.
func (f *Format) Memory(c *matrixmarket.Content) float64 {
	m, byColumns := c.Matrix, f.Word == "rb"
	tellsSymmetry := f.Triangle || f.Word == "mpx"
	if m == nil || !byColumns && (m.Rows != m.Cols || !tellsSymmetry) {
		return 0
	}
	need := 16*float64(m.Cols+1) + 12*float64(m.NNZ())
	if c.Imag != nil {
		need += 8*float64(m.Cols+1) + 12*float64(m.NNZ())
	}
	if byColumns {
		need += 8 * float64(m.Cols+1)
	}
	return need
}

// Write writes content in the format. It returns an error if the format cannot represent the content.
func (f *Format) Write(w io.Writer, c *matrixmarket.Content, opt WriteOptions) error {
	return f.write(w, c, opt)
}

// ReadFile reads a real sparse matrix from a file of any format, which the content determines; the file may be
// compressed. It refuses a file that needs more memory than the machine has.
func ReadFile(ctx context.Context, name string) (*csr.Matrix, error) {
	c, err := readAny(ctx, name)
	if err != nil {
		return nil, err
	}
	m, err := c.CSR()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// ReadVector reads a real vector from a file of any format with a single column.
func ReadVector(ctx context.Context, name string) ([]float64, error) {
	c, err := readAny(ctx, name)
	if err != nil {
		return nil, err
	}
	columns, err := c.Columns()
	if err == nil && len(columns) != 1 {
		err = fmt.Errorf("want a vector, not %d columns", len(columns))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return columns[0], nil
}

func readAny(ctx context.Context, name string) (*matrixmarket.Content, error) {
	return matrixmarket.ReadFile(ctx, name, matrixmarket.Options{Other: Recognise, Installed: host.Available()})
}

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
		return &ContentError{format + " files hold sparse matrices, no arrays and vectors"}
	}
	return nil
}

// A ContentError says that a format cannot hold a content.
type ContentError struct{ Msg string }

func (e *ContentError) Error() string { return e.Msg }

var errDenseOnly = &ContentError{"NumPy arrays (.npy) hold dense matrices and vectors; sparse ones are in .npz files"}

// below32 returns an error if a format with 32-bit numbers cannot hold the matrix.
func below32(m *csr.Matrix) error {
	if int64(m.NNZ()) > csr.MaxDim {
		return &ContentError{"the format has no room for so many entries: its numbers have 32 bits"}
	}
	return nil
}
