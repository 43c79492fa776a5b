package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/mpsolve/mpsolve/internal/atomicfile"
)

// checkOutput reports, before any work is done, that path cannot be written:
// its folder is missing, it is a folder, or one of the inputs.
func checkOutput(flag, path string, inputs ...string) error {
	if path == "" {
		return nil
	}
	if dir := filepath.Dir(path); !isDirectory(dir) {
		return usage("--%s %s: there is no folder %s", flag, path, dir)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil // not there yet
	}
	if info.IsDir() {
		return usage("--%s %s: is a folder", flag, path)
	}
	for _, in := range inputs {
		if other, err := os.Stat(in); err == nil && os.SameFile(info, other) {
			return usage("--%s %s: is an input as well", flag, path)
		}
	}
	return nil
}

// writeFile writes path as a whole or not at all; .gz is compressed.
func writeFile(path string, write func(io.Writer) error) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		if !strings.HasSuffix(path, ".gz") {
			return write(w)
		}
		z := gzip.NewWriter(w)
		if err := write(z); err != nil {
			return err
		}
		return z.Close()
	})
}

// firstError is a writer that keeps its first error.
type firstError struct {
	w   io.Writer
	err error
}

func (f *firstError) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if f.err == nil {
		f.err = err
	}
	return n, err
}
