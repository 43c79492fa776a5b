package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
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

// A pendingFile is written under another name beside its own, which it gets
// when it is whole: a file of that name is never partial.
type pendingFile struct {
	path string
	*os.File
}

func createPending(path string) (*pendingFile, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	return &pendingFile{path, f}, nil
}

// finish gives the file its name or, if writing it failed, removes it.
func (f *pendingFile) finish(err error) error {
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", f.path, err), removeIfThere(f.Name()))
	}
	return nil
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// writeFile writes path as a whole or not at all; .gz is compressed.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := createPending(path)
	if err != nil {
		return err
	}
	if !strings.HasSuffix(path, ".gz") {
		return f.finish(write(f))
	}
	z := gzip.NewWriter(f)
	if err = write(z); err == nil {
		err = z.Close()
	}
	return f.finish(err)
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
