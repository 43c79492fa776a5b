package matrixio

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// Format is a format of files.
type Format struct {
	Name     string   // for messages
	Word     string   // for flags
	Suffixes []string // of file names, the one of files that are written first

	begins   func(head []byte) bool // recognises files by their first bytes
	read     func(s *source) (*matrixmarket.Content, error)
	write    func(w io.Writer, c *matrixmarket.Content, opt WriteOptions) error // nil: the format is only read
	gzip     bool                                                               // files are also written compressed
	Triangle bool                                                               // one triangle of a symmetric matrix is written
}

// Formats are all formats, Matrix Market first.
var Formats = []Format{
	{Name: "Matrix Market", Word: "mtx", Suffixes: []string{".mtx", ".mm"}, write: writeMatrixMarket, gzip: true, Triangle: true},
	{Name: "mpsolve binary", Word: "mpx", Suffixes: []string{".mpx"}, begins: beginsMPX, read: readMPX, write: writeMPX},
	{Name: "PETSc binary", Word: "petsc", Suffixes: []string{".petsc", ".petscbin"}, begins: beginsPETSc, read: readPETSc, write: writePETSc},
	{Name: "NumPy archive", Word: "npz", Suffixes: []string{".npz"}, begins: beginsNPZ, read: readNPZ, write: writeNPZ},
	{Name: "NumPy array", Word: "npy", Suffixes: []string{".npy"}, begins: beginsNPY, read: readNPY, write: writeNPY},
	{Name: "MATLAB 5", Word: "mat", Suffixes: []string{".mat"}, begins: beginsMAT, read: readMAT},
	{
		Name: "Rutherford-Boeing", Word: "rb",
		Suffixes: []string{".rb", ".hb", ".rsa", ".rua", ".rra", ".rza", ".psa", ".pua", ".pra", ".csa", ".cua", ".cha", ".isa", ".iua"},
		begins:   beginsHB, read: readHB, write: writeRB, gzip: true, Triangle: true,
	},
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
	return &matrixmarket.Reader{Format: f.Name, Read: func(ctx context.Context, in *matrixmarket.File, opt matrixmarket.Options) (*matrixmarket.Content, error) {
		s := newSource(ctx, in, opt)
		c, err := f.read(s)
		if err == nil && in.At == nil {
			err = s.drain()
		}
		return c, err
	}}
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
