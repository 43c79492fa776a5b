package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/mpsolve/mpsolve/internal/wholefile"
)

// checkOutput reports, before any work is done, that path cannot be written because its
// folder does not exist, it is a folder itself, or it is one of the inputs.
func checkOutput(flag, path string, inputs ...string) error {
	if path == "" {
		return nil
	}
	if dir := filepath.Dir(path); !isDirectory(dir) {
		return usage("--%s %s: folder %s does not exist", flag, path, dir)
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
			return usage("--%s %s: is also an input", flag, path)
		}
	}
	return nil
}

// writeFile writes path completely or not at all, compressed if its name ends in .gz.
func writeFile(path string, write func(io.Writer) error) error {
	return wholefile.Write(path, func(w io.Writer) error {
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
