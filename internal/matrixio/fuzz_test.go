package matrixio

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

func newStream(data []byte) *bufio.Reader { return bufio.NewReader(bytes.NewReader(data)) }

// fuzz feeds arbitrary bytes to the reader of one format. The reader must not panic and must not take much memory,
// and what it accepts must be a valid matrix that all formats write and read back.
func fuzz(f *testing.F, word string, suffixes ...string) {
	for _, suffix := range suffixes {
		files, err := filepath.Glob("testdata/*" + suffix)
		if err != nil || len(files) == 0 {
			f.Fatalf("no files %s: %v", suffix, err)
		}
		for _, path := range files {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	format := ByWord(word)
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &matrixmarket.File{Name: "x.bin", At: bytes.NewReader(data), Size: int64(len(data)), Stream: newStream(data)}
		c, err := format.reader().Read(t.Context(), in, matrixmarket.Options{Threads: 2, MaxMemory: 1 << 22})
		checkError(t, err)
		if err != nil {
			return
		}
		if c.Matrix != nil {
			if err := c.Matrix.Validate(); err != nil {
				t.Fatal(err)
			}
		} else if len(c.Dense) != c.Rows*c.Cols {
			t.Fatalf("%d values of a %d x %d matrix", len(c.Dense), c.Rows, c.Cols)
		}
		if c.NonFinite == 0 {
			checkRoundTrips(t, c)
		}
	})
}

func FuzzMPX(f *testing.F)   { fuzz(f, "mpx", ".mpx") }
func FuzzPETSc(f *testing.F) { fuzz(f, "petsc", ".petsc") }
func FuzzNPZ(f *testing.F)   { fuzz(f, "npz", ".npz") }
func FuzzNPY(f *testing.F)   { fuzz(f, "npy", ".npy") }
func FuzzMAT(f *testing.F)   { fuzz(f, "mat", ".mat") }
func FuzzHB(f *testing.F)    { fuzz(f, "rb", ".rua", ".rsa") }
func FuzzHypre(f *testing.F) { fuzz(f, "hypre", ".00000") }
