package cli

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/dustin/go-humanize/english"
	"github.com/klauspost/compress/gzip"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// checkOutput returns an error, before any work is done, if path cannot be written or is one of the inputs.
func checkOutput(flag, path string, inputs ...string) error {
	return checkFile("--"+flag, path, false, inputs)
}

// checkX is checkOutput for x, which other formats can hold than Matrix Market.
func checkX(path string, inputs ...string) error {
	if ending := strings.ToLower(filepath.Ext(strings.TrimSuffix(path, ".gz"))); slices.Contains([]string{".h5", ".hdf5", ".csv"}, ending) {
		var written []string
		for _, f := range matrixio.Formats {
			if f.Dense {
				written = append(written, f.Suffixes[0])
			}
		}
		return usage("--output %s: x is written as %s, by the ending of the name, and not as %s", path, english.OxfordWordSeries(written, "or"), ending)
	}
	return checkFile("--output", path, formatOfX(path).Dense, inputs)
}

// checkFile is checkOutput for a flag or an argument, which what names. Unless anyFormat is set, the name must not
// be that of a format other than Matrix Market.
func checkFile(what, path string, anyFormat bool, inputs []string) error {
	if path == "" {
		return nil
	}
	if path == "-" {
		return usage("%s -: use /dev/stdout for standard output, or ./- for a file of that name", what)
	}
	ending := filepath.Ext(path)
	packed := filepath.Ext(strings.TrimSuffix(path, ending)) == ".mtx" || slices.Contains([]string{".bz2", ".xz", ".zst", ".zip", ".zz", ".lz4", ".lzma", ".7z"}, ending)
	if packed && ending != ".gz" {
		return usage("%s %s: files are compressed by gzip only, under names that end in .gz", what, path)
	}
	if f := matrixio.BySuffix(path); f != nil && f.Word != "mtx" && !anyFormat {
		return usage("%s %s: this is written as a Matrix Market file (.mtx), of which mpsolve convert makes others", what, path)
	}
	if err := host.Check(path); err != nil {
		return usage("%s %s: %w", what, path, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode()&fs.ModeDevice != 0 {
		return nil // the file does not exist, or is a device that can be both
	}
	for _, in := range inputs {
		other, err := os.Stat(in)
		if in == "-" {
			other, err = os.Stdin.Stat()
		}
		if err == nil && os.SameFile(info, other) {
			return usage("%s %s: is also an input", what, path)
		}
	}
	return nil
}

// checkDistinct returns an error if two flags name the same output file.
func checkDistinct(flag, path, otherFlag, other string) error {
	if path != "" && other != "" && host.Same(path, other) {
		return usage("--%s %s and --%s %s are the same file", flag, path, otherFlag, other)
	}
	return nil
}

// writing counts the files that are being written. Writing is not given up at a time limit.
var writing atomic.Int32

// completing counts the solves under way: each must still verify and write its best x.
var completing atomic.Int32

// writeFile writes path completely or not at all, compressed if its name ends in .gz. A FIFO must have a reader before the
// context ends.
func writeFile(ctx context.Context, path string, write func(io.Writer) error) error {
	writing.Add(1)
	defer writing.Add(-1)
	return writeUncounted(ctx, path, write)
}

// writeUncounted is writeFile for a file that need not be completed at a time limit.
func writeUncounted(ctx context.Context, path string, write func(io.Writer) error) error {
	return orClosed(path, host.WriteContext(ctx, path, func(w io.Writer) error {
		if !strings.HasSuffix(path, ".gz") {
			return write(w)
		}
		z := gzip.NewWriter(w)
		if err := write(z); err != nil {
			return err
		}
		return z.Close()
	}))
}

// heeding is a writer that fails once the context has ended.
type heeding struct {
	ctx context.Context
	w   io.Writer
}

func (h heeding) Write(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	return h.w.Write(p)
}

// firstError is a writer that keeps its first error.
type firstError struct {
	w   io.Writer
	err error
}

func (f *firstError) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	f.keep(err)
	return n, err
}

// keep keeps err if it is the first one.
func (f *firstError) keep(err error) {
	if f.err == nil {
		f.err = err
	}
}

// Columns implements report.Terminal.
func (f *firstError) Columns() int { return report.Columns(f.w) }

// Colored implements report.Terminal.
func (f *firstError) Colored() bool { return report.Colored(f.w) }

// exportArrays writes a matrix and x into a folder as arrays, little-endian and without a header: rowptr (int64), col
// (int32), val and x (float64). The file matrix.json describes the matrix.
func exportArrays(ctx context.Context, dir, name string, m *csr.Matrix, x []float64) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for file, array := range map[string]any{"rowptr": m.RowPtr, "col": m.Col, "val": m.Val, "x": x} {
		write := func(w io.Writer) error { return binary.Write(w, binary.LittleEndian, array) }
		if err := writeFile(ctx, filepath.Join(dir, file), write); err != nil {
			return err
		}
	}
	return writeFile(ctx, filepath.Join(dir, "matrix.json"), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(map[string]any{"matrix": name, "rows": m.Rows, "cols": m.Cols, "nnz": m.NNZ()})
	})
}
