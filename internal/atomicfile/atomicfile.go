// Package atomicfile replaces files atomically: a file is written under a temporary
// name beside its own and renamed when it is complete.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// File is a file that is being written.
type File struct {
	path string
	*renameio.PendingFile
}

// Create creates a file that [File.Commit] gives the name path; its folder must
// exist. Errors name the path.
func Create(path string) (*File, error) {
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithStaticPermissions(0o644))
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	return &File{path, f}, nil
}

// Commit closes the file and gives it its name. If writing it failed with err, it
// removes the file instead and returns err.
func (f *File) Commit(err error) error {
	if err == nil {
		err = f.CloseAtomicallyReplace()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", f.path, err), f.Cleanup())
	}
	return nil
}

// Write replaces the file path with what write writes. If that fails, the file stays
// as it was.
func Write(path string, write func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	return f.Commit(write(f))
}
