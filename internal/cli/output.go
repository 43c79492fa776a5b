package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// checkOutput reports, before any work is done, that path cannot be written.
func checkOutput(path string) error {
	if path == "" {
		return nil
	}
	if dir := filepath.Dir(path); !isDirectory(dir) {
		return usage("--output %s: there is no folder %s", path, dir)
	}
	return nil
}

// writeFile writes path by way of a temporary file beside it, so that a file
// of that name is always whole; .gz is compressed.
func writeFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("writing %s: %w", path, err)
		}
	}()
	if strings.HasSuffix(path, ".gz") {
		z := gzip.NewWriter(f)
		if err = write(z); err == nil {
			err = z.Close()
		}
	} else {
		err = write(f)
	}
	if err != nil {
		return err
	}
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
